/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of three tensors on every dtype, ISA and layout, against long double. */
#include "support/elementwise.h"
#include "support/oom.h"

#define VALUE 1.5
static THStatus where_positive(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *c) {
    THTensor *condition = NULL;
    const int64_t *sizes = THTensor_sizes(a);
    condition = tensor_in_layout(TH_BOOL, sizes, THTensor_ndim(a), LAYOUT_GAPS);
    for (int64_t i = 0; i < THTensor_numel(a); i++) set_element(condition, i, element(a, i) > 20);
    THStatus status = TH_where(out, condition, b, c);
    THTensor_free(condition);
    return status;
}
static THStatus addcmul(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *c) {
    return TH_addcmul(out, a, b, c, TH_dtype_is_floating(THTensor_dtype(a)) ? SCALAR_F(VALUE) : SCALAR_I(2));
}
static THStatus addcdiv(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *c) {
    return TH_addcdiv(out, a, b, c, SCALAR_F(VALUE));
}

static long double ref_where(long double a, long double b, long double c, long double v) {
    return (void)v, a > 20 ? b : c;
}
static long double ref_clamp(long double a, long double b, long double c, long double v) {
    return (void)v, a < b ? (b < c ? b : c) : a < c ? a : c;
}
static long double ref_addcmul(long double a, long double b, long double c, long double v) { return a + v * b * c; }
static long double ref_addcdiv(long double a, long double b, long double c, long double v) { return a + v * b / c; }
static long double ref_lerp(long double a, long double b, long double c, long double v) {
    return (void)v, a + c * (b - a);
}

static const struct row {
    const char *name;
    THStatus (*f)(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *c);
    long double (*reference)(long double a, long double b, long double c, long double v);
    THDtype first; /* the dtypes from here on */
    double ulp;    /* of the largest term */
} rows[] = {{"TH_where", where_positive, ref_where, TH_BOOL, 0},
            {"TH_clamp", TH_clamp, ref_clamp, TH_UINT8, 0},
            {"TH_addcmul", addcmul, ref_addcmul, TH_UINT8, 3},
            {"TH_addcdiv", addcdiv, ref_addcdiv, TH_FLOAT16, 3},
            {"TH_lerp", TH_lerp, ref_lerp, TH_FLOAT16, 3}};
enum { ROWS = sizeof rows / sizeof *rows };

static void expect(long double *want, long double *scale, const struct row *r, const THTensor *a, const THTensor *b,
                   const THTensor *c) {
    const THDtype dtype = THTensor_dtype(a);
    const long double v = TH_dtype_is_floating(dtype) ? VALUE : 2;
    for (int64_t i = 0; i < THTensor_numel(a); i++) {
        const long double x = element(a, i), y = element(b, i), z = element(c, i);
        want[i] = wrapped(dtype, r->reference(x, y, z, v));
        scale[i] = r->ulp > 0 ? fmaxl(fabsl(x), fmaxl(fabsl(want[i] - x), fabsl(z * (y - x)))) : 0;
    }
}

static THTensor *operand(THDtype dtype, const int64_t *sizes, int32_t ndim, uint64_t seed) {
    return tensor_random(dtype, sizes, ndim, 1, 50, seed);
}

static void each(void (*body)(const struct row *r, THDtype dtype)) {
    for (int k = 0; k < ROWS; k++)
        for (THDtype dtype = rows[k].first; dtype < TH_DTYPE_COUNT; dtype++) body(&rows[k], dtype);
}

static void check_lengths(const struct row *r, THDtype dtype) {
    for (int64_t n = 0; n <= 70; n++) {
        long double want[70], scale[70];
        THTensor *a = operand(dtype, &n, 1, 2), *b = operand(dtype, &n, 1, 3), *c = operand(dtype, &n, 1, 4), *y = NULL;
        expect(want, scale, r, a, b, c);
        assert_ok(r->f(&y, a, b, c));
        assert_is(y, dtype, n);
        assert_values(y, want, scale, r->ulp, r->name);
        THTensor_free(a), THTensor_free(b), THTensor_free(c), THTensor_free(y);
    }
}

static void check_layouts(const struct row *r, THDtype dtype) {
    enum { N = 3 * 5 * 7 };
    long double want[N], scale[N];
    THTensor *plain[3];
    for (int k = 0; k < 3; k++) plain[k] = operand(dtype, LIST(3, 5, 7), 5 + (uint64_t)k);
    expect(want, scale, r, plain[0], plain[1], plain[2]);
    for (int code = 0; code < 256; code++) {
        THTensor *a = tensor_as(plain[0], code % 4), *b = tensor_as(plain[1], code / 4 % 4),
                 *c = tensor_as(plain[2], code / 16 % 4);
        THTensor *y = tensor_in_layout(dtype, LIST(3, 5, 7), code / 64);
        assert_ok(r->f(&y, a, b, c));
        assert_values(y, want, scale, r->ulp, r->name);
        assert_holes(y);
        THTensor **in = code % 3 == 0 ? &a : code % 3 == 1 ? &b : &c;
        assert_ok(r->f(in, a, b, c));
        assert_values(*in, want, scale, r->ulp, r->name);
        assert_holes(*in);
        THTensor_free(a), THTensor_free(b), THTensor_free(c), THTensor_free(y);
    }
    for (int k = 0; k < 3; k++) THTensor_free(plain[k]);
}

