/* SPDX-License-Identifier: BSD-3-Clause */
/* Softmax and its gradient against sums in long double. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "THNN/softmax.h"

typedef long double real;

/* Where the rows of t along dim lie: element j of row r has the logical index start(r) + j * inner. */
typedef struct rows {
    int64_t n, inner, count;
} rows;

static rows rows_of(const THTensor *t, int32_t dim) {
    const int32_t ndim = THTensor_ndim(t);
    rows r = {1, 1, THTensor_numel(t)};
    if (ndim == 0) return r;
    if (dim < 0) dim += ndim;
    r.n = THTensor_sizes(t)[dim];
    for (int32_t i = dim + 1; i < ndim; i++) r.inner *= THTensor_sizes(t)[i];
    r.count = r.n ? r.count / r.n : 0;
    return r;
}

static int64_t start_of(const rows *r, int64_t row) { return row / r->inner * r->n * r->inner + row % r->inner; }

/* Halves are computed in float32 and rounded once. */
static real unit(THDtype dtype, real scale) {
    return TH_dtype_size(dtype) == 2
               ? ulp_of(dtype, scale) * 0.51L + 8 * ulp_of(TH_FLOAT32, scale)
               : (dtype == TH_FLOAT64 ? 16 : 4) * ulp_of(dtype, scale); /* double sums of doubles round at every step */
}

static void check_forward(const THTensor *x, int32_t dim, const THTensor *y, const THTensor *log_y) {
    const THDtype dtype = THTensor_dtype(x);
    const rows r = rows_of(x, dim);
    for (int64_t row = 0; row < r.count; row++) {
        const int64_t at = start_of(&r, row);
        real top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < r.n; j++) top = fmaxl(top, element(x, at + j * r.inner));
        for (int64_t j = 0; j < r.n; j++) sum += expl(element(x, at + j * r.inner) - top);
        for (int64_t j = 0; j < r.n; j++) {
            const int64_t i = at + j * r.inner;
            const real below = element(x, i) - top, want = below - logl(sum);
            assert_within(y, i, expl(want), unit(dtype, expl(want)) * (1 + fabsl(below) / 2));
            assert_within(log_y, i, want, unit(dtype, fmaxl(fabsl(want), 1)));
        }
    }
}

static void check_backward(const THTensor *g, const THTensor *y, const THTensor *log_y, int32_t dim, const THTensor *gx,
                           const THTensor *log_gx) {
    const THDtype dtype = THTensor_dtype(g);
    const rows r = rows_of(g, dim);
    for (int64_t row = 0; row < r.count; row++) {
        const int64_t at = start_of(&r, row);
        real dot = 0, sum = 0, dot_size = 0, sum_size = 0;
        int64_t top = at; /* gradients count from that of the largest y, so that a rounded sum of y has no part */
        for (int64_t j = 1; j < r.n; j++) {
            if (element(y, at + j * r.inner) > element(y, top)) top = at + j * r.inner;
        }
        const real pivot = element(g, top);
        for (int64_t j = 0; j < r.n; j++) {
            const int64_t i = at + j * r.inner;
            dot += (element(g, i) - pivot) * element(y, i);
            dot_size += fabsl((element(g, i) - pivot) * element(y, i));
            sum += element(g, i);
            sum_size += fabsl(element(g, i));
        }
        for (int64_t j = 0; j < r.n; j++) {
            const int64_t i = at + j * r.inner;
            const real p = element(y, i), q = expl(element(log_y, i)), d = element(g, i);
            assert_within(gx, i, p * (d - pivot - dot), unit(dtype, p * (fabsl(d - pivot) + dot_size)));
            assert_within(log_gx, i, d - q * sum, unit(dtype, fabsl(d) + 2 * q * sum_size));
        }
    }
}

