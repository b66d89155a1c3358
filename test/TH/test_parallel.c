/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/sys.h"
#include "support/fork.h"
#include "support/limits.h"
#include "support/tensors.h"

#include <pthread.h>
#include <stdlib.h>

enum { N = 10007 };
typedef struct marks {
    int32_t times[N];
    int64_t grain, n;
    int32_t bad, calls;
} marks;

static void mark(void *arg, int64_t lo, int64_t hi) {
    marks *m = arg;
    if (lo % m->grain != 0 || hi <= lo || hi - lo > m->grain || (hi < m->n && hi - lo != m->grain))
        __atomic_fetch_add(&m->bad, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&m->calls, 1, __ATOMIC_RELAXED);
    for (int64_t i = lo; i < hi; i++) m->times[i]++;
}

static void check_cover(int64_t n, int64_t grain) {
    marks *m = test_calloc(1, sizeof *m);
    m->grain = grain;
    m->n = n;
    TH_parallel(n, grain, mark, m);
    assert_int_equal(m->bad, 0);
    assert_int_equal(m->calls, (n + grain - 1) / grain);
    for (int64_t i = 0; i < N; i++) assert_int_equal(m->times[i], i < n);
    test_free(m);
}

static void test_pieces(void **state) {
    (void)state;
    static const int64_t grains[] = {1, 7, 1000, N - 1, N, N + 1};
    for (int32_t threads = 1; threads <= 4; threads++) {
        assert_ok(TH_set_num_threads(threads));
        assert_int_equal(TH_num_threads(), threads);
        for (int i = 0; i < 6; i++) {
            check_cover(N, grains[i]);
            check_cover(grains[i] < N ? grains[i] : N, grains[i]);
            check_cover(0, grains[i]);
        }
    }
    marks m = {.grain = 1, .n = 3};
    TH_parallel(3, 0, mark, &m); /* a grain below 1 counts as 1 */
    TH_parallel(-3, 1, mark, &m);
    assert_int_equal(m.calls, 3);
    assert_int_equal(m.bad, 0);
}

static void inner(void *arg, int64_t lo, int64_t hi) {
    pthread_t *self = arg;
    if (!pthread_equal(*self, pthread_self())) *self = 0;
    (void)lo;
    (void)hi;
}

static void outer(void *arg, int64_t lo, int64_t hi) {
    pthread_t self = pthread_self();
    TH_parallel(100, 1, inner, &self);
    if (self == 0) __atomic_store_n((int32_t *)arg, 1, __ATOMIC_RELAXED);
    (void)lo;
    (void)hi;
}

/* Calls inside a call stay on their thread. */
static void test_nested(void **state) {
    (void)state;
    int32_t strayed = 0;
    assert_ok(TH_set_num_threads(4));
    TH_parallel(64, 1, outer, &strayed);
    assert_int_equal(strayed, 0);
}

static void test_set_num_threads_fails(void **state) {
    (void)state;
    assert_ok(TH_set_num_threads(2));
    assert_fails(TH_E_ARG, "TH_set_num_threads: got 0, want at least 1", TH_set_num_threads(0));
    assert_fails(TH_E_ARG, "got -3", TH_set_num_threads(-3));
    assert_int_equal(TH_num_threads(), 2);
}

static int work_after_fork(void) {
    if (TH_num_threads() != 1) return 1;
    if (TH_set_num_threads(2) != TH_E_FORKED || !strstr(TH_error_message(), "forked")) return 2;
    if (TH_set_num_threads(1) != TH_OK) return 3;
    marks *m = calloc(1, sizeof *m);
    m->grain = 10;
    m->n = N;
    TH_parallel(N, 10, mark, m);
    int bad = m->bad != 0 || m->calls != 1001;
    free(m);
    THTensor *t = NULL;
    if (THTensor_new(&t, TH_FLOAT32, (int64_t[]){1000}, 1) != TH_OK) return 4;
    THTensor_free(t);
    return bad ? 5 : 0;
}

/* The parent has used its threads; they do not exist in the child. */
static void test_fork(void **state) {
    (void)state;
    assert_ok(TH_set_num_threads(4));
    check_cover(N, 10);
    assert_int_equal(in_child(work_after_fork), 0);
    check_cover(N, 10);
    assert_int_equal(TH_num_threads(), 4);
}

static int parallel_and_products(void) {
    enum { M = 300 };
    marks *m = calloc(1, sizeof *m);
    m->grain = 10;
    m->n = N;
    for (int round = 0; round < 3; round++) TH_parallel(N, 10, mark, m);
    int bad = m->bad != 0 || m->calls != 3 * 1001 || m->times[0] != 3 || m->times[N - 1] != 3;
    free(m);
    THTensor *a = NULL, *b = NULL, *c = NULL, *x = NULL, *y = NULL;
    if (TH_full(&a, LIST(M, M), SCALAR_F(2), TH_FLOAT32) != TH_OK) return 2;
    if (TH_full(&b, LIST(M, M), SCALAR_F(3), TH_FLOAT32) != TH_OK) return 3;
    if (TH_matmul(&c, a, b) != TH_OK || element(c, M * M - 1) != 6 * M) return 4;
    if (THTensor_select(&x, b, 0, 0) != TH_OK || TH_matmul(&y, a, x) != TH_OK || element(y, M - 1) != 6 * M) return 5;
    THTensor *all[] = {a, b, c, x, y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    return bad;
}

/* Where the system allows no more threads, or no memory for them, operations use fewer. */
static void test_few_threads_allowed(void **state) {
    (void)state;
    under_every_limit(parallel_and_products);
}

static void test_team(void **state) {
    (void)state;
    for (int32_t n = 1; n <= 3; n++) {
        assert_ok(TH_set_num_threads(n));
        assert_int_equal(TH_team(), n);
    }
    assert_ok(TH_set_num_threads(100000));
    assert_int_equal(TH_num_threads(), 1024);
    assert_ok(TH_set_num_threads(2));
}

static void *allocate_for_ever(void *arg) {
    while (!__atomic_load_n((int32_t *)arg, __ATOMIC_RELAXED)) TH_free(TH_alloc(100000), 100000);
    return NULL;
}

static int allocate(void) {
    for (int i = 1; i < 100; i++) {
        void *p = TH_alloc(i * 1000);
        if (!p) return 1;
        TH_free(p, i * 1000);
    }
    return 0;
}

/* The allocator's lock may be held by another thread when the process forks. */
static void test_fork_while_others_allocate(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizers' own allocators do not survive such a fork */
#endif
    int32_t stop = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, allocate_for_ever, &stop), 0);
    for (int i = 0; i < 30; i++) assert_int_equal(in_child(allocate), 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_threads_allowed), /* first: see support/limits.h */
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_team),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_set_num_threads_fails),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_while_others_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
