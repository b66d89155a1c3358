/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/elementwise.h"
#include "support/oom.h"

static void fill(void) {
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *t = tensor_in_layout(dtype, LIST(3, 5, 7), layout);
            assert_ok(TH_fill(t, SCALAR_I(3)));
            for (int64_t i = 0; i < 105; i++) assert_element(t, i, dtype == TH_BOOL ? 1 : 3, 0);
            assert_holes(t);
            assert_ok(TH_fill(t, SCALAR_F(0.0)));
            assert_element(t, 104, 0, 0);
            THTensor_free(t);
        }
}
static void test_fill(void **state) { (void)state, on_every_isa(fill); }

/* As casts do it. */
static void test_fill_casts(void **state) {
    (void)state;
    static const struct {
        THDtype dtype;
        double value, want;
    } rows[] = {
        {TH_UINT8, -0.9, 0},     {TH_UINT8, 255.9, 255}, {TH_INT8, -128.9, -128},        {TH_INT32, -2.9, -2},
        {TH_BOOL, 0.1, 1},       {TH_BOOL, NAN, 1},      {TH_FLOAT16, 65520, INFINITY},  {TH_FLOAT16, 65519, 65504},
        {TH_FLOAT32, 0.1, 0.1f}, {TH_FLOAT64, 0.1, 0.1}, {TH_BFLOAT16, 1.00390625, 1.0}, {TH_FLOAT16, NAN, NAN}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        THTensor *t = tensor_empty(rows[k].dtype, LIST(2));
        assert_ok(TH_fill(t, SCALAR_F(rows[k].value)));
        assert_element(t, 1, rows[k].want, 0);
        THTensor_free(t);
    }
    THTensor *t = tensor_empty(TH_INT64, NULL, 0);
    assert_ok(TH_fill(t, SCALAR_I(INT64_MAX)));
    assert_true(*(int64_t *)THTensor_data(t) == INT64_MAX);
    THTensor_free(t);
}

static void test_full(void **state) {
    (void)state;
    THTensor *t = NULL;
    const THScalar *values[] = {SCALAR_B(1), SCALAR_I(1), SCALAR_F(1)};
    const THDtype wanted[] = {TH_BOOL, TH_INT64, TH_FLOAT32};
    for (int k = 0; k < 3; k++) {
        assert_ok(TH_full(&t, LIST(2, 3), values[k], TH_DTYPE_DEFAULT));
        assert_is(t, wanted[k], 2, 3);
        assert_element(t, 5, 1, 0);
        THTensor_free(t), t = NULL;
    }
    assert_ok(TH_full(&t, LIST(2, 0), SCALAR_F(1), TH_INT8));
    assert_is(t, TH_INT8, 2, 0);
    THTensor_free(t), t = NULL;
    assert_ok(TH_full(&t, LIST(100003), SCALAR_F(1.5), TH_FLOAT64)); /* more than one thread's share */
    for (int64_t i = 0; i < 100003; i++) assert_true(((double *)THTensor_data(t))[i] == 1.5);
    THTensor_free(t);
}

/* The values of arange against start + i step in long double, for the dtype. */
static void check_arange(const THScalar *start, const THScalar *end, const THScalar *step, THDtype dtype, THDtype want,
                         int64_t n) {
    THTensor *t = NULL;
    assert_ok(TH_arange(&t, start, end, step, dtype));
    assert_is(t, want, n);
    const long double a = start->kind == TH_SCALAR_FLOAT ? (long double)start->v.d : (long double)start->v.i;
    const long double d = step->kind == TH_SCALAR_FLOAT ? (long double)step->v.d : (long double)step->v.i;
    for (int64_t i = 0; i < n; i++) {
        const long double x = a + (long double)i * d;
        assert_element(t, i, TH_dtype_is_floating(want) ? x : truncl(x), want == TH_FLOAT64 ? 2 : 0.51);
    }
    THTensor_free(t);
}