static void check_all(const THTensor *x, const THTensor *g, int32_t dim) {
    THTensor *y = NULL, *log_y = NULL, *gx = NULL, *log_gx = NULL;
    assert_ok(THNN_softmax(&y, x, dim));
    assert_ok(THNN_log_softmax(&log_y, x, dim));
    check_forward(x, dim, y, log_y);
    assert_ok(THNN_softmax_backward(&gx, g, y, dim));
    assert_ok(THNN_log_softmax_backward(&log_gx, g, log_y, dim));
    check_backward(g, y, log_y, dim, gx, log_gx);
    THTensor *const owned[] = {y, log_y, gx, log_gx};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

/* ---- values ---- */

static void check_shapes(void) {
    static const struct {
        int64_t sizes[3];
        int32_t ndim;
    } cases[] = {{{3, 5, 7}, 3}, {{32, 10}, 2},   {{67, 12}, 2}, {{5, 13}, 2}, {{2, 32}, 2},    {{2, 33}, 2},
                 {{3, 100}, 2},  {{2, 3, 65}, 3}, {{1, 1}, 2},   {{1000}, 1},  {{4, 1, 130}, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int d = 0; d < 4; d++) {
            THTensor *x = tensor_random(float_dtypes[d], cases[k].sizes, cases[k].ndim, -8, 8, k);
            THTensor *g = tensor_random(float_dtypes[d], cases[k].sizes, cases[k].ndim, -2, 2, k + 50);
            for (int32_t dim = -1; dim < cases[k].ndim; dim++) check_all(x, g, dim);
            THTensor_free(x);
            THTensor_free(g);
        }
    }
}
static void test_shapes(void **state) { (void)state, on_every_isa(check_shapes); }

static void check_layouts(void) {
    for (int d = 0; d < 4; d++) {
        THTensor *x = tensor_random(float_dtypes[d], LIST(3, 17, 6), -8, 8, 1),
                 *g = tensor_random(float_dtypes[d], LIST(3, 17, 6), -2, 2, 2);
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *xs = tensor_as(x, layout), *gs = tensor_as(g, (layout + 1) % LAYOUT_COUNT);
            for (int32_t dim = 0; dim < 3; dim++) check_all(xs, gs, dim);
            THTensor_free(xs);
            THTensor_free(gs);
        }
        THTensor_free(x);
        THTensor_free(g);
    }
}
static void test_layouts(void **state) { (void)state, on_every_isa(check_layouts); }

static void test_outputs(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(4, 40, 3), -8, 8, 1),
             *g = tensor_random(TH_FLOAT32, LIST(4, 40, 3), -2, 2, 2);
    for (int32_t dim = 0; dim < 3; dim++) {
        THTensor *y = NULL, *gx = NULL;
        assert_ok(THNN_log_softmax(&y, x, dim));
        assert_ok(THNN_log_softmax_backward(&gx, g, y, dim));
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *out = tensor_in_layout(TH_FLOAT32, LIST(4, 40, 3), layout), *place = tensor_as(x, layout);
            assert_ok(THNN_log_softmax(&out, x, dim));
            assert_same(out, y);
            assert_holes(out);
            assert_ok(THNN_log_softmax_backward(&out, g, y, dim));
            assert_same(out, gx);
            assert_holes(out);
            assert_ok(THNN_log_softmax(&place, place, dim));
            assert_same(place, y);
            assert_ok(THNN_log_softmax_backward(&place, g, place, dim));
            assert_same(place, gx);
            THTensor_free(place);
            place = tensor_as(g, layout);
            assert_ok(THNN_log_softmax_backward(&place, place, y, dim));
            assert_same(place, gx);
            THTensor_free(place);
            THTensor_free(out);
        }
        THTensor_free(y);
        THTensor_free(gx);
    }
    THTensor_free(x);
    THTensor_free(g);
}

