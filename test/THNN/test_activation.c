/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations and their gradients against the defining formulas in long double. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "THNN/activation.h"

typedef long double real;

/* ---- references ---- */

static real logistic(real x) { return 1 / (1 + expl(-x)); }
static real phi_integral(real x) { return erfcl(-x / sqrtl(2)) / 2; }
static real gelu_inner(real x) { return sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x); }

static real ref_relu(real x, real p) { return (void)p, x > 0 ? x : 0; }
static real slope_relu(real x, real p) { return (void)p, x > 0 ? 1 : 0; }
static real ref_leaky_relu(real x, real p) { return x > 0 ? x : p * x; }
static real slope_leaky_relu(real x, real p) { return x > 0 ? 1 : p; }
static real ref_gelu(real x, real p) { return (void)p, x * phi_integral(x); }
static real slope_gelu(real x, real p) {
    return (void)p, phi_integral(x) + x * expl(-x * x / 2) / sqrtl(2 * acosl(-1));
}
static real ref_gelu_tanh(real x, real p) { return (void)p, x / 2 * (1 + tanhl(gelu_inner(x))); }
static real slope_gelu_tanh(real x, real p) {
    real t = tanhl(gelu_inner(x)), inner_slope = sqrtl(2 / acosl(-1)) * (1 + 3 * 0.044715L * x * x);
    return (void)p, (1 + t) / 2 + x / 2 * (1 - t * t) * inner_slope;
}
static real ref_silu(real x, real p) { return (void)p, x * logistic(x); }
static real slope_silu(real x, real p) { return (void)p, logistic(x) * (1 + x * (1 - logistic(x))); }
static real ref_elu(real x, real p) { return x > 0 ? x : p * expm1l(x); }
static real slope_elu(real x, real p) { return x > 0 ? 1 : p * expl(x); }
static const double q_used = 4; /* within the samples */
static real ref_softplus(real x, real p) { return p * x > q_used ? x : log1pl(expl(p * x)) / p; }
static real slope_softplus(real x, real p) { return p * x > q_used ? 1 : logistic(p * x); }

typedef struct activation {
    const char *name;
    THStatus (*forward)(THTensor **out, const THTensor *x, double p, double q);
    THStatus (*backward)(THTensor **out, const THTensor *grad, const THTensor *x, double p, double q);
    real (*ref)(real x, real p);
    real (*slope)(real x, real p);
    double ulp;
} activation;

static const activation all[] = {
#define THNN_ACTIVATION(name, ulp) {#name, THNN_##name, THNN_##name##_backward, ref_##name, slope_##name, ulp},
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
};
enum { COUNT = sizeof all / sizeof *all };
static const double p_used = 0.75; /* exact in every dtype, not an identity */

/* Within ulp units of `scale` (at least want), as gates are accurate against 1, not against their own tail. */
static void assert_near(const activation *a, const THTensor *t, int64_t i, real want, real scale) {
    const THDtype dtype = THTensor_dtype(t);
    const double ulp = TH_dtype_size(dtype) == 2 ? 1 : a->ulp + 1;
    const real got = element(t, i);
    if (fabsl(want) > scale) scale = fabsl(want);
    if (fabsl(got - want) <= ulp * ulp_of(dtype, scale)) return;
    fail_msg("%s on %s, %s, element %d: got %.12Lg, want %.12Lg", a->name, TH_isa(), TH_dtype_name(dtype), (int)i, got,
             want);
}

static int is_gate(const activation *a) {
    return a->forward == THNN_gelu || a->forward == THNN_gelu_tanh || a->forward == THNN_softplus;
}

static void check_values(const activation *a, const THTensor *x, const THTensor *grad) {
    THTensor *y = NULL, *g = NULL;
    assert_ok(a->forward(&y, x, p_used, q_used));
    assert_ok(a->backward(&g, grad, x, p_used, q_used));
    assert_int_equal(THTensor_dtype(y), THTensor_dtype(x));
    assert_int_equal(THTensor_numel(y), THTensor_numel(x));
    for (int64_t i = 0; i < THTensor_numel(x); i++) {
        const real v = element(x, i), d = element(grad, i);
        assert_near(a, y, i, a->ref(v, p_used), is_gate(a) ? fabsl(v) : 0);
        assert_near(a, g, i, d * a->slope(v, p_used), fabsl(d) * (1 + fabsl(v)));
    }
    THTensor_free(y);
    THTensor_free(g);
}

