/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of TH/ops/unary.def on every dtype, ISA and layout, against long double. */
#include "support/elementwise.h"
#include "support/oom.h"

#define REF(name, value)                                                                                               \
    static long double ref_##name(long double x) { return value; }
REF(neg, -x)
REF(abs, fabsl(x))
REF(sign, isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0)
REF(square, x *x)
REF(floor, floorl(x))
REF(ceil, ceill(x))
REF(round, fabsl(x - truncl(x)) == 0.5L ? 2 * roundl(x / 2) : roundl(x)) /* half to even */
REF(trunc, truncl(x))
REF(frac, x - truncl(x))
REF(reciprocal, 1 / x)
REF(sqrt, sqrtl(x))
REF(rsqrt, 1 / sqrtl(x))
REF(exp, expl(x))
REF(exp2, exp2l(x))
REF(expm1, expm1l(x))
REF(log, logl(x))
REF(log2, log2l(x))
REF(log10, log10l(x))
REF(log1p, log1pl(x))
REF(sin, sinl(x))
REF(cos, cosl(x))
REF(tan, tanl(x))
REF(asin, asinl(x))
REF(acos, acosl(x))
REF(atan, atanl(x))
REF(sinh, sinhl(x))
REF(cosh, coshl(x))
REF(tanh, tanhl(x))
REF(sech, 1 / coshl(x))
REF(asinh, asinhl(x))
REF(acosh, acoshl(x))
REF(atanh, atanhl(x))
REF(erf, erfl(x))
REF(erfc, erfcl(x))
REF(sigmoid, 1 / (1 + expl(-x)))
REF(softsign, isinf(x) ? copysignl(1, x) : x / (1 + fabsl(x)))
REF(logical_not, x == 0)
REF(isnan, isnan(x) != 0)
REF(isinf, isinf(x) != 0)
REF(isfinite, isfinite(x) != 0)
REF(bitwise_not, -x - 1)

enum { FLOAT, NUMERIC, ROUND, BITS, TEST };

static const struct row {
    const char *name;
    THStatus (*f)(THTensor **out, const THTensor *x);
    long double (*reference)(long double x);
    int class;
    double ulp, lo, hi;
} rows[] = {
#define TH_UNARY(name, class, ulp, lo, hi) {"TH_" #name, TH_##name, ref_##name, class, ulp, lo, hi},
#include "TH/ops/unary.def"
#undef TH_UNARY
};
enum { ROWS = sizeof rows / sizeof *rows };

static int takes(const struct row *r, THDtype dtype) {
    if (r->class == BITS) return !TH_dtype_is_floating(dtype);
    return r->class == FLOAT || r->class == TEST || dtype != TH_BOOL;
}

static THDtype result_of(const struct row *r, THDtype dtype) {
    if (r->class == TEST) return TH_BOOL;
    return r->class == FLOAT && !TH_dtype_is_floating(dtype) ? TH_FLOAT32 : dtype;
}

static long double expected(const struct row *r, THDtype dtype, long double x) {
    if (r->class == BITS && dtype == TH_BOOL) return x == 0;
    return wrapped(result_of(r, dtype), r->reference(x));
}

static void expect(long double *want, const struct row *r, const THTensor *x) {
    for (int64_t i = 0; i < THTensor_numel(x); i++) want[i] = expected(r, THTensor_dtype(x), element(x, i));
}

/* Calls body for every row and every dtype it takes. */
static void each(void (*body)(const struct row *r, THDtype dtype)) {
    for (int k = 0; k < ROWS; k++)
        for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
            if (takes(&rows[k], dtype)) body(&rows[k], dtype);
}

static void check_lengths(const struct row *r, THDtype dtype) {
    for (int64_t n = 0; n <= 70; n++) {
        long double want[70];
        THTensor *x = tensor_random(dtype, &n, 1, r->lo, r->hi, (uint64_t)n), *y = NULL;
        expect(want, r, x);
        assert_ok(r->f(&y, x));
        assert_is(y, result_of(r, dtype), n);
        assert_values(y, want, NULL, r->ulp, r->name);
        THTensor_free(x);
        THTensor_free(y);
    }
}

