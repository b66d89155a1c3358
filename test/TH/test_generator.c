/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include <pthread.h>

static THTensor *draw(THGenerator *g, int64_t n) {
    THTensor *t = tensor_empty(TH_FLOAT32, &n, 1);
    assert_ok(TH_uniform(t, 0, 1, g));
    return t;
}

static void test_seed(void **state) {
    (void)state;
    THGenerator *g = NULL, *h = NULL;
    assert_ok(THGenerator_new(&g, UINT64_C(0x123456789abcdef0)));
    assert_ok(THGenerator_new(&h, 5));
    assert_true(THGenerator_initial_seed(g) == UINT64_C(0x123456789abcdef0));
    THTensor *a = draw(g, 100), *b = draw(g, 100), *c = draw(h, 100);
    assert_memory_not_equal(THTensor_data(a), THTensor_data(b), 400); /* the offset went on */
    assert_memory_not_equal(THTensor_data(a), THTensor_data(c), 400);
    THTensor_free(c);
    THGenerator_seed(h, THGenerator_initial_seed(g)); /* back to offset 0 */
    c = draw(h, 100);
    assert_same(c, a);
    THTensor_free(c);
    c = draw(h, 100);
    assert_same(c, b);
    THTensor_free(a), THTensor_free(b), THTensor_free(c);
    THGenerator_free(g), THGenerator_free(h), THGenerator_free(NULL);
}

static void test_state(void **state) {
    (void)state;
    unsigned char saved[TH_GENERATOR_STATE_BYTES], again[TH_GENERATOR_STATE_BYTES];
    static const unsigned char fresh[TH_GENERATOR_STATE_BYTES] = {'W', 'P', 'H',  'X',  1,    0,
                                                                  0,   0,   0x0d, 0x0c, 0x0b, 0x0a};
    THGenerator *g = NULL, *h = NULL;
    assert_ok(THGenerator_new(&g, 0x0a0b0c0d));
    assert_ok(THGenerator_new(&h, 1));
    THGenerator_get_state(g, saved);
    assert_memory_equal(saved, fresh, sizeof saved);
    THTensor_free(draw(g, 77));
    THTensor *normal = tensor_empty(TH_FLOAT32, LIST(7)); /* an odd number leaves no half pair behind */
    assert_ok(TH_normal(normal, 0, 1, g));
    THGenerator_get_state(g, saved);
    THTensor *a = draw(g, 500);
    assert_ok(THGenerator_set_state(h, saved));
    assert_true(THGenerator_initial_seed(h) == 0x0a0b0c0d);
    THTensor *b = draw(h, 500);
    assert_same(a, b);
    THGenerator_get_state(g, saved);
    THGenerator_get_state(h, again);
    assert_memory_equal(saved, again, sizeof saved);
    for (size_t i = 0; i < sizeof saved; i++) { /* what is not a number must be as written */
        if (i >= 8 && i < 24) continue;
        again[i] ^= 1;
        assert_fails(TH_E_ARG, "THGenerator_set_state: got bytes", THGenerator_set_state(h, again));
        again[i] ^= 1;
    }
    assert_fails(TH_E_ARG, "THGenerator_set_state: state is NULL", THGenerator_set_state(h, NULL));
    THGenerator_get_state(h, again);
    assert_memory_equal(saved, again, sizeof saved);
    THGenerator_get_state(h, NULL);
    THTensor_free(a), THTensor_free(b), THTensor_free(normal);
    THGenerator_free(g), THGenerator_free(h);
}

/* NULL is the common generator; its first seed is fixed. */
static void test_default(void **state) {
    (void)state;
    unsigned char saved[TH_GENERATOR_STATE_BYTES];
    THGenerator *g = NULL;
    assert_ok(THGenerator_new(&g, 42));
    THGenerator_seed(NULL, 42);
    assert_true(THGenerator_initial_seed(NULL) == 42);
    THTensor *a = draw(g, 10), *b = draw(NULL, 10);
    assert_same(a, b);
    THTensor_free(a), THTensor_free(b);
    THGenerator_get_state(NULL, saved);
    a = draw(NULL, 10);
    assert_ok(THGenerator_set_state(NULL, saved));
    b = draw(NULL, 10);
    assert_same(a, b);
    THTensor_free(a), THTensor_free(b);
    THGenerator_free(g);
}

enum { DRAWS = 200 };

static void *draw_many(void *arg) {
    float *first = arg;
    for (int i = 0; i < DRAWS; i++) {
        THTensor *t = NULL;
        const int64_t n = 1;
        if (THTensor_new(&t, TH_FLOAT32, &n, 1) != TH_OK || TH_uniform(t, 0, 1, NULL) != TH_OK) return arg;
        first[i] = *(float *)THTensor_data(t);
        THTensor_free(t);
    }
    return NULL;
}

/* Threads that share the common generator never get the same numbers. */
static void test_threads(void **state) {
    (void)state;
    pthread_t thread[2];
    float got[2][DRAWS];
    THGenerator_seed(NULL, 1);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, draw_many, got[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *failed;
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    THGenerator_seed(NULL, 1);
    int found = 0;
    for (int i = 0; i < 2 * DRAWS; i++) {
        THTensor *t = draw(NULL, 1);
        int here = 0;
        for (int k = 0; k < 2 * DRAWS; k++) here += got[k / DRAWS][k % DRAWS] == *(float *)THTensor_data(t);
        found += here > 0;
        THTensor_free(t);
    }
    assert_int_equal(found, 2 * DRAWS);
}

static void new_each(void *arg) {
    (void)arg;
    THGenerator *g = NULL;
    const THStatus status = THGenerator_new(&g, 1);
    assert_true(status == TH_OK ? g != NULL : status == TH_E_MEMORY && !g);
    THGenerator_free(g);
}

static void test_errors(void **state) {
    (void)state;
    assert_fails(TH_E_ARG, "THGenerator_new: out is NULL", THGenerator_new(NULL, 1));
    oom_each(new_each, NULL);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seed),    cmocka_unit_test(test_state),  cmocka_unit_test(test_default),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
