/* SPDX-License-Identifier: BSD-3-Clause */
/* Variances against two passes in long double. */
#include "support/check.h"
#include "support/oom.h"
#include "support/reduction.h"
#include "support/tensors.h"

static long double want_var(const long double *v, int64_t n, double correction) {
    long double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) mean += v[i] / (long double)n;
    for (int64_t i = 0; i < n; i++) squares += (v[i] - mean) * (v[i] - mean);
    return (double)n - correction > 0 ? squares / ((long double)n - correction) : (long double)NAN;
}

static void assert_var(const THTensor *got, const slices *s, double correction, double ulp) {
    for (int64_t o = 0; o < s->outputs; o++)
        assert_element(got, o, want_var(s->value + o * s->count, s->count, correction), ulp);
}

static void check(const THTensor *x, const int32_t *dims, int32_t ndims, double correction, double ulp) {
    slices s = slices_of(x, dims, ndims);
    THTensor *got = NULL;
    assert_ok(TH_var(&got, x, dims, ndims, 0, correction));
    support_assert_is(got, THTensor_dtype(x), s.kept_sizes, s.kept_ndim, __FILE__, __LINE__);
    assert_var(got, &s, correction, ulp);
    test_free(s.value);
    THTensor_free(got);
}

static void test_all(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int c = 0; c < REDUCTION_CASES; c++) {
            const reduction_case *k = &reduction_cases[c];
            THTensor *x = tensor_random(dtype, k->sizes, k->ndim, -3, 3, (uint64_t)c + 1);
            for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
                THTensor *laid = tensor_as(x, layout);
                for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
                    assert_ok(TH_set_isa(TH_isa_name(isa)));
                    check(laid, k->dims, k->ndims, layout % 3, dtype == TH_FLOAT64 ? 16 : 0.51);
                }
                THTensor_free(laid);
            }
            THTensor_free(x);
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* A mean that is large beside the deviation: one pass over squares would leave nothing. */
static void test_large_mean(void **state) {
    (void)state;
    const double ulp = 1e8; /* of 2^53: the means, near 1e8, are rounded to 1e-8 */
    static const int64_t shapes[][2] = {{1, 50000}, {50000, 1}, {5000, 20}, {20, 5000}, {100000, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int32_t dim = 0; dim < 2; dim++) {
            THTensor *x = tensor_empty(TH_FLOAT64, shapes[i], 2), *turned = NULL;
            uint64_t seed = 3;
            for (int64_t k = 0; k < THTensor_numel(x); k++)
                set_element(x, k, 1e8 + (double)(random_bits(&seed) % 2048) / 1024);
            check(x, &dim, 1, 1, ulp);
            assert_ok(THTensor_transpose(&turned, x, 0, 1));
            check(turned, (const int32_t[]){!dim}, 1, 0, ulp);
            check(turned, NULL, 0, 0, ulp);
            THTensor_free(turned), THTensor_free(x);
        }
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(30000)), *got = NULL;
    for (int64_t k = 0; k < 30000; k++) set_element(x, k, 16777216 + 2 * (k % 2));
    assert_ok(TH_var(&got, x, NULL, 0, 0, 0));
    assert_element(got, 0, 1, 0);
    THTensor_free(got), THTensor_free(x);
}

/* Constants have variance 0 exactly, in every layout. */
static void test_constants(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int32_t dim = -1; dim < 2; dim++) {
            THTensor *x = tensor_empty(dtype, LIST(3000, 11)), *got = NULL;
            for (int64_t k = 0; k < 33000; k++) set_element(x, k, 1234.1L);
            assert_ok(TH_var(&got, x, &dim, dim >= 0, 0, 0));
            for (int64_t o = 0; o < THTensor_numel(got); o++) assert_element(got, o, 0, 0);
            THTensor_free(got), THTensor_free(x);
        }
}

/* Squares that float16 cannot hold. */
static void test_small_halves(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT16, LIST(64)), *out = tensor_empty(TH_FLOAT32, NULL, 0);
    for (int64_t k = 0; k < 64; k++) set_element(x, k, (k % 2 ? 1 : -1) * 0x1p-13L);
    assert_ok(TH_var(&out, x, NULL, 0, 0, 0));
    assert_element(out, 0, 0x1p-26L, 0);
    THTensor_free(x), THTensor_free(out);
}

static void test_special(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(5), 0, 1, 1), *got = NULL;
    for (int more = 0; more < 2; more++) { /* no degrees of freedom: the sum over 0 */
        assert_ok(TH_var(&got, x, NULL, 0, 0, 5 + more));
        assert_true(isinf(element(got, 0)) && element(got, 0) > 0);
        THTensor_free(got), got = NULL;
    }
    THTensor *one = tensor_of(TH_FLOAT32, LIST(1), (double[]){3}), *none = tensor_empty(TH_FLOAT32, LIST(0));
    assert_ok(TH_var(&got, one, NULL, 0, 0, 1));
    assert_true(isnan(element(got, 0)));
    assert_ok(TH_var(&got, none, NULL, 0, 0, 0));
    assert_true(isnan(element(got, 0)));
    THTensor_free(got), got = NULL;
    THTensor_free(one), THTensor_free(none);
    set_element(x, 3, INFINITY);
    assert_ok(TH_var(&got, x, NULL, 0, 0, 1));
    assert_true(isnan(element(got, 0)));
    THTensor_free(got), THTensor_free(x);
}

static void test_same_bits(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 200000}, {100000, 3}, {300, 1000}, {20000, 16}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int32_t dim = -1; dim < 2; dim++) {
            THTensor *x = tensor_random(TH_FLOAT64, shapes[i], 2, -1, 1, 11), *one = NULL, *other = NULL;
            assert_ok(TH_set_num_threads(1));
            assert_ok(TH_var(&one, x, &dim, dim >= 0, 0, 1));
            for (int32_t k = 0; k < 2 * TH_isa_count(); k++) {
                assert_ok(TH_set_num_threads(1 + k % 2));
                assert_ok(TH_set_isa(TH_isa_name(k / 2)));
                assert_ok(TH_var(&other, x, &dim, dim >= 0, 0, 1));
                assert_memory_equal(THTensor_data(one), THTensor_data(other), (size_t)THTensor_numel(one) * 8);
            }
            THTensor_free(one), THTensor_free(other), THTensor_free(x);
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_INT32, LIST(2, 3), -9, 9, 1), *out = NULL;
    assert_fails(TH_E_TYPE, "TH_var: got x int32[2, 3], want a floating dtype", TH_var(&out, x, NULL, 0, 0, 1));
    assert_fails(TH_E_ARG, "TH_var: out is NULL", TH_var(NULL, x, NULL, 0, 0, 1));
    assert_fails(TH_E_ARG, "TH_var: x is NULL", TH_var(&out, NULL, NULL, 0, 0, 1));
    assert_fails(TH_E_INDEX, "TH_var: got dim 5", TH_var(&out, x, DIMS(5), 0, 1));
    assert_null(out);
    THTensor_free(x);
}

static void var_each(void *arg) {
    THTensor *out = NULL;
    const THStatus status = TH_var(&out, arg, NULL, 0, 0, 1);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(100000), 0, 1, 1);
    oom_each(var_each, x);
    THTensor_free(x);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),          cmocka_unit_test(test_large_mean),    cmocka_unit_test(test_constants),
        cmocka_unit_test(test_small_halves), cmocka_unit_test(test_special),       cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