/* ---- values ---- */

static void check_all_layouts(void) {
    for (int k = 0; k < COUNT; k++) {
        for (int d = 0; d < 4; d++) {
            THTensor *x = tensor_random(float_dtypes[d], LIST(5, 67), -9, 9, 3),
                     *grad = tensor_random(float_dtypes[d], LIST(5, 67), -2, 2, 4);
            for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
                THTensor *xs = tensor_as(x, layout), *gs = tensor_as(grad, (layout + 1) % LAYOUT_COUNT);
                check_values(&all[k], xs, gs);
                THTensor_free(xs);
                THTensor_free(gs);
            }
            THTensor_free(x);
            THTensor_free(grad);
        }
    }
}
static void test_layouts(void **state) { (void)state, on_every_isa(check_all_layouts); }

/* Every length around the vector widths, from a misaligned start: one value everywhere gives the same bits everywhere.
 */
static void check_positions(void) {
    for (int k = 0; k < COUNT; k++) {
        THTensor *x = tensor_random(TH_FLOAT32, LIST(80), -1.3, -1.3, 1), *one = NULL, *first = NULL;
        assert_ok(THTensor_narrow(&one, x, 0, 0, 1));
        assert_ok(all[k].forward(&first, one, p_used, q_used));
        for (int64_t n = 1; n <= 70; n++) {
            THTensor *part = NULL, *y = NULL;
            assert_ok(THTensor_narrow(&part, x, 0, 1 + n % 5, n));
            assert_ok(all[k].forward(&y, part, p_used, q_used));
            for (int64_t i = 0; i < n; i++) assert_element(y, i, element(first, 0), 0);
            THTensor_free(part);
            THTensor_free(y);
        }
        THTensor_free(x);
        THTensor_free(one);
        THTensor_free(first);
    }
}
static void test_positions(void **state) { (void)state, on_every_isa(check_positions); }

static void check_special(void) {
    const double inf = INFINITY, in[] = {NAN, -inf, inf, 0, -1e-5, -30, 1e4, -1e4};
    for (int d = 2; d < 4; d++) {
        THTensor *x = tensor_of(float_dtypes[d], LIST(8), in),
                 *ones = tensor_of(float_dtypes[d], LIST(8), (double[]){1, 1, 1, 1, 1, 1, 1, 1});
        for (int k = 0; k < COUNT; k++) {
            const activation *a = &all[k];
            THTensor *y = NULL, *g = NULL;
            assert_ok(a->forward(&y, x, 1, q_used));
            assert_ok(a->backward(&g, ones, x, 1, q_used));
            assert_true(isnan(element(y, 0)));
            assert_true(a->forward == THNN_relu || a->forward == THNN_leaky_relu || isnan(element(g, 0)));
            assert_element(y, 2, inf, 0);
            for (int64_t i = 3; i < 8; i++) {
                if (a->forward != THNN_gelu && a->forward != THNN_gelu_tanh)
                    assert_element(y, i, a->ref(element(x, i), 1), a->ulp);
                assert_near(a, g, i, a->slope(element(x, i), 1), 1);
            }
            THTensor_free(y);
            THTensor_free(g);
        }
        THTensor *y = NULL;
        assert_ok(THNN_relu(&y, x, 0, 0));
        assert_element(y, 1, 0, 0);
        assert_ok(THNN_elu(&y, x, 1, 0));
        assert_element(y, 1, -1, 0);
        assert_ok(THNN_softplus(&y, x, 1, 0));
        assert_element(y, 1, 0, 0);
        THTensor_free(y);
        THTensor_free(x);
        THTensor_free(ones);
    }
}
static void test_special(void **state) { (void)state, on_every_isa(check_special); }