static void test_empty_and_scalar(void **state) {
    (void)state;
    static const int64_t sizes[3][2] = {{0, 5}, {3, 0}, {0, 0}};
    for (int k = 0; k < 3; k++) {
        THTensor *x = tensor_empty(TH_FLOAT32, sizes[k], 2);
        for (int32_t dim = 0; dim < 2; dim++) {
            THTensor *y = NULL, *gx = NULL;
            assert_ok(THNN_softmax(&y, x, dim));
            assert_ok(THNN_softmax_backward(&gx, x, y, dim));
            assert_is(y, TH_FLOAT32, sizes[k][0], sizes[k][1]);
            assert_is(gx, TH_FLOAT32, sizes[k][0], sizes[k][1]);
            THTensor_free(y);
            THTensor_free(gx);
        }
        THTensor_free(x);
    }
    THTensor *x = tensor_of(TH_FLOAT64, NULL, 0, (double[]){3}), *y = NULL, *log_y = NULL, *gx = NULL;
    assert_ok(THNN_softmax(&y, x, 0));
    assert_element(y, 0, 1, 0);
    assert_ok(THNN_log_softmax(&log_y, x, -1));
    assert_element(log_y, 0, 0, 0);
    assert_ok(THNN_softmax_backward(&gx, x, y, -1));
    assert_element(gx, 0, 0, 0);
    THTensor *const owned[] = {x, y, log_y, gx};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

/* Rows of n, as contiguous rows and as columns (transposed). */
static void each_form(int64_t n, const double *values,
                      void (*body)(const THTensor *y, const THTensor *log_y, int64_t n)) {
    for (int d = 2; d < 4; d++) {
        THTensor *x = tensor_of(float_dtypes[d], (int64_t[]){1, n}, 2, values), *wide = NULL, *across = NULL;
        assert_ok(THTensor_expand(&wide, x, (int64_t[]){3, n}, 2));
        assert_ok(THTensor_transpose(&across, x, 0, 1));
        for (int form = 0; form < 2; form++) {
            THTensor *y = NULL, *log_y = NULL;
            assert_ok(THNN_softmax(&y, form ? wide : across, form));
            assert_ok(THNN_log_softmax(&log_y, form ? wide : across, form));
            body(y, log_y, n);
            THTensor_free(y);
            THTensor_free(log_y);
        }
        THTensor_free(x);
        THTensor_free(wide);
        THTensor_free(across);
    }
}

static void is_nan(const THTensor *y, const THTensor *log_y, int64_t n) {
    for (int64_t i = 0; i < n; i++) assert_true(isnan(element(y, i)) && isnan(element(log_y, i)));
}

static void is_one_hot(const THTensor *y, const THTensor *log_y, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        assert_element(y, i, i == 0, 0);
        assert_element(log_y, i, i == 0 ? 0 : -INFINITY, 0);
    }
}

static void is_even(const THTensor *y, const THTensor *log_y, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        assert_element(y, i, 1 / (real)n, 2);
        assert_element(log_y, i, -logl(n), 2);
    }
}

/* The most likely class's logarithm keeps its digits: log(1 + e^-20 (n - 1)). */
static void is_sure(const THTensor *y, const THTensor *log_y, int64_t n) {
    assert_element(y, 0, 1 / (1 + (real)(n - 1) * expl(-20)), (double)n);
    if (THTensor_dtype(y) == TH_FLOAT32) assert_element(log_y, 0, -log1pl((real)(n - 1) * expl(-20)), 8);
}

static void check_special(void) {
    static double values[100];
    static const int64_t lengths[] = {2, 10, 40, 100};
    for (int k = 0; k < 4; k++) {
        const int64_t n = lengths[k];
        for (int64_t i = 0; i < n; i++) values[i] = -INFINITY;
        each_form(n, values, is_nan);
        values[0] = 5;
        each_form(n, values, is_one_hot);
        values[n - 1] = INFINITY;
        each_form(n, values, is_nan);
        for (int64_t i = 0; i < n; i++) values[i] = 1e8; /* log-sum-exp added to the logits would lose all digits */
        each_form(n, values, is_even);
        for (int64_t i = 0; i < n; i++) values[i] = -1e30;
        each_form(n, values, is_even);
        values[n / 2] = NAN;
        each_form(n, values, is_nan);
        for (int64_t i = 0; i < n; i++) values[i] = i ? -20 : 0;
        each_form(n, values, is_sure);
    }
}
static void test_special(void **state) { (void)state, on_every_isa(check_special); }

/* Millions of terms that are not whole numbers: a sum in float32 would drift. */
static void check_long(void) {
    enum { HALF = 2000000 };
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(2, 2 * HALF)), *row = NULL, *across = NULL;
    const real small = 0.25L, want = -logl(HALF * (1 + expl(-small)));
    for (int64_t i = 0; i < 4 * HALF; i++) ((float *)THTensor_data(x))[i] = (i ^ i >> 1) & 1 ? 0.5f : 0.25f;
    assert_ok(THTensor_view(&across, x, LIST(2 * HALF, 2)));
    assert_ok(THNN_log_softmax(&row, x, 1));
    for (int64_t i = 0; i < 8; i++) assert_element(row, i, element(x, i) == 0.5L ? want : want - small, 1);
    THTensor_free(row);
    row = NULL;
    assert_ok(THNN_log_softmax(&row, across, 0));
    for (int64_t i = 0; i < 8; i++) assert_element(row, i, element(across, i) == 0.5L ? want : want - small, 1);
    THTensor *const owned[] = {x, row, across};
    for (int i = 0; i < 3; i++) THTensor_free(owned[i]);
}
static void test_long(void **state) { (void)state, on_every_isa(check_long); }

