/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/oom.h"
#include "support/tensors.h"

#include <pthread.h>
#include <stdio.h>

static THTensor *const untouched = (THTensor *)0x1234;

static void assert_strides(const THTensor *t, const int64_t *strides, int32_t ndim) {
    assert_int_equal(THTensor_ndim(t), ndim);
    for (int32_t k = 0; k < ndim; k++) assert_int_equal(THTensor_strides(t)[k], strides[k]);
}

static void test_new(void **state) {
    (void)state;
    for (THDtype d = 0; d < TH_DTYPE_COUNT; d++) {
        THTensor *t = NULL;
        assert_ok(THTensor_new(&t, d, LIST(2, 3, 4)));
        assert_is(t, d, 2, 3, 4);
        assert_strides(t, LIST(12, 4, 1));
        assert_int_equal(THTensor_numel(t), 24);
        assert_int_equal(THTensor_offset(t), 0);
        assert_int_equal(THTensor_device(t), TH_CPU);
        assert_int_equal(THTensor_is_contiguous(t), 1);
        assert_int_equal(THTensor_is_number(t), 0);
        assert_int_equal(THStorage_nbytes(THTensor_storage(t)), 24 * TH_dtype_size(d));
        assert_int_equal(THStorage_refcount(THTensor_storage(t)), 1);
        assert_ptr_equal(THTensor_data(t), THStorage_data(THTensor_storage(t)));
        THTensor_free(t);
    }
}

static void test_zero_dims_and_sizes(void **state) {
    (void)state;
    THTensor *t = NULL;
    assert_ok(THTensor_new(&t, TH_INT16, NULL, 0));
    assert_int_equal(THTensor_ndim(t), 0);
    assert_int_equal(THTensor_numel(t), 1);
    assert_int_equal(THTensor_is_contiguous(t), 1);
    THTensor_free(t);
    t = NULL;
    assert_ok(THTensor_new(&t, TH_INT16, LIST(3, 0, 2)));
    assert_is(t, TH_INT16, 3, 0, 2);
    assert_strides(t, LIST(2, 2, 1));
    assert_int_equal(THTensor_numel(t), 0);
    assert_int_equal(THTensor_is_contiguous(t), 1);
    THTensor_free(t);
    int64_t ones[TH_MAX_DIM];
    for (int i = 0; i < TH_MAX_DIM; i++) ones[i] = 1;
    t = NULL;
    assert_ok(THTensor_new(&t, TH_BOOL, ones, TH_MAX_DIM));
    assert_int_equal(THTensor_ndim(t), TH_MAX_DIM);
    THTensor_free(t);
}

static void test_new_fails(void **state) {
    (void)state;
    THTensor *t = untouched;
    int64_t many[TH_MAX_DIM + 1] = {1};
    assert_fails(TH_E_ARG, "THTensor_new: out is NULL", THTensor_new(NULL, TH_BOOL, NULL, 0));
    assert_fails(TH_E_ARG, "THTensor_new: sizes is NULL", THTensor_new(&t, TH_BOOL, NULL, 1));
    assert_fails(TH_E_SHAPE, "THTensor_new: got 65 dimensions, want 0 to 64", THTensor_new(&t, TH_BOOL, many, 65));
    assert_fails(TH_E_SHAPE, "got -1 dimensions", THTensor_new(&t, TH_BOOL, many, -1));
    assert_fails(TH_E_TYPE, "THTensor_new: got code 10, want a dtype", THTensor_new(&t, TH_DTYPE_COUNT, many, 1));
    assert_fails(TH_E_TYPE, "got code -1", THTensor_new(&t, TH_DTYPE_DEFAULT, many, 1));
    assert_fails(TH_E_SHAPE, "THTensor_new: got sizes [2, -3], want none below 0",
                 THTensor_new(&t, TH_BOOL, LIST(2, -3)));
    int64_t k = INT64_C(1) << 31;
    assert_fails(TH_E_SHAPE, "got sizes [2147483648, 2147483648, 2], want at most 2^63 - 1 bytes",
                 THTensor_new(&t, TH_BOOL, LIST(k, k, 2)));
    assert_fails(TH_E_SHAPE, "2^63", THTensor_new(&t, TH_FLOAT64, LIST(k, k / 4)));
    assert_fails(TH_E_SHAPE, "2^63", THTensor_new(&t, TH_BOOL, LIST(k, k, k, k, 0)));
    assert_fails(TH_E_MEMORY, "TH_alloc", THTensor_new(&t, TH_BOOL, LIST(INT64_MAX)));
    assert_ptr_equal(t, untouched);
}