static void check_broadcasts(const struct row *r, THDtype dtype) {
    long double want[24], scale[24];
    THTensor *x[3] = {operand(dtype, LIST(4, 1, 6), 8), operand(dtype, LIST(6), 9), operand(dtype, NULL, 0, 10)};
    for (int turn = 0; turn < 3; turn++) {
        THTensor *in[3], *wide[3], *y = NULL;
        for (int k = 0; k < 3; k++) {
            in[k] = x[(k + turn) % 3];
            assert_ok(THTensor_expand(&wide[k], in[k], LIST(4, 1, 6)));
        }
        expect(want, scale, r, wide[0], wide[1], wide[2]);
        assert_ok(r->f(&y, in[0], in[1], in[2]));
        assert_is(y, dtype, 4, 1, 6);
        assert_values(y, want, scale, r->ulp, r->name);
        for (int k = 0; k < 3; k++) THTensor_free(wide[k]);
        THTensor_free(y);
    }
    for (int k = 0; k < 3; k++) THTensor_free(x[k]);
}

ON_EVERY_ISA(lengths)
ON_EVERY_ISA(layouts)
ON_EVERY_ISA(broadcasts)

#define VALUES(...)                                                                                                    \
    (const double[]) { __VA_ARGS__ }

static void clamp_rules(void) {
    THTensor *lo = NULL, *hi = NULL, *nan = NULL, *y = NULL;
    assert_ok(THTensor_new_scalar(&lo, SCALAR_I(-1)));
    assert_ok(THTensor_new_scalar(&hi, SCALAR_I(2)));
    assert_ok(THTensor_new_scalar(&nan, SCALAR_F(NAN)));
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
        THTensor *x = tensor_of(dtype, LIST(5), VALUES(NAN, -INFINITY, INFINITY, -0.5, 3));
        const double *both = VALUES(NAN, -1, 2, -0.5, 2), *low = VALUES(NAN, -1, INFINITY, -0.5, 3),
                     *high = VALUES(NAN, -INFINITY, 2, -0.5, 2);
        for (int k = 0; k < 4; k++) {
            assert_ok(TH_clamp(&y, x, k == 1 ? NULL : k == 3 ? hi : lo, k == 2 ? NULL : k == 3 ? lo : hi));
            assert_int_equal(THTensor_dtype(y), dtype);
            for (int i = 0; i < 5; i++)
                assert_element(y, i, k == 0 ? both[i] : k == 1 ? high[i] : k == 2 ? low[i] : i ? -1 : NAN, 0);
            THTensor_free(y), y = NULL;
        }
        assert_ok(TH_clamp(&y, x, nan, hi));
        assert_element(y, 3, NAN, 0);
        assert_ok(TH_clamp(&y, x, lo, nan));
        assert_element(y, 3, NAN, 0);
        THTensor_free(x), THTensor_free(y), y = NULL;
    }
    THTensor_free(lo), THTensor_free(hi), THTensor_free(nan);
}
static void test_clamp(void **state) { (void)state, on_every_isa(clamp_rules); }

static void test_lerp_ends(void **state) {
    (void)state;
    THTensor *a = tensor_random(TH_FLOAT32, LIST(40), -1, 1, 1), *b = tensor_random(TH_FLOAT32, LIST(40), -1e6, 1e6, 2);
    THTensor *w = NULL, *y = NULL;
    for (int end = 0; end < 2; end++) {
        assert_ok(THTensor_new_scalar(&w, SCALAR_I(end)));
        assert_ok(TH_lerp(&y, a, b, w));
        assert_same(y, end ? b : a);
        THTensor_free(w), THTensor_free(y), w = y = NULL;
    }
    THTensor_free(a), THTensor_free(b);
}