static void check_layouts(const struct row *r, THDtype dtype) {
    enum { N = 3 * 5 * 7 };
    long double want[N];
    THTensor *plain = tensor_random(dtype, LIST(3, 5, 7), r->lo, r->hi, 1);
    expect(want, r, plain);
    for (int from = 0; from < LAYOUT_COUNT; from++)
        for (int to = 0; to < LAYOUT_COUNT; to++) {
            THTensor *x = tensor_as(plain, from), *y = tensor_in_layout(result_of(r, dtype), LIST(3, 5, 7), to);
            assert_ok(r->f(&y, x));
            assert_values(y, want, NULL, r->ulp, r->name);
            assert_holes(y);
            THTensor_free(y);
            if (result_of(r, dtype) == dtype) { /* in place */
                assert_ok(r->f(&x, x));
                assert_values(x, want, NULL, r->ulp, r->name);
                assert_holes(x);
            }
            THTensor_free(x);
        }
    THTensor_free(plain);
}

static void check_shapes(const struct row *r, THDtype dtype) {
    long double want[12];
    THTensor *scalar = tensor_random(dtype, NULL, 0, r->lo, r->hi, 5), *y = NULL, *row, *wide;
    expect(want, r, scalar);
    assert_ok(r->f(&y, scalar));
    assert_int_equal(THTensor_ndim(y), 0);
    assert_values(y, want, NULL, r->ulp, r->name);
    THTensor_free(y), y = NULL;

    assert_ok(THTensor_expand(&wide, scalar, LIST(3, 4))); /* nothing moves */
    expect(want, r, wide);
    assert_ok(r->f(&y, wide));
    assert_is(y, result_of(r, dtype), 3, 4);
    assert_values(y, want, NULL, r->ulp, r->name);
    THTensor_free(y), y = NULL;
    THTensor_free(wide);

    row = tensor_random(dtype, LIST(3, 1), r->lo, r->hi, 6);
    assert_ok(THTensor_expand(&wide, row, LIST(3, 4)));
    expect(want, r, wide);
    assert_ok(r->f(&y, wide));
    assert_values(y, want, NULL, r->ulp, r->name);
    THTensor_free(y), y = NULL;
    THTensor_free(wide);
    THTensor_free(row);
    THTensor_free(scalar);

    wide = tensor_empty(dtype, LIST(3, 0, 2));
    assert_ok(r->f(&y, wide));
    assert_is(y, result_of(r, dtype), 3, 0, 2);
    THTensor_free(y);
    THTensor_free(wide);
}

/* Signs of zeros count here. Integers get the ends of their range. */
static void check_specials(const struct row *r, THDtype dtype) {
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2.5, -2.5};
    const int floating = TH_dtype_is_floating(dtype);
    const long double top = ldexpl(1, (int)(8 * TH_dtype_size(dtype)) - TH_dtype_is_signed(dtype));
    THTensor *x = tensor_of(dtype, LIST(13), specials), *y = NULL;
    for (int i = 0; i < 13 && !floating; i++) {
        set_element(x, i, dtype == TH_BOOL ? i % 2 : i % 2 ? top - 1 : TH_dtype_is_signed(dtype) ? -top : 0);
        if (fabsl(r->reference(element(x, i))) > 0x1p64L) set_element(x, i, 3); /* too wide for the reference */
    }
    long double want[13];
    expect(want, r, x);
    assert_ok(r->f(&y, x));
    if (floating || r->class != FLOAT) assert_values(y, want, NULL, r->ulp, r->name);
    for (int i = 0; i < 13 && floating && r->class != TEST; i++)
        if (want[i] == 0 && !signbit(want[i]) != !signbit(element(y, i)) && element(y, i) == 0)
            fail_msg("%s(%g) has the wrong sign (%s)", r->name, specials[i], TH_isa());
    THTensor_free(x);
    THTensor_free(y);
}

/* An element's bits may not depend on its place in a run, on strides, or on its neighbours. */
static void check_places(const struct row *r, THDtype dtype) {
    if (dtype != TH_FLOAT32 && dtype != TH_FLOAT64) return;
    THTensor *x = tensor_random(dtype, LIST(150), r->lo, r->hi, 9), *y = NULL;
    assert_ok(r->f(&y, x));
    for (int64_t start = 0; start < 35; start++) {
        THTensor *part, *want, *got = NULL;
        assert_ok(THTensor_narrow(&part, x, 0, start, 71 + start % 3));
        assert_ok(THTensor_narrow(&want, y, 0, start, 71 + start % 3));
        assert_ok(r->f(&got, part));
        assert_same_bits(got, want, r->name);
        THTensor_free(part), THTensor_free(want), THTensor_free(got), got = NULL;
        assert_ok(THTensor_slice(&part, x, 0, start, 150, 1 + start % 4));
        assert_ok(THTensor_slice(&want, y, 0, start, 150, 1 + start % 4));
        assert_ok(r->f(&got, part));
        assert_same_bits(got, want, r->name);
        THTensor_free(part), THTensor_free(want), THTensor_free(got);
    }
    THTensor_free(x);
    THTensor_free(y);
}