static void test_arange(void **state) {
    (void)state;
    check_arange(SCALAR_I(0), SCALAR_I(5), SCALAR_I(1), TH_DTYPE_DEFAULT, TH_INT64, 5);
    check_arange(SCALAR_I(0), SCALAR_I(5), SCALAR_I(2), TH_DTYPE_DEFAULT, TH_INT64, 3);
    check_arange(SCALAR_I(5), SCALAR_I(0), SCALAR_I(-2), TH_INT8, TH_INT8, 3);
    check_arange(SCALAR_I(3), SCALAR_I(3), SCALAR_I(1), TH_DTYPE_DEFAULT, TH_INT64, 0);
    check_arange(SCALAR_I(0), SCALAR_I(1000), SCALAR_I(1), TH_FLOAT32, TH_FLOAT32, 1000);
    check_arange(SCALAR_I(INT64_MAX - 3), SCALAR_I(INT64_MAX), SCALAR_I(2), TH_INT64, TH_INT64, 2);
    check_arange(SCALAR_I(INT64_MIN), SCALAR_I(INT64_MAX), SCALAR_I(INT64_MAX), TH_INT64, TH_INT64, 3);
    check_arange(SCALAR_F(0), SCALAR_F(1), SCALAR_F(0.25), TH_DTYPE_DEFAULT, TH_FLOAT32, 4);
    check_arange(SCALAR_F(0), SCALAR_I(1), SCALAR_F(0.1), TH_FLOAT64, TH_FLOAT64, 10);
    check_arange(SCALAR_F(1), SCALAR_F(-1), SCALAR_F(-0.3), TH_FLOAT16, TH_FLOAT16, 7);
    check_arange(SCALAR_F(-2.5), SCALAR_F(3), SCALAR_F(1), TH_INT32, TH_INT32, 6);
    check_arange(SCALAR_I(0), SCALAR_I(16777226), SCALAR_I(8388609), TH_FLOAT32, TH_FLOAT32, 3);
    check_arange(SCALAR_I(0), SCALAR_I(256), SCALAR_I(1), TH_UINT8, TH_UINT8, 256);
    check_arange(SCALAR_F(0), SCALAR_I(5), SCALAR_F(1.5), TH_INT64, TH_INT64, 4);
    check_arange(SCALAR_I(0), SCALAR_I(70001), SCALAR_I(1), TH_INT32, TH_INT32, 70001);
}

/* Every number of every function that takes one, missing and of a kind that there is not. */
static void test_faulty_numbers(void **state) {
    (void)state;
    THTensor *t = NULL, *x = NULL;
    const THScalar unknown = {.kind = 9};
    const THScalar *const good = SCALAR_I(1), *const faulty[] = {NULL, &unknown};
    const int64_t sizes[] = {2, 2}, corner[] = {0, 0};
    assert_ok(TH_full(&x, sizes, 2, good, TH_FLOAT32));
    for (int k = 0; k < 2; k++) {
        const THScalar *bad = faulty[k];
        const THStatus status = k ? TH_E_TYPE : TH_E_ARG;
        assert_fails(status, "start", TH_arange(&t, bad, good, good, TH_DTYPE_DEFAULT));
        assert_fails(status, "end", TH_arange(&t, good, bad, good, TH_DTYPE_DEFAULT));
        assert_fails(status, "step", TH_arange(&t, good, good, bad, TH_DTYPE_DEFAULT));
        assert_fails(status, "start", TH_linspace(&t, bad, good, 3, TH_DTYPE_DEFAULT));
        assert_fails(status, "end", TH_linspace(&t, good, bad, 3, TH_DTYPE_DEFAULT));
        assert_fails(status, "value", TH_full(&t, sizes, 2, bad, TH_DTYPE_DEFAULT));
        assert_fails(status, "value", TH_fill(x, bad));
        assert_fails(status, "value", THTensor_set(x, corner, bad));
    }
    /* where NULL is 1 */
    assert_fails(TH_E_TYPE, "alpha", TH_add(&t, x, x, &unknown));
    assert_fails(TH_E_TYPE, "alpha", TH_sub(&t, x, x, &unknown));
    assert_fails(TH_E_TYPE, "value", TH_addcmul(&t, x, x, x, &unknown));
    assert_fails(TH_E_TYPE, "value", TH_addcdiv(&t, x, x, x, &unknown));
    assert_fails(TH_E_TYPE, "beta", TH_addmm(&t, x, x, x, &unknown, NULL));
    assert_fails(TH_E_TYPE, "alpha", TH_addmm(&t, x, x, x, NULL, &unknown));
    assert_null(t);
    assert_element(x, 0, 1, 0);
    THTensor_free(x);
}