static void test_where(void **state) {
    (void)state;
    THTensor *c = tensor_of(TH_BOOL, LIST(3), VALUES(1, 0, 1)), *a = NULL, *b = NULL, *y = NULL;
    assert_ok(THTensor_new_scalar(&a, SCALAR_F(0.5)));
    assert_ok(THTensor_new_scalar(&b, SCALAR_I(7)));
    assert_ok(TH_where(&y, c, a, b)); /* numbers alone */
    assert_is(y, TH_FLOAT32, 3);
    assert_element(y, 0, 0.5, 0);
    assert_element(y, 1, 7, 0);
    THTensor *x = tensor_of(TH_BFLOAT16, LIST(2, 1), VALUES(NAN, 4)), *z = NULL;
    assert_ok(TH_where(&z, c, x, b)); /* NaN of the other side stays out */
    assert_is(z, TH_BFLOAT16, 2, 3);
    assert_element(z, 1, 7, 0);
    assert_element(z, 2, NAN, 0);
    assert_element(z, 3, 4, 0);
    THTensor_free(x), THTensor_free(y), THTensor_free(z), y = NULL;
    assert_fails(TH_E_TYPE, "TH_where: got float64[], want a bool condition", TH_where(&y, a, a, b));
    assert_fails(TH_E_ARG, "condition is NULL", TH_where(&y, NULL, a, b));
    THTensor_free(a), THTensor_free(b), THTensor_free(c);
}

static void test_threads(void **state) {
    (void)state;
    const int32_t before = TH_num_threads();
    for (int k = 0; k < ROWS; k++) {
        THTensor *x[3], *y[2] = {NULL, NULL};
        for (int j = 0; j < 3; j++) x[j] = operand(TH_FLOAT32, LIST(70003), 1 + (uint64_t)j);
        for (int i = 0; i < 2; i++) {
            assert_ok(TH_set_num_threads(1 + 2 * i));
            assert_ok(rows[k].f(&y[i], x[0], x[1], x[2]));
        }
        assert_same_bits(y[0], y[1], rows[k].name);
        THTensor_free(x[0]), THTensor_free(x[1]), THTensor_free(x[2]), THTensor_free(y[0]), THTensor_free(y[1]);
    }
    assert_ok(TH_set_num_threads(before));
}

static void test_errors(void **state) {
    (void)state;
    THTensor *f = tensor_of(TH_FLOAT32, LIST(2), VALUES(1, 2)), *i = tensor_of(TH_INT32, LIST(2), VALUES(1, 2));
    THTensor *b = tensor_of(TH_BOOL, LIST(2), VALUES(1, 0)), *odd = tensor_of(TH_FLOAT32, LIST(3), VALUES(1, 2, 3)),
             *y = NULL;
    assert_fails(TH_E_ARG, "TH_clamp: lo and hi are NULL", TH_clamp(&y, f, NULL, NULL));
    assert_fails(TH_E_ARG, "TH_clamp: x is NULL", TH_clamp(&y, NULL, f, f));
    assert_fails(TH_E_ARG, "TH_clamp: x is NULL", TH_clamp(&y, NULL, f, NULL));
    assert_fails(TH_E_ARG, "out is NULL", TH_clamp(NULL, f, f, f));
    assert_fails(TH_E_TYPE, "TH_clamp: got bool[2], bool[2] and bool[2], want", TH_clamp(&y, b, b, b));
    assert_fails(TH_E_TYPE, "TH_clamp: got bool[2] and bool[2], want", TH_clamp(&y, b, b, NULL));
    assert_fails(TH_E_TYPE, "TH_addcdiv: got int32[2], int32[2] and int32[2], want floating",
                 TH_addcdiv(&y, i, i, i, NULL));
    assert_fails(TH_E_TYPE, "TH_lerp: got int32[2], int32[2] and int32[2], want floating", TH_lerp(&y, i, i, i));
    assert_fails(TH_E_TYPE, "TH_addcmul: got value 0.5", TH_addcmul(&y, i, i, i, SCALAR_F(0.5)));
    assert_fails(TH_E_SHAPE, "TH_addcmul: got float32[2] and float32[3] and float32[2], want broadcastable",
                 TH_addcmul(&y, f, odd, f, NULL));
    assert_fails(TH_E_SHAPE, "TH_where", TH_where(&y, b, f, odd));
    assert_fails(TH_E_SHAPE, "TH_clamp", TH_clamp(&y, f, odd, NULL));
    assert_fails(TH_E_ARG, "TH_lerp: weight is NULL", TH_lerp(&y, f, f, NULL));
    assert_null(y);
    assert_ok(TH_addcmul(&f, f, f, f, NULL)); /* value 1 */
    assert_element(f, 1, 6, 0);
    THTensor_free(f), THTensor_free(i), THTensor_free(b), THTensor_free(odd);
}

static void take_memory(void *arg) {
    THTensor *y = NULL, **x = arg;
    THStatus status = TH_where(&y, x[0], x[1], x[1]);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y), y = NULL;
    status = TH_lerp(&y, x[1], x[1], x[1]);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x[] = {tensor_random(TH_BOOL, LIST(20), 0, 1, 1), tensor_random(TH_FLOAT16, LIST(20), 0, 1, 2)};
    oom_each(take_memory, x);
    THTensor_free(x[0]), THTensor_free(x[1]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_layouts),   cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_clamp),   cmocka_unit_test(test_lerp_ends), cmocka_unit_test(test_where),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_errors),    cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