/* Where results overflow, become subnormal or 0, or reach 1; tanh of subnormal numbers is exact. */
static void edges(void) {
    enum { N = 3001 };
    static const struct {
        THStatus (*f)(THTensor **out, const THTensor *x);
        long double (*reference)(long double x);
        double lo, hi, ulp;
    } ranges[] = {
        {TH_exp, ref_exp, -105, -87, 4},       {TH_exp, ref_exp, 88, 89, 4},
        {TH_exp, ref_exp, -1e38, 1e38, 4},     {TH_sigmoid, ref_sigmoid, -88, -86, 6},
        {TH_sigmoid, ref_sigmoid, 86, 105, 6}, {TH_sigmoid, ref_sigmoid, -1e38, 1e38, 6},
        {TH_tanh, ref_tanh, 7.5, 9.5, 4},      {TH_tanh, ref_tanh, -1e38, 1e38, 4},
        {TH_tanh, ref_tanh, -1e-41, 1e-41, 0},
    };
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        long double want[N];
        THTensor *x = tensor_random(TH_FLOAT32, LIST(N), ranges[k].lo, ranges[k].hi, k), *y = NULL;
        for (int i = 0; i < N; i++) want[i] = ranges[k].reference(element(x, i));
        assert_ok(ranges[k].f(&y, x));
        assert_values(y, want, NULL, ranges[k].ulp, "edge");
        for (int i = 0; i < N && ranges[k].f == TH_tanh; i++) assert_true(fabsl(element(y, i)) <= 1);
        THTensor_free(x);
        THTensor_free(y);
    }
}

ON_EVERY_ISA(lengths)
ON_EVERY_ISA(layouts)
ON_EVERY_ISA(shapes)
ON_EVERY_ISA(specials)
ON_EVERY_ISA(places)
static void test_edges(void **state) { (void)state, on_every_isa(edges); }

static void test_threads(void **state) {
    (void)state;
    const int32_t before = TH_num_threads();
    for (int k = 0; k < ROWS; k++) {
        THDtype dtype = rows[k].class == BITS ? TH_INT32 : TH_FLOAT32;
        THTensor *x = tensor_random(dtype, LIST(100003), rows[k].lo, rows[k].hi, 3), *y[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            assert_ok(TH_set_num_threads(1 + 2 * i));
            assert_ok(rows[k].f(&y[i], x));
        }
        assert_same_bits(y[0], y[1], rows[k].name);
        for (int64_t i = 0; i < 100003; i += 1009) {
            const long double want = expected(&rows[k], dtype, element(x, i));
            assert_element(y[0], i, want, rows[k].ulp);
        }
        THTensor_free(x), THTensor_free(y[0]), THTensor_free(y[1]);
    }
    assert_ok(TH_set_num_threads(before));
}

/* Results cast into an output of another dtype. */
static void test_output_dtypes(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_INT32, LIST(2), (double[]){4, -9}), *y = tensor_empty(TH_FLOAT64, LIST(2));
    assert_ok(TH_neg(&y, x));
    assert_element(y, 0, -4, 0);
    assert_element(y, 1, 9, 0);
    assert_fails(TH_E_TYPE, "TH_sqrt: got out int32[2], want a dtype that holds float32", TH_sqrt(&x, x));
    assert_element(x, 0, 4, 0);
    THTensor_free(y);
    y = tensor_empty(TH_INT64, LIST(2));
    assert_ok(TH_isnan(&y, x));
    assert_element(y, 0, 0, 0);
    THTensor_free(x);
    THTensor_free(y);
}

