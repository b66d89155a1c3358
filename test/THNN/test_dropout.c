/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropout: the mask is what TH_bernoulli draws, the kept elements are scaled, the others exactly 0. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "THNN/dropout.h"

typedef long double real;

static THGenerator *seeded(uint64_t seed) {
    THGenerator *g = NULL;
    assert_ok(THGenerator_new(&g, seed));
    return g;
}

static void assert_scaled(const THTensor *y, const THTensor *x, const THTensor *mask, double p) {
    for (int64_t i = 0; i < THTensor_numel(x); i++) {
        if (element(mask, i) != 0) {
            assert_element(y, i, element(x, i) / (1 - (real)p), 1);
        } else {
            assert_element(y, i, 0, 0);
        }
    }
}

/* ---- values ---- */

static void check_values(void) {
    for (int d = 0; d < 4; d++) {
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *dense = tensor_random(float_dtypes[d], LIST(7, 45), -4, 4, 1), *x = tensor_as(dense, layout),
                     *want = NULL;
            THTensor *y = NULL, *mask = NULL, *gx = NULL;
            THGenerator *g = seeded(5), *same = seeded(5);
            assert_ok(THNN_dropout(&y, &mask, x, 0.3, g));
            assert_is(y, float_dtypes[d], 7, 45);
            want = tensor_empty(TH_BOOL, LIST(7, 45));
            assert_ok(TH_bernoulli(want, 1 - 0.3, same));
            assert_same(mask, want);
            assert_scaled(y, x, mask, 0.3);
            assert_ok(THNN_dropout_backward(&gx, dense, mask, 0.3));
            assert_scaled(gx, dense, mask, 0.3);
            THTensor *const owned[] = {dense, x, want, y, mask, gx};
            for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
            THGenerator_free(g);
            THGenerator_free(same);
        }
    }
}
static void test_values(void **state) { (void)state, on_every_isa(check_values); }

/* p = 0 keeps all, p = 1 none; NaN and infinity vanish where they are dropped, and pass where they are kept. */
static void check_ends(void) {
    THTensor *x = tensor_of(TH_FLOAT32, LIST(4), (double[]){NAN, INFINITY, -2, 0}), *y = NULL, *mask = NULL, *gx = NULL;
    assert_ok(THNN_dropout(&y, &mask, x, 0, NULL));
    assert_same(y, x);
    for (int64_t i = 0; i < 4; i++) assert_element(mask, i, 1, 0);
    assert_ok(THNN_dropout_backward(&gx, x, mask, 0));
    assert_same(gx, x);
    assert_ok(THNN_dropout_backward(&gx, x, mask, 1)); /* with p = 1, a mask that keeps is not believed */
    assert_element(gx, 2, 0, 0);
    assert_ok(THNN_dropout(&y, &mask, x, 1, NULL));
    assert_ok(THNN_dropout_backward(&gx, x, mask, 1));
    for (int64_t i = 0; i < 4; i++) {
        assert_element(y, i, 0, 0);
        assert_element(gx, i, 0, 0);
        assert_element(mask, i, 0, 0);
    }
    THTensor *const owned[] = {x, y, mask, gx};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}
static void test_ends(void **state) { (void)state, on_every_isa(check_ends); }

static void test_share(void **state) {
    (void)state;
    const int64_t n = 200000;
    THTensor *x = tensor_random(TH_FLOAT32, &n, 1, 1, 1, 1), *y = NULL, *mask = NULL, *second = NULL;
    THGenerator *g = seeded(1);
    int64_t kept = 0, agree = 0;
    assert_ok(THNN_dropout(&y, &mask, x, 0.8, g));
    assert_ok(THNN_dropout(&y, &second, x, 0.8, g));
    for (int64_t i = 0; i < n; i++) {
        kept += element(mask, i) != 0;
        agree += element(mask, i) == element(second, i);
    }
    /* five standard deviations of a binomial count */
    assert_true(fabs((double)kept - 0.2 * n) < 5 * sqrt(0.2 * 0.8 * n));
    assert_true(fabs((double)agree - 0.68 * n) < 5 * sqrt(0.68 * 0.32 * n));
    THTensor *const owned[] = {x, y, mask, second};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    THGenerator_free(g);
}

/* ---- outputs ---- */

static void test_given_outputs(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(5, 21), -4, 4, 1), *y = NULL, *mask = NULL;
    THGenerator *g = seeded(9);
    assert_ok(THNN_dropout(&y, &mask, x, 0.5, g));
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        THTensor *out = tensor_in_layout(TH_FLOAT32, LIST(5, 21), layout),
                 *kept = tensor_in_layout(TH_BOOL, LIST(5, 21), layout);
        THTensor *place = tensor_as(x, layout);
        THGenerator_seed(g, 9);
        assert_ok(THNN_dropout(&out, &kept, x, 0.5, g));
        assert_same(out, y);
        assert_same(kept, mask);
        assert_holes(out);
        assert_holes(kept);
        THGenerator_seed(g, 9);
        assert_ok(THNN_dropout(&place, &kept, place, 0.5, g));
        assert_same(place, y);
        THTensor_free(place);
        place = tensor_as(x, layout);
        assert_ok(THNN_dropout_backward(&place, place, kept, 0.5));
        assert_same(place, y);
        THTensor *const owned[] = {out, kept, place};
        for (int i = 0; i < 3; i++) THTensor_free(owned[i]);
    }
    THTensor *const owned[] = {x, y, mask};
    for (int i = 0; i < 3; i++) THTensor_free(owned[i]);
    THGenerator_free(g);
}