static void test_arange_errors(void **state) {
    (void)state;
    THTensor *t = NULL;
    const char *text = "TH_arange: got";
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_I(0), SCALAR_I(5), SCALAR_I(0), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(0), SCALAR_F(0), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_I(0), SCALAR_I(5), SCALAR_I(-1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(0.5), SCALAR_F(-1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0.5), SCALAR_F(0), SCALAR_F(1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(NAN), SCALAR_F(1), SCALAR_F(1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(INFINITY), SCALAR_F(1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(1), SCALAR_F(NAN), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(1e300), SCALAR_F(1e-300), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, "step is NULL", TH_arange(&t, SCALAR_I(0), SCALAR_I(5), NULL, TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, "out is NULL", TH_arange(NULL, SCALAR_I(0), SCALAR_I(5), SCALAR_I(1), TH_DTYPE_DEFAULT));
    assert_fails(TH_E_TYPE, "got dtype 10", TH_arange(&t, SCALAR_I(0), SCALAR_I(5), SCALAR_I(1), TH_DTYPE_COUNT));
    assert_null(t);
}

static void test_linspace(void **state) {
    (void)state;
    static const struct { double start, end; } ranges[] = {{0, 1}, {-3, 7.1}, {1, 0}, {2, 2}, {1e-3, 1e3}, {0.1, 0.7}};
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int k = 0; k < 6; k++)
            for (int64_t n = 0; n < 40; n++) {
                const long double a = ranges[k].start, b = ranges[k].end;
                THTensor *t = NULL;
                assert_ok(TH_linspace(&t, SCALAR_F(ranges[k].start), SCALAR_F(ranges[k].end), n, dtype));
                assert_is(t, dtype, n);
                for (int64_t i = 0; i < n; i++) { /* the inner ones within 2 ulp of the larger end, in float64 */
                    const long double want = n > 1 ? a + (b - a) * (long double)i / (long double)(n - 1) : a;
                    const long double slack =
                        ulp_of(dtype, want) * 0.51L + 2 * ulp_of(TH_FLOAT64, fmaxl(fabsl(a), fabsl(b)));
                    assert_true(fabsl(element(t, i) - want) <= slack);
                }
                if (n > 0) assert_element(t, 0, a, 0);
                if (n > 1) assert_element(t, n - 1, b, 0);
                THTensor_free(t);
            }
    THTensor *t = NULL;
    assert_ok(TH_linspace(&t, SCALAR_I(0), SCALAR_I(10), 5, TH_INT32));
    for (int i = 0; i < 5; i++) assert_element(t, i, (int)(2.5 * i), 0);
    THTensor_free(t), t = NULL;
    assert_ok(TH_linspace(&t, SCALAR_F(-1.5e308), SCALAR_F(1.5e308), 3, TH_FLOAT64)); /* their difference overflows */
    assert_element(t, 0, -1.5e308, 0);
    assert_element(t, 2, 1.5e308, 0);
    assert_true(isfinite(element(t, 1)));
    THTensor_free(t), t = NULL;
    assert_fails(TH_E_ARG, "TH_linspace: got", TH_linspace(&t, SCALAR_F(0), SCALAR_F(1), -1, TH_FLOAT32));
    assert_fails(TH_E_ARG, "TH_linspace: got", TH_linspace(&t, SCALAR_F(0), SCALAR_F(INFINITY), 3, TH_FLOAT32));
    assert_fails(TH_E_ARG, "end is NULL", TH_linspace(&t, SCALAR_F(0), NULL, 3, TH_FLOAT32));
}

/* Between integers without rounding, so that whole values are hit; toward zero elsewhere. */
static void test_linspace_of_integers(void **state) {
    (void)state;
    static const struct {
        int64_t start, end, steps;
    } rows[] = {{0, 10, 4}, {-10, 0, 4},      {-7, 7, 4}, {0, 127, 1000}, {100, -100, 7},
                {3, 3, 5},  {-128, 127, 256}, {7, 9, 1},  {0, 49, 50}};
    for (THDtype dtype = TH_INT8; dtype <= TH_INT64; dtype++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const int64_t a = rows[k].start, b = rows[k].end, gaps = rows[k].steps > 1 ? rows[k].steps - 1 : 1;
            THTensor *t = NULL;
            assert_ok(TH_linspace(&t, SCALAR_I(a), SCALAR_I(b), rows[k].steps, dtype));
            assert_is(t, dtype, rows[k].steps);
            for (int64_t i = 0; i < rows[k].steps; i++) assert_element(t, i, (a * (gaps - i) + b * i) / gaps, 0);
            THTensor_free(t);
        }
    THTensor *t = NULL;
    assert_ok(TH_linspace(&t, SCALAR_I(INT64_MIN), SCALAR_I(INT64_MAX), 3, TH_INT64));
    assert_element(t, 0, (long double)INT64_MIN, 0), assert_element(t, 1, 0, 0);
    assert_element(t, 2, (long double)INT64_MAX, 0);
    THTensor_free(t), t = NULL;
    assert_ok(TH_linspace(&t, SCALAR_F(-1.5), SCALAR_F(1.5), 3, TH_INT32));
    assert_element(t, 0, -1, 0), assert_element(t, 2, 1, 0);
    THTensor_free(t);
}

/* A first or last value that the dtype does not hold, and numbers of steps that nothing holds. */
static void test_sequences_out_of_range(void **state) {
    (void)state;
    THTensor *t = NULL;
    const char *text = "want a number that uint8 holds, 0 to 255";
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_I(0), SCALAR_I(257), SCALAR_I(1), TH_UINT8));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_I(-1), SCALAR_I(5), SCALAR_I(1), TH_UINT8));
    assert_fails(TH_E_ARG, text, TH_arange(&t, SCALAR_F(0), SCALAR_F(300), SCALAR_F(0.5), TH_UINT8));
    assert_fails(TH_E_ARG, "int64", TH_arange(&t, SCALAR_F(0), SCALAR_F(1e20), SCALAR_F(1e19), TH_INT64));
    assert_fails(TH_E_ARG, text, TH_linspace(&t, SCALAR_I(0), SCALAR_I(256), 3, TH_UINT8));
    assert_fails(TH_E_ARG, text, TH_linspace(&t, SCALAR_F(-1), SCALAR_F(6), 3, TH_UINT8));
    assert_ok(TH_arange(&t, SCALAR_I(300), SCALAR_I(300), SCALAR_I(1), TH_UINT8));
    assert_is(t, TH_UINT8, 0);
    THTensor_free(t), t = NULL;
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++) {
        const THStatus status = TH_linspace(&t, SCALAR_I(0), SCALAR_I(1), INT64_MAX, dtype);
        assert_true(status == TH_E_SHAPE || status == TH_E_MEMORY);
    }
    assert_null(t);
}