/* An infinite gradient stays where it is: it must not leak as NaN from where relu is flat. */
/* ---- tails, where a function is small: relative to its own size ---- */

static real sigma(real x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }
static real gate_of(real x) { return 2 * gelu_inner(x); }
static real gate_slope_of(real x) { return 2 * sqrtl(2 / acosl(-1)) * (1 + 3 * 0.044715L * x * x); }
static real tail_gelu_tanh(real x, real p) { return (void)p, x * sigma(gate_of(x)); }
static real tail_slope_gelu_tanh(real x, real p) {
    return (void)p, sigma(gate_of(x)) * (1 + x * gate_slope_of(x) * sigma(-gate_of(x)));
}
static real tail_silu(real x, real p) { return (void)p, x * sigma(x); }
static real tail_slope_silu(real x, real p) { return (void)p, sigma(x) * (1 + x * sigma(-x)); }
static real tail_softplus(real x, real p) { return log1pl(expl(p * x)) / p; }
static real tail_slope_softplus(real x, real p) { return sigma(p * x); }

/* The error of what is rounded below the normal numbers grows with the factor behind it, at most |x|. */
static void assert_tail(const char *name, const THTensor *y, int64_t i, real want, double ulp, real factor) {
    const THDtype dtype = THTensor_dtype(y);
    const real lowest = ldexpl(1, format_of(dtype).emin), unit = ulp_of(dtype, want);
    real allowed = (TH_dtype_size(dtype) == 2 ? 0.55L : (real)ulp) * unit;
    if (dtype == TH_FLOAT64 && fabsl(want) < 2 * lowest * (1 + fabsl(factor)))
        allowed += 1.5L * fabsl(factor) * ulp_of(dtype, 0);
    if (fabsl(element(y, i) - want) > allowed)
        fail_msg("%s on %s, %s: got %.12Lg, want %.12Lg, off by %.3Lg ulp", name, TH_isa(), TH_dtype_name(dtype),
                 element(y, i), want, fabsl(element(y, i) - want) / unit);
}

static void check_tail(const char *name, const activation *a, THDtype dtype, real lo, real hi, double ulp) {
    enum { N = 500 };
    THTensor *x = tensor_empty(dtype, LIST(N)), *ones = tensor_empty(dtype, LIST(N)), *y = NULL, *g = NULL;
    for (int64_t i = 0; i < N; i++) set_element(x, i, lo + (hi - lo) * (i + 0.5L) / N), set_element(ones, i, 1);
    assert_ok(a->forward(&y, x, 1, q_used));
    assert_ok(a->backward(&g, ones, x, 1, q_used));
    for (int64_t i = 0; i < N; i++) {
        const real e = element(x, i), argument = a->forward == THNN_gelu_tanh ? 3 * fabsl(gate_of(e)) : 0;
        assert_tail(name, y, i, a->ref(e, 1), ulp + (double)argument, e);
        assert_tail(name, g, i, a->slope(e, 1), 2 * ulp + (double)argument, e * e);
    }
    THTensor_free(x), THTensor_free(ones), THTensor_free(y), THTensor_free(g);
}

static void check_tails(void) {
    static const activation tails[] = {
        {"gelu", THNN_gelu, THNN_gelu_backward, ref_gelu, slope_gelu, 5},
        {"gelu_tanh", THNN_gelu_tanh, THNN_gelu_tanh_backward, tail_gelu_tanh, tail_slope_gelu_tanh, 8},
        {"silu", THNN_silu, THNN_silu_backward, tail_silu, tail_slope_silu, 5},
        {"softplus", THNN_softplus, THNN_softplus_backward, tail_softplus, tail_slope_softplus, 5}};
    static const double ends[][2] = {{-15, -40}, {-13, -40}, {-110, -760}, {-105, -750}}; /* in float32, in float64 */
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++)
        for (int d = 0; d < 4; d++) {
            const real end = ends[k][float_dtypes[d] == TH_FLOAT64];
            check_tail(tails[k].name, &tails[k], float_dtypes[d], end, end / 5, tails[k].ulp);
            check_tail(tails[k].name, &tails[k], float_dtypes[d], -8, -2, tails[k].ulp);
        }
}
static void test_tails(void **state) { (void)state, on_every_isa(check_tails); }