static void test_wrapping(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_INT64, LIST(1), (double[]){3037000500}), *y = NULL;
    assert_ok(TH_square(&y, x));
    assert_element(y, 0, 9223372037000250000.0L - 0x1p64L, 0);
    THTensor_free(x);
    THTensor_free(y);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *b = tensor_empty(TH_BOOL, LIST(2)), *f = tensor_random(TH_FLOAT32, LIST(2), 1, 2, 1), *y = NULL, *wide;
    for (int k = 0; k < ROWS; k++) {
        assert_fails(TH_E_ARG, rows[k].name, rows[k].f(&y, NULL));
        assert_fails(TH_E_ARG, "x is NULL", rows[k].f(&y, NULL));
        for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++) {
            THTensor *x = tensor_empty(dtype, LIST(2));
            if (!takes(&rows[k], dtype))
                assert_fails(TH_E_TYPE, rows[k].name, rows[k].f(&y, x));
            else
                assert_fails(TH_E_ARG, "out is NULL", rows[k].f(NULL, x));
            THTensor_free(x);
        }
        assert_null(y);
    }
    assert_fails(TH_E_TYPE, "TH_neg: got bool[2], want a dtype other than bool", TH_neg(&y, b));
    assert_fails(TH_E_TYPE, "TH_bitwise_not: got float32[2], want bool or an integer dtype", TH_bitwise_not(&y, f));
    y = tensor_empty(TH_FLOAT32, LIST(3));
    assert_fails(TH_E_SHAPE, "TH_exp: got out float32[3], want sizes [2]", TH_exp(&y, f));
    THTensor_free(y);
    y = tensor_empty(TH_FLOAT32, LIST(1));
    assert_ok(THTensor_expand(&wide, y, LIST(2)));
    assert_fails(TH_E_ARG, "TH_exp: got out float32[2] whose elements share memory", TH_exp(&wide, f));
    THTensor_free(b), THTensor_free(f), THTensor_free(y), THTensor_free(wide);
}

static void take_memory(void *arg) {
    THTensor *y = NULL;
    THStatus status = TH_exp(&y, arg);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT16, LIST(30, 40), 0, 1, 1);
    oom_each(take_memory, x);
    THTensor_free(x);
}

/* ---- decimals ---- */

static void round_decimals(void) {
    static const struct {
        double x;
        int32_t decimals;
        double want;
    } cases[] = {{1.25, 1, 1.2},
                 {1.75, 1, 1.8},
                 {-1.25, 1, -1.2},
                 {123.456, 2, 123.46},
                 {1250, -2, 1200},
                 {1350, -2, 1400},
                 {49, -2, 0},
                 {-49, -2, -0.0},
                 {2.5, 0, 2},
                 {7, 400, 7},
                 {7, -400, 0},
                 {NAN, 3, NAN},
                 {NAN, -3, NAN},
                 {INFINITY, 3, INFINITY},
                 {-INFINITY, -3, -INFINITY},
                 {INFINITY, -400, INFINITY},
                 {1e4, 30, 1e4},
                 {0.0, -400, 0.0},
                 {-0.0, 2, -0.0}};
    for (int d = 0; d < 4; d++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            THTensor *x = tensor_of(float_dtypes[d], LIST(3), (double[]){cases[k].x, cases[k].x, cases[k].x}),
                     *y = NULL;
            assert_ok(TH_round_decimals(&y, x, cases[k].decimals));
            assert_is(y, float_dtypes[d], 3);
            const int exact = cases[k].decimals < 0 || cases[k].decimals > 2 || fabs(cases[k].x) < 100;
            if (exact || d > 1) assert_element(y, 2, cases[k].want, 0);
            assert_int_equal(!signbit(element(y, 0)) || isnan(element(y, 0)),
                             !signbit(cases[k].want) || isnan(cases[k].want));
            THTensor_free(x), THTensor_free(y);
        }
}
static void test_round_decimals(void **state) {
    (void)state;
    on_every_isa(round_decimals);
    THTensor *x = tensor_of(TH_INT32, LIST(1), (double[]){15}), *b = tensor_of(TH_BOOL, LIST(1), (double[]){1}),
             *y = NULL;
    assert_ok(TH_round_decimals(&y, x, 3));
    assert_element(y, 0, 15, 0);
    assert_fails(TH_E_TYPE, "TH_round_decimals: got int32[1]", TH_round_decimals(&x, x, -1));
    assert_fails(TH_E_TYPE, "TH_round_decimals: got bool[1]", TH_round_decimals(&x, b, 2));
    assert_element(x, 0, 15, 0);
    THTensor_free(x), THTensor_free(b), THTensor_free(y);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_decimals), cmocka_unit_test(test_lengths),  cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_shapes),         cmocka_unit_test(test_specials), cmocka_unit_test(test_places),
        cmocka_unit_test(test_edges),          cmocka_unit_test(test_threads),  cmocka_unit_test(test_output_dtypes),
        cmocka_unit_test(test_wrapping),       cmocka_unit_test(test_errors),   cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