static void test_new_copy(void **state) {
    (void)state;
    static const float values[] = {1, 2, 3, 4, 5, 6};
    THTensor *t = NULL;
    assert_ok(THTensor_new_copy(&t, TH_FLOAT32, LIST(3, 2), values));
    assert_is(t, TH_FLOAT32, 3, 2);
    for (int i = 0; i < 6; i++) assert_element(t, i, i + 1, 0);
    assert_ptr_not_equal(THTensor_data(t), values);
    THTensor_free(t);
    t = NULL;
    assert_ok(THTensor_new_copy(&t, TH_FLOAT32, LIST(0, 2), NULL));
    THTensor_free(t);
    t = untouched;
    assert_fails(TH_E_ARG, "THTensor_new_copy: data is NULL", THTensor_new_copy(&t, TH_FLOAT32, LIST(2), NULL));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_new_copy(NULL, TH_FLOAT32, LIST(2), values));
    assert_ptr_equal(t, untouched);
}

static void test_new_scalar(void **state) {
    (void)state;
    THTensor *t = NULL;
    assert_ok(THTensor_new_scalar(&t, SCALAR_F(2.5)));
    assert_int_equal(THTensor_dtype(t), TH_FLOAT64);
    assert_int_equal(THTensor_ndim(t), 0);
    assert_int_equal(THTensor_is_number(t), 1);
    assert_element(t, 0, 2.5, 0);
    THTensor_free(t);
    assert_ok(THTensor_new_scalar(&t, SCALAR_I(-7)));
    assert_int_equal(THTensor_dtype(t), TH_INT64);
    assert_element(t, 0, -7, 0);
    THTensor_free(t);
    assert_ok(THTensor_new_scalar(&t, SCALAR_B(1)));
    assert_int_equal(THTensor_dtype(t), TH_BOOL);
    assert_element(t, 0, 1, 0);
    THTensor_free(t);
    t = untouched;
    THScalar bad = {.kind = 4};
    assert_fails(TH_E_TYPE, "THTensor_new_scalar: got a scalar of kind 4", THTensor_new_scalar(&t, &bad));
    bad.kind = 0;
    assert_fails(TH_E_TYPE, "kind 0", THTensor_new_scalar(&t, &bad));
    assert_fails(TH_E_ARG, "value is NULL", THTensor_new_scalar(&t, NULL));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_new_scalar(NULL, SCALAR_I(1)));
    assert_ptr_equal(t, untouched);
}

static void test_new_over(void **state) {
    (void)state;
    THStorage *s = NULL;
    THTensor *t = NULL;
    assert_ok(THStorage_new(&s, 10 * 4 + 3)); /* room for 10 elements */
    for (int i = 0; i < 10; i++) ((int32_t *)THStorage_data(s))[i] = i;
    assert_ok(THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2, 3}, (int64_t[]){4, 2}, 2, 1));
    assert_is(t, TH_INT32, 2, 3);
    assert_int_equal(THTensor_is_contiguous(t), 0);
    assert_int_equal(THTensor_offset(t), 1);
    static const int want[] = {1, 3, 5, 5, 7, 9};
    for (int i = 0; i < 6; i++) assert_element(t, i, want[i], 0);
    assert_int_equal(THStorage_refcount(s), 2);
    THTensor_free(t);
    assert_int_equal(THStorage_refcount(s), 1);
    assert_ok(THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2, 4}, NULL, 2, 2)); /* contiguous */
    assert_strides(t, LIST(4, 1));
    assert_int_equal(THTensor_is_contiguous(t), 1);
    assert_element(t, 7, 9, 0);
    THTensor_free(t);
    assert_ok(
        THTensor_new_over(&t, s, TH_INT32, (int64_t[]){1000}, (int64_t[]){0}, 1, 9)); /* elements may share memory */
    assert_element(t, 999, 9, 0);
    THTensor_free(t);
    assert_ok(THTensor_new_over(&t, s, TH_INT32, (int64_t[]){0, 5}, (int64_t[]){99, 99}, 2, 10)); /* empty at the end */
    THTensor_free(t);
    assert_ok(THTensor_new_over(&t, s, TH_INT32, (int64_t[]){1, 2}, (int64_t[]){1 << 30, 1}, 2, 8)); /* does not move */
    assert_int_equal(THTensor_is_contiguous(t), 1);
    THTensor_free(t);
    THStorage_free(s);
}