/* gelu of -5, -5.5 and -6 to nine digits, by mpmath. */
static void test_gelu_of_six(void **state) {
    (void)state;
    static const double x[] = {-5, -5.5, -6, -10},
                        want[] = {-1.43325786e-6, -1.04442594e-7, -5.91952587e-9, -7.61985302e-23};
    for (int d = 2; d < 4; d++) {
        THTensor *t = tensor_of(float_dtypes[d], LIST(4), x), *y = NULL;
        assert_ok(THNN_gelu(&y, t, 0, 0));
        for (int64_t i = 0; i < 4; i++) assert_true(fabsl(element(y, i) / want[i] - 1) < 1e-6L);
        THTensor_free(t), THTensor_free(y);
    }
}

/* x itself, and gradient 1, where p x > q and not before; infinity for nowhere. */
static void check_softplus_threshold(void) {
    const double next = nextafter(10, 11), in[] = {10, next, 12, 3};
    THTensor *x = tensor_of(TH_FLOAT64, LIST(4), in), *threes = tensor_of(TH_FLOAT64, LIST(4), (double[]){3, 3, 3, 3});
    static const double q[] = {20, INFINITY, 5};
    for (int k = 0; k < 3; k++) {
        THTensor *y = NULL, *g = NULL;
        assert_ok(THNN_softplus(&y, x, 2, q[k]));
        assert_ok(THNN_softplus_backward(&g, threes, x, 2, q[k]));
        for (int64_t i = 0; i < 4; i++) {
            const int linear = 2 * in[i] > q[k];
            const real smooth = log1pl(expl(2 * (real)in[i])) / 2, slope = 3 * logistic(2 * (real)in[i]);
            assert_element(y, i, linear ? in[i] : smooth, linear ? 0 : 2);
            assert_element(g, i, linear ? 3 : slope, linear ? 0 : 2);
            if (!linear) assert_true(element(y, i) > in[i] && element(g, i) < 3);
        }
        THTensor_free(y), THTensor_free(g);
    }
    THTensor_free(x), THTensor_free(threes);
}
static void test_softplus_threshold(void **state) { (void)state, on_every_isa(check_softplus_threshold); }

/* The limits. */
static void check_limits(void) {
    static const double ends[] = {-INFINITY, INFINITY, -1e30, 1e30};
    static const activation gated[] = {{"gelu", THNN_gelu, THNN_gelu_backward, NULL, NULL, 0},
                                       {"gelu_tanh", THNN_gelu_tanh, THNN_gelu_tanh_backward, NULL, NULL, 0},
                                       {"silu", THNN_silu, THNN_silu_backward, NULL, NULL, 0}};
    for (int k = 0; k < 3; k++)
        for (int d = 1; d < 4; d++) {
            THTensor *x = tensor_of(float_dtypes[d], LIST(4), ends), *y = NULL, *g = NULL;
            THTensor *ones = tensor_of(float_dtypes[d], LIST(4), (double[]){1, 1, 1, 1});
            assert_ok(gated[k].forward(&y, x, 0, 0));
            assert_ok(gated[k].backward(&g, ones, x, 0, 0));
            for (int64_t i = 0; i < 4; i++) {
                assert_element(y, i, i % 2 ? element(x, i) : 0, 0);
                assert_element(g, i, i % 2, 0);
            }
            THTensor_free(x), THTensor_free(ones), THTensor_free(y), THTensor_free(g);
        }
}
static void test_limits(void **state) { (void)state, on_every_isa(check_limits); }

static void test_relu_infinite_grad(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_FLOAT32, LIST(3), (double[]){-1, 0, 1}), *out = NULL;
    THTensor *grad = tensor_of(TH_FLOAT32, LIST(3), (double[]){INFINITY, INFINITY, INFINITY});
    assert_ok(THNN_relu_backward(&out, grad, x, 0, 0));
    assert_element(out, 0, 0, 0);
    assert_element(out, 1, 0, 0);
    assert_element(out, 2, INFINITY, 0);
    THTensor_free(x);
    THTensor_free(grad);
    THTensor_free(out);
}