static void test_eye(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{3, 3}, {2, 5}, {5, 2}, {0, 3}, {1, 1}};
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 5; k++) {
            THTensor *t = NULL;
            assert_ok(TH_eye(&t, sizes[k][0], sizes[k][1], dtype));
            assert_is(t, dtype, sizes[k][0], sizes[k][1]);
            for (int64_t i = 0; i < THTensor_numel(t); i++) assert_element(t, i, i / sizes[k][1] == i % sizes[k][1], 0);
            THTensor_free(t);
        }
    THTensor *t = NULL;
    assert_fails(TH_E_SHAPE, "TH_eye", TH_eye(&t, -1, 2, TH_FLOAT32));
    assert_fails(TH_E_ARG, "TH_eye: out is NULL", TH_eye(NULL, 1, 2, TH_FLOAT32));
}

static void test_errors(void **state) {
    (void)state;
    THTensor *t = tensor_of(TH_FLOAT32, LIST(1), (double[]){5}), *wide, *n = NULL;
    assert_ok(THTensor_expand(&wide, t, LIST(4)));
    assert_fails(TH_E_ARG, "TH_fill: got out float32[4] whose elements share memory", TH_fill(wide, SCALAR_I(1)));
    assert_fails(TH_E_ARG, "TH_fill: t is NULL", TH_fill(NULL, SCALAR_I(1)));
    assert_fails(TH_E_ARG, "TH_fill: value is NULL", TH_fill(t, NULL));
    assert_fails(TH_E_TYPE, "TH_fill: got value of kind 0", TH_fill(t, &(THScalar){.kind = 0}));
    assert_element(t, 0, 5, 0);
    assert_fails(TH_E_ARG, "TH_full: value is NULL", TH_full(&n, LIST(2), NULL, TH_FLOAT32));
    assert_fails(TH_E_ARG, "TH_full: out is NULL", TH_full(NULL, LIST(2), SCALAR_I(1), TH_FLOAT32));
    assert_fails(TH_E_TYPE, "TH_full: got dtype 99", TH_full(&n, LIST(2), SCALAR_I(1), 99));
    assert_fails(TH_E_SHAPE, "TH_full", TH_full(&n, LIST(-2), SCALAR_I(1), TH_FLOAT32));
    assert_null(n);
    THTensor_free(t), THTensor_free(wide);
}

static void take_memory(void *arg) {
    (void)arg;
    THTensor *t[3] = {NULL, NULL, NULL};
    const THStatus got[3] = {TH_full(&t[0], LIST(20), SCALAR_I(1), TH_FLOAT32),
                             TH_arange(&t[1], SCALAR_I(0), SCALAR_I(9), SCALAR_I(1), TH_INT8),
                             TH_eye(&t[2], 3, 3, TH_FLOAT32)};
    for (int k = 0; k < 3; k++) {
        assert_true(got[k] == TH_OK || (got[k] == TH_E_MEMORY && !t[k]));
        THTensor_free(t[k]);
    }
}
static void test_out_of_memory(void **state) { (void)state, oom_each(take_memory, NULL); }

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linspace_of_integers),
        cmocka_unit_test(test_sequences_out_of_range),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_fill_casts),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_arange),
        cmocka_unit_test(test_linspace),
        cmocka_unit_test(test_eye),
        cmocka_unit_test(test_faulty_numbers),
        cmocka_unit_test(test_arange_errors),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