static void test_new_over_fails(void **state) {
    (void)state;
    THStorage *s = NULL;
    THTensor *t = untouched;
    assert_ok(THStorage_new(&s, 40));
    assert_fails(TH_E_ARG,
                 "THTensor_new_over: got sizes [2, 3] at offset 5, which end outside a storage of 10 elements",
                 THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2, 3}, NULL, 2, 5));
    assert_fails(TH_E_ARG, "outside", THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2}, (int64_t[]){10}, 1, 0));
    assert_fails(TH_E_ARG, "offset -1", THTensor_new_over(&t, s, TH_INT32, (int64_t[]){1}, NULL, 1, -1));
    assert_fails(TH_E_ARG, "offset 11", THTensor_new_over(&t, s, TH_INT32, (int64_t[]){0}, NULL, 1, 11));
    assert_fails(TH_E_ARG, "offset 10", THTensor_new_over(&t, s, TH_INT32, NULL, NULL, 0, 10));
    assert_fails(TH_E_ARG, "got strides [-1], want none below 0",
                 THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2}, (int64_t[]){-1}, 1, 5));
    assert_fails(TH_E_ARG, "beyond memory",
                 THTensor_new_over(&t, s, TH_INT32, (int64_t[]){3}, (int64_t[]){INT64_MAX / 2 + 1}, 1, 0));
    assert_fails(TH_E_ARG, "beyond memory",
                 THTensor_new_over(&t, s, TH_INT32, (int64_t[]){0, 5}, (int64_t[]){1, INT64_MAX / 5}, 2, 0));
    assert_fails(TH_E_ARG, "outside", THTensor_new_over(&t, s, TH_INT32, (int64_t[]){2}, NULL, 1, INT64_MAX));
    assert_fails(TH_E_SHAPE, "2^63",
                 THTensor_new_over(&t, s, TH_INT32, (int64_t[]){INT64_MAX, 2}, (int64_t[]){0, 0}, 2, 0));
    assert_fails(TH_E_ARG, "storage is NULL", THTensor_new_over(&t, NULL, TH_INT32, NULL, NULL, 0, 0));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_new_over(NULL, s, TH_INT32, NULL, NULL, 0, 0));
    assert_int_equal(THStorage_refcount(s), 1);
    THStorage_free(s);
    static int64_t words[4];
    assert_ok(THStorage_new_foreign(&s, (char *)words + 2, 20, TH_CPU, 0, NULL, NULL));
    assert_fails(TH_E_ARG, "got an address that is no multiple of 4, want one for float32",
                 THTensor_new_over(&t, s, TH_FLOAT32, (int64_t[]){1}, NULL, 1, 0));
    assert_ptr_equal(t, untouched);
    assert_ok(THTensor_new_over(&t, s, TH_INT16, (int64_t[]){1}, NULL, 1, 0));
    THTensor_free(t);
    THStorage_free(s);
}

/* Contiguity by hand: sizes of 1 do not count, zero elements always are. */
static void test_is_contiguous(void **state) {
    (void)state;
    static const struct {
        int64_t sizes[3], strides[3];
        int want;
    } cases[] = {{{2, 3, 4}, {12, 4, 1}, 1}, {{2, 3, 4}, {1, 2, 6}, 0},  {{2, 1, 4}, {4, 77, 1}, 1},
                 {{1, 1, 1}, {5, 6, 7}, 1},  {{2, 3, 4}, {16, 4, 1}, 0}, {{2, 3, 1}, {3, 1, 9}, 1},
                 {{2, 0, 4}, {9, 9, 9}, 1},  {{2, 3, 4}, {24, 8, 2}, 0}, {{1, 3, 4}, {0, 4, 1}, 1},
                 {{2, 3, 4}, {0, 4, 1}, 0}};
    THStorage *s = NULL;
    assert_ok(THStorage_new(&s, 100));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        THTensor *t = NULL;
        assert_ok(THTensor_new_over(&t, s, TH_BOOL, cases[i].sizes, cases[i].strides, 3, 0));
        if (THTensor_is_contiguous(t) != cases[i].want) fail_msg("case %d", (int)i);
        THTensor_free(t);
    }
    THStorage_free(s);
}