static void check_integers(void) {
    for (THDtype dtype = TH_UINT8; dtype <= TH_INT64; dtype++) {
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *dense = tensor_random(dtype, LIST(3, 41), -100, 100, 5), *x = tensor_as(dense, layout), *y = NULL;
            assert_ok(THNN_relu(&y, x, 0, 0));
            assert_is(y, dtype, 3, 41);
            for (int64_t i = 0; i < 3 * 41; i++) assert_element(y, i, fmaxl(element(x, i), 0), 0);
            THTensor_free(dense);
            THTensor_free(x);
            THTensor_free(y);
        }
    }
}
static void test_integers(void **state) { (void)state, on_every_isa(check_integers); }

/* ---- shapes and outputs ---- */

static void test_shapes(void **state) {
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        THTensor *scalar = tensor_of(TH_FLOAT32, NULL, 0, (double[]){-0.5}),
                 *empty = tensor_empty(TH_FLOAT64, LIST(3, 0, 2));
        THTensor *row = tensor_random(TH_FLOAT32, LIST(1, 33), -3, 3, 1), *expanded = NULL, *y = NULL;
        check_values(&all[k], scalar, scalar);
        check_values(&all[k], empty, empty);
        assert_ok(all[k].forward(&y, empty, p_used, q_used));
        assert_is(y, TH_FLOAT64, 3, 0, 2);
        assert_ok(THTensor_expand(&expanded, row, LIST(7, 33)));
        THTensor *grad = tensor_random(TH_FLOAT32, LIST(7, 33), -3, 3, 2);
        check_values(&all[k], expanded, grad);
        check_values(&all[k], grad, expanded);
        check_values(&all[k], expanded, expanded);
        THTensor *const owned[] = {scalar, empty, row, expanded, y, grad};
        for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
    }
}

static void test_given_outputs(void **state) {
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        THTensor *x = tensor_random(TH_FLOAT32, LIST(6, 35), -4, 4, 8),
                 *grad = tensor_random(TH_FLOAT32, LIST(6, 35), -4, 4, 9);
        THTensor *y = NULL, *g = NULL;
        assert_ok(all[k].forward(&y, x, p_used, q_used));
        assert_ok(all[k].backward(&g, grad, x, p_used, q_used));
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *out = tensor_in_layout(TH_FLOAT32, LIST(6, 35), layout), *place = tensor_as(x, layout);
            const uint64_t version = THStorage_version(THTensor_storage(out));
            assert_ok(all[k].forward(&out, x, p_used, q_used));
            assert_same(out, y);
            assert_holes(out);
            assert_true(THStorage_version(THTensor_storage(out)) > version);
            assert_ok(all[k].backward(&out, grad, x, p_used, q_used));
            assert_same(out, g);
            assert_ok(all[k].backward(&place, grad, place, p_used, q_used)); /* in place of x */
            assert_same(place, g);
            THTensor_free(place);
            place = tensor_as(x, layout);
            assert_ok(all[k].forward(&place, place, p_used, q_used));
            assert_same(place, y);
            THTensor_free(place);
            place = tensor_as(grad, layout);
            assert_ok(all[k].backward(&place, place, x, p_used, q_used)); /* in place of grad */
            assert_same(place, g);
            THTensor_free(place);
            THTensor_free(out);
        }
        THTensor *const owned[] = {x, grad, y, g};
        for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    }
}

static void test_threads(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(300, 401), -5, 5, 2), *y[2] = {NULL, NULL};
    const int32_t before = TH_num_threads();
    for (int32_t n = 0; n < 2; n++) {
        assert_ok(TH_set_num_threads(n + 1));
        assert_ok(THNN_gelu(&y[n], x, 0, 0));
    }
    assert_ok(TH_set_num_threads(before));
    assert_memory_equal(THTensor_data(y[0]), THTensor_data(y[1]), 300 * 401 * sizeof(float));
    THTensor_free(x);
    THTensor_free(y[0]);
    THTensor_free(y[1]);
}

