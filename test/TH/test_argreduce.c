/* SPDX-License-Identifier: BSD-3-Clause */
/* argmax and argmin against a serial search for the first extreme. */
#include "support/check.h"
#include "support/oom.h"
#include "support/reduction.h"
#include "support/tensors.h"

typedef THStatus (*arg_fn)(THTensor **, const THTensor *, int32_t, int32_t);

static int64_t want_first(const long double *v, int64_t n, int largest) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (isnan(v[best])) break;
        if (isnan(v[i]) || (largest ? v[i] > v[best] : v[i] < v[best])) best = i;
    }
    return best;
}

static void check(const THTensor *x, int32_t dim, int keepdim) {
    slices s = slices_of(x, &dim, dim != TH_DIM_ALL);
    for (int largest = 0; largest < 2; largest++) {
        THTensor *got = NULL;
        const arg_fn call = largest ? TH_argmax : TH_argmin;
        if (s.count == 0) {
            assert_fails(TH_E_SHAPE, largest ? "TH_argmax: got x " : "TH_argmin: got x ", call(&got, x, dim, keepdim));
            continue;
        }
        assert_ok(call(&got, x, dim, keepdim));
        support_assert_is(got, TH_INT64, keepdim ? s.sizes : s.kept_sizes, keepdim ? s.ndim : s.kept_ndim, __FILE__,
                          __LINE__);
        for (int64_t o = 0; o < s.outputs; o++)
            assert_int_equal((int64_t)element(got, o), want_first(s.value + o * s.count, s.count, largest));
        THTensor_free(got);
    }
    test_free(s.value);
}

/* Few different values, so that ties abound. */
static void test_all(void **state) {
    (void)state;
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int c = 0; c < REDUCTION_CASES; c++) {
            const reduction_case *k = &reduction_cases[c];
            THTensor *x = tensor_random(dtype, k->sizes, k->ndim, -3, 3, (uint64_t)c + 1);
            for (int64_t i = 0; i < THTensor_numel(x); i++) set_element(x, i, truncl(element(x, i)));
            for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
                THTensor *laid = tensor_as(x, layout);
                for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
                    assert_ok(TH_set_isa(TH_isa_name(isa)));
                    for (int32_t dim = 0; dim < k->ndim; dim++) check(laid, dim, layout & 1);
                    check(laid, TH_DIM_ALL, layout & 1);
                }
                THTensor_free(laid);
            }
            THTensor_free(x);
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* Beyond one block and one piece; the extreme, and a later equal one, at the seams. */
static void test_positions(void **state) {
    (void)state;
    enum { N = 70000 };
    static const int64_t at[] = {0, 1, 31, 32, 4095, 4096, 8191, 50000, 65536, N - 2, N - 1};
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
            assert_ok(TH_set_isa(TH_isa_name(isa)));
            THTensor *x = tensor_empty(dtype, LIST(N)), *column = NULL, *got = NULL;
            memset(THTensor_data(x), 0, (size_t)(N * TH_dtype_size(dtype)));
            assert_ok(THTensor_view(&column, x, LIST(N, 1)));
            for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
                set_element(x, at[i], 1);
                set_element(x, N - 1, 1);
                assert_ok(TH_set_num_threads(1 + (int32_t)i % 2));
                assert_ok(TH_argmax(&got, x, TH_DIM_ALL, 0));
                assert_int_equal(*(int64_t *)THTensor_data(got), at[i]);
                THTensor_free(got), got = NULL;
                assert_ok(TH_argmax(&got, column, 0, 0));
                assert_int_equal(*(int64_t *)THTensor_data(got), at[i]);
                THTensor_free(got), got = NULL;
                set_element(x, at[i], 0);
            }
            THTensor_free(column), THTensor_free(x);
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

static void test_nan(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
            assert_ok(TH_set_isa(TH_isa_name(isa)));
            for (int64_t at = 0; at < 200; at += 31) {
                THTensor *x = tensor_random(dtype, LIST(200, 10), -9, 9, 4), *turned = NULL;
                for (int64_t i = 0; i < 10; i++) set_element(x, (at + i) % 200 * 10 + i, NAN); /* one in each column */
                set_element(x, 1999, NAN);
                assert_ok(THTensor_transpose(&turned, x, 0, 1));
                check(x, 0, 0);
                check(turned, 1, 0);
                check(x, TH_DIM_ALL, 0);
                check(turned, TH_DIM_ALL, 0);
                THTensor_free(turned), THTensor_free(x);
            }
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* A row of -inf has its first element as the largest. */
static void test_infinite_rows(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(3, 50)), *got = NULL;
    for (int64_t i = 0; i < 150; i++) set_element(x, i, -INFINITY);
    assert_ok(TH_argmax(&got, x, 1, 0));
    for (int64_t i = 0; i < 3; i++) assert_element(got, i, 0, 0);
    THTensor_free(got), got = NULL;
    assert_ok(TH_argmax(&got, x, 0, 0));
    for (int64_t i = 0; i < 50; i++) assert_element(got, i, 0, 0);
    THTensor_free(got), THTensor_free(x);
}

static void test_outputs_and_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(3, 5), -9, 9, 2), *out = tensor_empty(TH_FLOAT32, LIST(3)),
             *none = NULL;
    slices s = slices_of(x, (const int32_t[]){1}, 1);
    assert_ok(TH_argmin(&out, x, -1, 0));
    for (int64_t i = 0; i < 3; i++) assert_element(out, i, want_first(s.value + 5 * i, 5, 0), 0);
    test_free(s.value);
    assert_fails(TH_E_SHAPE, "TH_argmax: got out float32[3], want sizes [3, 1]", TH_argmax(&out, x, -1, 1));
    assert_fails(TH_E_INDEX, "TH_argmax: got dim 2", TH_argmax(&none, x, 2, 0));
    assert_fails(TH_E_INDEX, "TH_argmax: got dim -65", TH_argmax(&none, x, -65, 0)); /* one below TH_MAX_DIM's */
    assert_fails(TH_E_INDEX, "TH_argmin: got dim -3", TH_argmin(&none, x, -3, 0));
    assert_fails(TH_E_ARG, "TH_argmin: x is NULL", TH_argmin(&none, NULL, 0, 0));
    assert_fails(TH_E_ARG, "TH_argmin: out is NULL", TH_argmin(NULL, x, 0, 0));
    assert_null(none);
    THTensor_free(out), THTensor_free(x);
}

static void argmax_each(void *arg) {
    THTensor *out = NULL;
    const THStatus status = TH_argmax(&out, arg, TH_DIM_ALL, 0);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(100000), 0, 1, 1);
    oom_each(argmax_each, x);
    THTensor_free(x);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_infinite_rows),
        cmocka_unit_test(test_outputs_and_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
