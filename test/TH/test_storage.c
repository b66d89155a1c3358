/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/oom.h"

#include <pthread.h>

static THStorage *const untouched = (THStorage *)0x1234;

static void test_new(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 63, 2048, 2049, 100000};
    for (int i = 0; i < 6; i++) {
        THStorage *s = NULL;
        assert_ok(THStorage_new(&s, sizes[i]));
        assert_non_null(THStorage_data(s));
        assert_int_equal((uintptr_t)THStorage_data(s) % 64, 0);
        assert_int_equal(THStorage_nbytes(s), sizes[i]);
        assert_int_equal(THStorage_device(s), TH_CPU);
        assert_int_equal(THStorage_is_readonly(s), 0);
        assert_int_equal(THStorage_version(s), 0);
        memset(THStorage_data(s), 7, (size_t)sizes[i]);
        THStorage_free(s);
    }
    THStorage *s = untouched;
    assert_fails(TH_E_ARG, "THStorage_new: got -1 bytes, want at least 0", THStorage_new(&s, -1));
    assert_fails(TH_E_MEMORY, "TH_alloc: got 9223372036854775807 bytes", THStorage_new(&s, INT64_MAX));
    assert_fails(TH_E_ARG, "out is NULL", THStorage_new(NULL, 1));
    assert_ptr_equal(s, untouched);
}

static void test_null(void **state) {
    (void)state;
    assert_null(THStorage_retain(NULL));
    THStorage_free(NULL);
    THStorage_touch(NULL);
    assert_null(THStorage_data(NULL));
    assert_int_equal(THStorage_nbytes(NULL) + THStorage_is_readonly(NULL) + THStorage_refcount(NULL), 0);
    assert_int_equal(THStorage_version(NULL) + THStorage_device(NULL), 0);
}

static void test_version_and_count(void **state) {
    (void)state;
    THStorage *s = NULL;
    assert_ok(THStorage_new(&s, 8));
    assert_int_equal(THStorage_refcount(s), 1);
    assert_ptr_equal(THStorage_retain(s), s);
    assert_int_equal(THStorage_refcount(s), 2);
    THStorage_touch(s);
    THStorage_touch(s);
    assert_int_equal(THStorage_version(s), 2);
    THStorage_free(s);
    assert_int_equal(THStorage_refcount(s), 1);
    THStorage_free(s);
}

/* ---- foreign memory ---- */

static void count(void *user) { ++*(int *)user; }

static void test_foreign(void **state) {
    (void)state;
    char bytes[16];
    int deleted = 0;
    THStorage *s = NULL;
    assert_ok(THStorage_new_foreign(&s, bytes, 16, (THDevice)1 << 32 | 3, 1, count, &deleted));
    assert_ptr_equal(THStorage_data(s), bytes);
    assert_int_equal(THStorage_nbytes(s), 16);
    assert_true(THStorage_device(s) == ((THDevice)1 << 32 | 3));
    assert_int_equal(THStorage_is_readonly(s), 1);
    THStorage_retain(s);
    THStorage_free(s);
    assert_int_equal(deleted, 0);
    THStorage_free(s);
    assert_int_equal(deleted, 1);

    s = NULL;
    assert_ok(THStorage_new_foreign(&s, NULL, 0, TH_CPU, 0, NULL, NULL));
    assert_null(THStorage_data(s));
    THStorage_free(s);

    s = untouched;
    assert_fails(TH_E_ARG, "THStorage_new_foreign: got 8 bytes at NULL",
                 THStorage_new_foreign(&s, NULL, 8, 0, 0, count, &deleted));
    assert_fails(TH_E_ARG, "got -8 bytes at data", THStorage_new_foreign(&s, bytes, -8, 0, 0, count, &deleted));
    assert_fails(TH_E_ARG, "out is NULL", THStorage_new_foreign(NULL, bytes, 8, 0, 0, count, &deleted));
    assert_ptr_equal(s, untouched);
    assert_int_equal(deleted, 1);
}

static void *drop(void *arg) {
    for (int i = 0; i < 10000; i++) {
        THStorage_retain(arg);
        THStorage_free(arg);
    }
    THStorage_free(arg);
    return NULL;
}

/* The deleter runs exactly once, whoever is last. */
static void test_last_of_many_threads(void **state) {
    (void)state;
    for (int turn = 0; turn < 5; turn++) {
        int deleted = 0;
        THStorage *s = NULL;
        pthread_t threads[3];
        assert_ok(THStorage_new_foreign(&s, &deleted, 4, TH_CPU, 0, count, &deleted));
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, drop, THStorage_retain(s));
        THStorage_free(s);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
        assert_int_equal(deleted, 1);
    }
}

/* ---- out of memory ---- */

static void make_each(void *arg) {
    (void)arg;
    for (int i = 0; i < 3; i++) {
        int deleted = 0;
        THStorage *s = untouched;
        THStatus status = i == 0   ? THStorage_new(&s, 10)
                          : i == 1 ? THStorage_new(&s, 10000)
                                   : THStorage_new_foreign(&s, &deleted, 4, TH_CPU, 0, count, &deleted);
        if (status == TH_OK) {
            THStorage_free(s);
        } else {
            assert_int_equal(status, TH_E_MEMORY);
            assert_ptr_equal(s, untouched);
            assert_int_equal(deleted, 0); /* still the caller's */
        }
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    oom_each(make_each, NULL);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_version_and_count),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_last_of_many_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