static void test_empty_and_scalar(void **state) {
    (void)state;
    THTensor *empty = tensor_empty(TH_FLOAT32, LIST(0, 3)), *scalar = tensor_of(TH_FLOAT64, NULL, 0, (double[]){3});
    THTensor *y = NULL, *mask = NULL;
    assert_ok(THNN_dropout(&y, &mask, empty, 0.5, NULL));
    assert_is(y, TH_FLOAT32, 0, 3);
    assert_is(mask, TH_BOOL, 0, 3);
    THTensor_free(y);
    THTensor_free(mask);
    y = mask = NULL;
    assert_ok(THNN_dropout(&y, &mask, scalar, 0.5, NULL));
    assert_scaled(y, scalar, mask, 0.5);
    THTensor *const owned[] = {empty, scalar, y, mask};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

static void test_threads(void **state) {
    (void)state;
    const int64_t n = 300001;
    const int32_t before = TH_num_threads();
    THTensor *x = tensor_random(TH_FLOAT32, &n, 1, -1, 1, 1), *y[2] = {NULL, NULL}, *mask = NULL;
    THGenerator *g = seeded(3);
    for (int32_t k = 0; k < 2; k++) {
        assert_ok(TH_set_num_threads(k + 1));
        THGenerator_seed(g, 3);
        assert_ok(THNN_dropout(&y[k], &mask, x, 0.1, g));
    }
    assert_ok(TH_set_num_threads(before));
    assert_memory_equal(THTensor_data(y[0]), THTensor_data(y[1]), (size_t)n * sizeof(float));
    THTensor *const owned[] = {x, y[0], y[1], mask};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    THGenerator_free(g);
}

/* ---- bad input ---- */

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -1, 1, 1), *row = tensor_random(TH_BOOL, LIST(1, 3), 0, 1, 1);
    THTensor *wide = tensor_random(TH_FLOAT64, LIST(2, 3), -1, 1, 1),
             *whole = tensor_random(TH_INT32, LIST(2, 3), -9, 9, 1);
    THTensor *kept = tensor_random(TH_BOOL, LIST(2, 3), 0, 1, 1), *before = tensor_as(kept, LAYOUT_CONTIGUOUS),
             *out = NULL, *mask = NULL;
    assert_fails(TH_E_ARG, "THNN_dropout: x is NULL", THNN_dropout(&out, &mask, NULL, 0.5, NULL));
    assert_fails(TH_E_ARG, "THNN_dropout: out is NULL", THNN_dropout(NULL, &kept, x, 0.5, NULL));
    assert_fails(TH_E_ARG, "THNN_dropout: mask is NULL", THNN_dropout(&out, NULL, x, 0.5, NULL));
    assert_fails(TH_E_TYPE, "THNN_dropout: got x of dtype int32", THNN_dropout(&out, &mask, whole, 0.5, NULL));
    assert_fails(TH_E_ARG, "THNN_dropout: got p = 1.5, want 0 to 1", THNN_dropout(&out, &mask, x, 1.5, NULL));
    assert_fails(TH_E_ARG, "THNN_dropout: got p = nan", THNN_dropout(&out, &mask, x, NAN, NULL));
    assert_fails(TH_E_TYPE, "THNN_dropout", THNN_dropout(&wide, &kept, x, 0.5, NULL));
    assert_fails(TH_E_TYPE, "THNN_dropout", THNN_dropout(&out, &whole, x, 0.5, NULL));
    assert_fails(TH_E_SHAPE, "THNN_dropout", THNN_dropout(&out, &row, x, 0.5, NULL));
    assert_same(kept, before);
    assert_fails(TH_E_ARG, "THNN_dropout_backward: mask is NULL", THNN_dropout_backward(&out, x, NULL, 0.5));
    assert_fails(TH_E_TYPE, "got mask of dtype int32, want bool", THNN_dropout_backward(&out, x, whole, 0.5));
    assert_fails(TH_E_SHAPE, "got mask of sizes [1, 3], want [2, 3]", THNN_dropout_backward(&out, x, row, 0.5));
    assert_fails(TH_E_ARG, "THNN_dropout_backward: got p = -1", THNN_dropout_backward(&out, x, kept, -1));
    assert_fails(TH_E_ARG, "THNN_dropout_backward: out is NULL", THNN_dropout_backward(NULL, x, kept, 0.5));
    assert_null(out);
    assert_null(mask);
    THTensor *const owned[] = {x, row, wide, whole, kept, before};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

static void without_memory(void *arg) {
    THTensor *y = NULL, *mask = NULL, *gx = NULL;
    THStatus status = THNN_dropout(&y, &mask, arg, 0.5, NULL);
    assert_true(status == TH_OK ? y && mask : status == TH_E_MEMORY && !y && !mask);
    if (mask) {
        status = THNN_dropout_backward(&gx, arg, mask, 0.5);
        assert_true(status == TH_OK ? gx != NULL : status == TH_E_MEMORY && !gx);
    }
    THTensor *const owned[] = {y, mask, gx};
    for (int i = 0; i < 3; i++) THTensor_free(owned[i]);
}

static void test_memory(void **state) {
    (void)state;
    THTensor *dense = tensor_random(TH_FLOAT16, LIST(5, 6), -1, 1, 1), *x = tensor_as(dense, LAYOUT_GAPS);
    oom_each(without_memory, x);
    THTensor_free(dense);
    THTensor_free(x);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_given_outputs),
        cmocka_unit_test(test_empty_and_scalar),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