static void test_describe(void **state) {
    (void)state;
    char text[64], small[6];
    THTensor *t = tensor_empty(TH_FLOAT32, LIST(2, 3));
    assert_int_equal(THTensor_describe(t, text, sizeof text), 13);
    assert_string_equal(text, "float32[2, 3]");
    assert_int_equal(THTensor_describe(t, small, sizeof small), 13);
    assert_string_equal(small, "float");
    assert_int_equal(THTensor_describe(t, NULL, 0), 13);
    assert_int_equal(THTensor_describe(NULL, text, sizeof text), 4);
    assert_string_equal(text, "NULL");
    THTensor_free(t);
    t = tensor_empty(TH_BOOL, NULL, 0);
    assert_int_equal(THTensor_describe(t, text, sizeof text), 6);
    assert_string_equal(text, "bool[]");
    THTensor_free(t);
}

/* Texts with many sizes are cut, not overrun. */
static void test_long_texts(void **state) {
    (void)state;
    int64_t sizes[TH_MAX_DIM];
    THTensor *t = untouched;
    for (int i = 0; i < TH_MAX_DIM; i++) sizes[i] = INT64_MIN;
    assert_fails(TH_E_SHAPE, ", ...], want none below 0", THTensor_new(&t, TH_BOOL, sizes, TH_MAX_DIM));
    assert_ptr_equal(t, untouched);
}

static void test_null(void **state) {
    (void)state;
    assert_null(THTensor_retain(NULL));
    THTensor_free(NULL);
    assert_null(THTensor_sizes(NULL));
    assert_null(THTensor_strides(NULL));
    assert_null(THTensor_data(NULL));
    assert_null(THTensor_storage(NULL));
    assert_int_equal(THTensor_ndim(NULL) + THTensor_numel(NULL) + THTensor_offset(NULL) + THTensor_device(NULL), 0);
    assert_int_equal(THTensor_is_contiguous(NULL) + THTensor_is_number(NULL), 0);
    assert_int_equal(THTensor_dtype(NULL), TH_DTYPE_DEFAULT);
}

static void *hold(void *arg) {
    for (int i = 0; i < 10000; i++) THTensor_free(THTensor_retain(arg));
    THTensor_free(arg);
    return NULL;
}

static void test_shared_by_threads(void **state) {
    (void)state;
    int64_t before = support_allocated();
    THTensor *t = tensor_empty(TH_FLOAT32, LIST(10));
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, hold, THTensor_retain(t));
    THTensor_free(t);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert_int_equal(support_allocated(), before);
}

static void make_each(void *arg) {
    static const double values[2] = {1, 2};
    for (int i = 0; i < 4; i++) {
        THTensor *t = untouched;
        THStatus status = i == 0   ? THTensor_new(&t, TH_FLOAT64, LIST(1000))
                          : i == 1 ? THTensor_new_copy(&t, TH_FLOAT64, LIST(2), values)
                          : i == 2 ? THTensor_new_scalar(&t, SCALAR_I(3))
                                   : THTensor_new_over(&t, arg, TH_BOOL, (int64_t[]){1}, NULL, 1, 0);
        if (status == TH_OK) {
            THTensor_free(t);
        } else {
            assert_int_equal(status, TH_E_MEMORY);
            assert_ptr_equal(t, untouched);
        }
        assert_int_equal(THStorage_refcount(arg), 1);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    THStorage *s = NULL;
    assert_ok(THStorage_new(&s, 1));
    oom_each(make_each, s);
    THStorage_free(s);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_zero_dims_and_sizes),
        cmocka_unit_test(test_new_fails),
        cmocka_unit_test(test_new_copy),
        cmocka_unit_test(test_new_scalar),
        cmocka_unit_test(test_new_over),
        cmocka_unit_test(test_new_over_fails),
        cmocka_unit_test(test_is_contiguous),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_shared_by_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