static void test_threads(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(70, 31, 19), -5, 5, 2);
    const int32_t before = TH_num_threads();
    for (int32_t dim = 0; dim < 3; dim++) {
        THTensor *y[2] = {NULL, NULL}, *gx[2] = {NULL, NULL};
        for (int32_t n = 0; n < 2; n++) {
            assert_ok(TH_set_num_threads(n + 1));
            assert_ok(THNN_log_softmax(&y[n], x, dim));
            assert_ok(THNN_softmax_backward(&gx[n], x, y[n], dim));
        }
        assert_memory_equal(THTensor_data(y[0]), THTensor_data(y[1]), 70 * 31 * 19 * sizeof(float));
        assert_memory_equal(THTensor_data(gx[0]), THTensor_data(gx[1]), 70 * 31 * 19 * sizeof(float));
        for (int32_t n = 0; n < 2; n++) THTensor_free(y[n]), THTensor_free(gx[n]);
    }
    assert_ok(TH_set_num_threads(before));
    THTensor_free(x);
}

/* ---- bad input ---- */

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -1, 1, 1),
             *row = tensor_random(TH_FLOAT32, LIST(1, 3), -1, 1, 1);
    THTensor *wide = tensor_random(TH_FLOAT64, LIST(2, 3), -1, 1, 1),
             *whole = tensor_random(TH_INT64, LIST(2, 3), -9, 9, 1), *out = NULL;
    assert_fails(TH_E_ARG, "THNN_softmax: x is NULL", THNN_softmax(&out, NULL, 0));
    assert_fails(TH_E_ARG, "THNN_softmax: out is NULL", THNN_softmax(NULL, x, 0));
    assert_fails(TH_E_INDEX, "THNN_softmax: got dim 2 for a tensor of 2 dimensions, want -2 to 1",
                 THNN_softmax(&out, x, 2));
    assert_fails(TH_E_INDEX, "THNN_log_softmax: got dim -3", THNN_log_softmax(&out, x, -3));
    assert_fails(TH_E_TYPE, "THNN_log_softmax: got x of dtype int64", THNN_log_softmax(&out, whole, 0));
    assert_fails(TH_E_TYPE, "THNN_softmax: got out", THNN_softmax(&wide, x, 0));
    assert_fails(TH_E_SHAPE, "THNN_softmax: got out", THNN_softmax(&row, x, 0));
    assert_fails(TH_E_ARG, "THNN_softmax_backward: grad is NULL", THNN_softmax_backward(&out, NULL, x, 0));
    assert_fails(TH_E_TYPE, "THNN_softmax_backward: got grad of dtype float64",
                 THNN_softmax_backward(&out, wide, x, 0));
    assert_fails(TH_E_SHAPE, "THNN_log_softmax_backward: got grad of sizes [1, 3], want [2, 3]",
                 THNN_log_softmax_backward(&out, row, x, 0));
    assert_null(out);
    THTensor *const owned[] = {x, row, wide, whole};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

typedef struct memory_case {
    const THTensor *x, *g;
    THTensor *given;
} memory_case;

static void without_memory(void *arg) {
    const memory_case *c = arg;
    THTensor *y = NULL, *given = c->given;
    THStatus status = THNN_softmax_backward(&y, c->g, c->x, 0);
    assert_true(status == TH_OK ? y != NULL : status == TH_E_MEMORY && !y);
    THTensor_free(y);
    set_element(given, 0, 7);
    status = THNN_softmax(&given, c->x, 0);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && element(given, 0) == 7));
}

static void test_memory(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT16, LIST(3, 40), -1, 1, 1), *g = tensor_as(x, LAYOUT_REVERSED);
    memory_case c = {g, x, tensor_as(x, LAYOUT_GAPS)};
    oom_each(without_memory, &c);
    assert_true(element(c.given, 0) != 7);
    THTensor_free(x);
    THTensor_free(g);
    THTensor_free(c.given);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),           cmocka_unit_test(test_layouts), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_empty_and_scalar), cmocka_unit_test(test_special), cmocka_unit_test(test_long),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_errors),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