/* ---- bad input ---- */

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -1, 1, 1),
             *row = tensor_random(TH_FLOAT32, LIST(1, 3), -1, 1, 1);
    THTensor *wide = tensor_random(TH_FLOAT64, LIST(2, 3), -1, 1, 1),
             *whole = tensor_random(TH_INT32, LIST(2, 3), -9, 9, 1);
    THTensor *flags = tensor_random(TH_BOOL, LIST(2, 3), 0, 1, 1), *part = NULL, *out = NULL;
    assert_fails(TH_E_ARG, "THNN_gelu: x is NULL", THNN_gelu(&out, NULL, 0, 0));
    assert_fails(TH_E_ARG, "THNN_gelu: out is NULL", THNN_gelu(NULL, x, 0, 0));
    assert_fails(TH_E_TYPE, "THNN_gelu: got x of dtype int32, want a floating dtype", THNN_gelu(&out, whole, 0, 0));
    assert_fails(TH_E_TYPE, "THNN_relu: got x of dtype bool", THNN_relu(&out, flags, 0, 0));
    assert_fails(TH_E_TYPE, "THNN_relu_backward: got x of dtype int32", THNN_relu_backward(&out, whole, whole, 0, 0));
    assert_fails(TH_E_TYPE, "THNN_silu_backward: got grad of dtype float64, want float32",
                 THNN_silu_backward(&out, wide, x, 0, 0));
    assert_fails(TH_E_SHAPE, "THNN_silu_backward: got grad of sizes [1, 3], want [2, 3]",
                 THNN_silu_backward(&out, row, x, 0, 0));
    assert_fails(TH_E_SHAPE, "THNN_silu_backward: got grad of sizes [2, 3], want [1, 3]",
                 THNN_silu_backward(&out, x, row, 0, 0));
    assert_fails(TH_E_ARG, "THNN_softplus: got p = 0, want p > 0", THNN_softplus(&out, x, 0, 0));
    assert_fails(TH_E_ARG, "THNN_softplus_backward: got p = nan", THNN_softplus_backward(&out, x, x, NAN, 0));
    assert_fails(TH_E_TYPE, "THNN_elu: got out of dtype float64, want float32", THNN_elu(&wide, x, 1, 0));
    assert_fails(TH_E_SHAPE, "THNN_elu", THNN_elu(&row, x, 1, 0));
    assert_ok(THTensor_narrow(&part, x, 0, 0, 1));
    THTensor *later = NULL;
    assert_ok(THTensor_as_strided(&later, x, (int64_t[]){1, 3}, (int64_t[]){3, 1}, 2, 1));
    assert_fails(TH_E_ARG, "THNN_elu: got out", THNN_elu(&later, part, 1, 0));
    assert_null(out);
    THTensor *const owned[] = {x, row, wide, whole, flags, part, later};
    for (int i = 0; i < 7; i++) THTensor_free(owned[i]);
}

static void without_memory(void *arg) {
    THTensor *y = NULL, *g = NULL;
    THStatus status = THNN_gelu(&y, arg, 0, 0);
    assert_true(status == TH_OK ? y != NULL : status == TH_E_MEMORY && !y);
    status = THNN_gelu_backward(&g, arg, arg, 0, 0);
    assert_true(status == TH_OK ? g != NULL : status == TH_E_MEMORY && !g);
    THTensor_free(y);
    THTensor_free(g);
}

static void test_memory(void **state) {
    (void)state;
    THTensor *dense = tensor_random(TH_FLOAT16, LIST(20, 30), -1, 1, 1), *x = tensor_as(dense, LAYOUT_GAPS);
    oom_each(without_memory, x);
    THTensor_free(dense);
    THTensor_free(x);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_gelu_of_six),
        cmocka_unit_test(test_softplus_threshold),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_relu_infinite_grad),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_given_outputs),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
