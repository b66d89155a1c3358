/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of TH/ops/binary.def, add and sub, on every dtype, ISA and layout, against long double. */
#include "support/elementwise.h"
#include "support/oom.h"

/* The exact remainder with the divisor's sign, as Python has it. */
static long double python_remainder(long double a, long double b) {
    const long double r = fmodl(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

#define REF(name, value)                                                                                               \
    static long double ref_##name(long double a, long double b) { return value; }
REF(add, a + b)
REF(sub, a - b)
REF(mul, a *b)
REF(div, a / b)
REF(floor_divide, rintl((a - python_remainder(a, b)) / b))
REF(remainder, python_remainder(a, b))
REF(trunc_divide, b == 0 || isinf(a) ? a / b : rintl((a - fmodl(a, b)) / b))
REF(fmod, fmodl(a, b))
REF(pow, powl(a, b))
REF(maximum, isnan(a) || isnan(b) ? (long double)NAN : a > b ? a : b)
REF(minimum, isnan(a) || isnan(b) ? (long double)NAN : a < b ? a : b)
REF(fmax, fmaxl(a, b))
REF(fmin, fminl(a, b))
REF(atan2, atan2l(a, b))
REF(hypot, hypotl(a, b))
REF(copysign, copysignl(a, b))
REF(logaddexp, logl(expl(a) + expl(b)))
REF(bitwise_and, (long double)((int64_t)a &(int64_t)b))
REF(bitwise_or, (long double)((int64_t)a | (int64_t)b))
REF(bitwise_xor, (long double)((int64_t)a ^ (int64_t)b))
REF(left_shift, a *exp2l(b))
REF(right_shift, floorl(a / exp2l(b)))
REF(eq, a == b)
REF(ne, a != b)
REF(lt, a < b)
REF(le, a <= b)
REF(gt, a > b)
REF(ge, a >= b)
REF(logical_and, a != 0 && b != 0)
REF(logical_or, a != 0 || b != 0)
REF(logical_xor, (a != 0) != (b != 0))

static THStatus plain_add(THTensor **out, const THTensor *a, const THTensor *b) { return TH_add(out, a, b, NULL); }
static THStatus plain_sub(THTensor **out, const THTensor *a, const THTensor *b) { return TH_sub(out, a, b, NULL); }

enum { ARITH, NUMERIC, FLOAT, BITS, SHIFT, COMPARE, LOGIC };

static const struct row {
    const char *name;
    THStatus (*f)(THTensor **out, const THTensor *a, const THTensor *b);
    long double (*reference)(long double a, long double b);
    int class;
    double ulp, lo, hi;
} rows[] = {
    {"TH_add", plain_add, ref_add, ARITH, 0, -100, 100},
    {"TH_sub", plain_sub, ref_sub, NUMERIC, 0, -100, 100},
#define TH_BINARY(name, class, ulp, lo, hi) {"TH_" #name, TH_##name, ref_##name, class, ulp, lo, hi},
#include "TH/ops/binary.def"
#undef TH_BINARY
};
enum { ROWS = sizeof rows / sizeof *rows };

static int takes(const struct row *r, THDtype dtype) {
    if (r->class == BITS) return !TH_dtype_is_floating(dtype);
    if (r->class == SHIFT) return !TH_dtype_is_floating(dtype) && dtype != TH_BOOL;
    return r->class != NUMERIC || dtype != TH_BOOL;
}

static THDtype result_of(const struct row *r, THDtype dtype) {
    if (r->class == COMPARE || r->class == LOGIC) return TH_BOOL;
    return r->class == FLOAT && !TH_dtype_is_floating(dtype) ? TH_FLOAT32 : dtype;
}

static long double expected(const struct row *r, THDtype dtype, long double a, long double b) {
    const long double y = r->reference(a, b);
    if (r->class == ARITH && dtype == TH_BOOL) return y != 0; /* a sum of bools is "or" */
    return wrapped(result_of(r, dtype), y);
}

/* a and b have the same sizes. Where log-sums cross 0, their error is that of the larger operand. */
static void expect(long double *want, long double *scale, const struct row *r, THDtype dtype, const THTensor *a,
                   const THTensor *b) {
    for (int64_t i = 0; i < THTensor_numel(a); i++) {
        const long double x = element(a, i), y = element(b, i);
        want[i] = expected(r, dtype, x, y);
        scale[i] = r->f == TH_logaddexp ? fmaxl(fabsl(x), fabsl(y)) : 0;
    }
}

static void each(void (*body)(const struct row *r, THDtype dtype)) {
    for (int k = 0; k < ROWS; k++)
        for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
            if (takes(&rows[k], dtype)) body(&rows[k], dtype);
}

static THTensor *operand(const struct row *r, THDtype dtype, const int64_t *sizes, int32_t ndim, uint64_t seed) {
    return tensor_random(dtype, sizes, ndim, r->lo, r->hi, seed);
}

static void check_lengths(const struct row *r, THDtype dtype) {
    for (int64_t n = 0; n <= 70; n++) {
        long double want[70], scale[70];
        THTensor *a = operand(r, dtype, &n, 1, 2), *b = operand(r, dtype, &n, 1, 3), *y = NULL;
        expect(want, scale, r, dtype, a, b);
        assert_ok(r->f(&y, a, b));
        assert_is(y, result_of(r, dtype), n);
        assert_values(y, want, scale, r->ulp, r->name);
        THTensor_free(a), THTensor_free(b), THTensor_free(y);
    }
}

static void check_layouts(const struct row *r, THDtype dtype) {
    enum { N = 3 * 5 * 7 };
    long double want[N], scale[N];
    THTensor *plain_a = operand(r, dtype, LIST(3, 5, 7), 4), *plain_b = operand(r, dtype, LIST(3, 5, 7), 5);
    expect(want, scale, r, dtype, plain_a, plain_b);
    for (int code = 0; code < LAYOUT_COUNT * LAYOUT_COUNT * LAYOUT_COUNT; code++) {
        THTensor *a = tensor_as(plain_a, code % LAYOUT_COUNT),
                 *b = tensor_as(plain_b, code / LAYOUT_COUNT % LAYOUT_COUNT);
        THTensor *y = tensor_in_layout(result_of(r, dtype), LIST(3, 5, 7), code / LAYOUT_COUNT / LAYOUT_COUNT);
        assert_ok(r->f(&y, a, b));
        assert_values(y, want, scale, r->ulp, r->name);
        assert_holes(y);
        if (result_of(r, dtype) == dtype) { /* in place of either */
            THTensor **in = code % 2 ? &a : &b;
            assert_ok(r->f(in, a, b));
            assert_values(*in, want, scale, r->ulp, r->name);
            assert_holes(*in);
        }
        THTensor_free(a), THTensor_free(b), THTensor_free(y);
    }
    THTensor_free(plain_a), THTensor_free(plain_b);
}

/* One pair of sizes that broadcasts to [4, 3, 6]. */
static void check_broadcast(const struct row *r, THDtype dtype, const THTensor *a, const THTensor *b) {
    long double want[72], scale[72];
    THTensor *wide_a, *wide_b, *y = NULL;
    assert_ok(THTensor_expand(&wide_a, a, LIST(4, 3, 6)));
    assert_ok(THTensor_expand(&wide_b, b, LIST(4, 3, 6)));
    expect(want, scale, r, dtype, wide_a, wide_b);
    for (int expanded = 0; expanded < 3; expanded++) {
        assert_ok(r->f(&y, expanded & 1 ? wide_a : a, expanded & 2 ? wide_b : b));
        assert_is(y, result_of(r, dtype), 4, 3, 6);
        assert_values(y, want, scale, r->ulp, r->name);
        THTensor_free(y), y = NULL;
    }
    THTensor_free(wide_a), THTensor_free(wide_b);
}

static void check_broadcasts(const struct row *r, THDtype dtype) {
    THTensor *full = operand(r, dtype, LIST(4, 3, 6), 6),
             *other[5] = {operand(r, dtype, NULL, 0, 7), operand(r, dtype, LIST(6), 8),
                          operand(r, dtype, LIST(3, 1), 9), operand(r, dtype, LIST(4, 1, 6), 10),
                          operand(r, dtype, LIST(1, 1, 1), 11)};
    for (int k = 0; k < 5; k++) {
        check_broadcast(r, dtype, full, other[k]);
        check_broadcast(r, dtype, other[k], full);
    }
    check_broadcast(r, dtype, other[2], other[3]);
    THTensor *empty = tensor_empty(dtype, LIST(0, 1)), *y = NULL;
    assert_ok(r->f(&y, empty, other[1]));
    assert_is(y, result_of(r, dtype), 0, 6);
    THTensor_free(y), THTensor_free(empty), THTensor_free(full);
    for (int k = 0; k < 5; k++) THTensor_free(other[k]);
}

/* NaN, infinities, zeros; against IEEE's rules as the reference has them. */
static void check_specials(const struct row *r, THDtype dtype) {
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1, 2.5, -2.5};
    enum { N = 9 };
    if (!TH_dtype_is_floating(dtype) || r->f == TH_floor_divide || r->f == TH_remainder) return; /* below */
    long double want[N * N], scale[N * N];
    THTensor *a = tensor_of(dtype, LIST(N, 1), specials), *b = tensor_of(dtype, LIST(N), specials), *y = NULL;
    for (int i = 0; i < N * N; i++) {
        want[i] = expected(r, dtype, element(a, i / N), element(b, i % N));
        scale[i] = 0;
    }
    assert_ok(r->f(&y, a, b));
    assert_values(y, want, scale, r->ulp, r->name);
    THTensor_free(a), THTensor_free(b), THTensor_free(y);
}

static void check_places(const struct row *r, THDtype dtype) {
    if (dtype != TH_FLOAT32 && dtype != TH_FLOAT64) return;
    THTensor *a = operand(r, dtype, LIST(150), 12), *b = operand(r, dtype, LIST(150), 13), *y = NULL;
    assert_ok(r->f(&y, a, b));
    for (int64_t start = 0; start < 35; start++) {
        THTensor *pa, *pb, *want, *got = NULL;
        const int64_t step = 1 + start % 4;
        assert_ok(THTensor_slice(&pa, a, 0, start, 110 + start % 7, step));
        assert_ok(THTensor_slice(&pb, b, 0, start, 110 + start % 7, step));
        assert_ok(THTensor_slice(&want, y, 0, start, 110 + start % 7, step));
        assert_ok(r->f(&got, pa, pb));
        assert_same_bits(got, want, r->name);
        THTensor_free(pa), THTensor_free(pb), THTensor_free(want), THTensor_free(got);
    }
    THTensor_free(a), THTensor_free(b), THTensor_free(y);
}

ON_EVERY_ISA(lengths)
ON_EVERY_ISA(layouts)
ON_EVERY_ISA(broadcasts)
ON_EVERY_ISA(specials)
ON_EVERY_ISA(places)

static void test_threads(void **state) {
    (void)state;
    const int32_t before = TH_num_threads();
    for (int k = 0; k < ROWS; k++) {
        const THDtype dtype = takes(&rows[k], TH_FLOAT32) ? TH_FLOAT32 : TH_INT32;
        THTensor *a = operand(&rows[k], dtype, LIST(70003), 1), *b = operand(&rows[k], dtype, LIST(70003), 2);
        THTensor *y[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            assert_ok(TH_set_num_threads(1 + 2 * i));
            assert_ok(rows[k].f(&y[i], a, b));
        }
        assert_same_bits(y[0], y[1], rows[k].name);
        THTensor_free(a), THTensor_free(b), THTensor_free(y[0]), THTensor_free(y[1]);
    }
    assert_ok(TH_set_num_threads(before));
}

static void take_memory(void *arg) {
    THTensor *y = NULL, **inputs = arg;
    THStatus status = TH_mul(&y, inputs[0], inputs[1]);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *inputs[] = {operand(&rows[0], TH_BFLOAT16, LIST(30, 40), 1), operand(&rows[0], TH_FLOAT32, LIST(40), 2)};
    oom_each(take_memory, inputs);
    THTensor_free(inputs[0]), THTensor_free(inputs[1]);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *a = tensor_empty(TH_FLOAT32, LIST(2, 3)), *b = tensor_empty(TH_FLOAT32, LIST(4)), *y = NULL;
    for (int k = 0; k < ROWS; k++) {
        for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++) {
            THTensor *x = tensor_random(dtype, LIST(2), 1, 2, 1);
            if (!takes(&rows[k], dtype))
                assert_fails(TH_E_TYPE, rows[k].name, rows[k].f(&y, x, x));
            else
                assert_fails(TH_E_ARG, "out is NULL", rows[k].f(NULL, x, x));
            THTensor_free(x);
        }
        assert_fails(TH_E_ARG, rows[k].name, rows[k].f(&y, NULL, b));
        assert_fails(TH_E_ARG, "a is NULL", rows[k].f(&y, NULL, b));
        assert_fails(TH_E_ARG, "b is NULL", rows[k].f(&y, a, NULL));
        if (takes(&rows[k], TH_FLOAT32)) assert_fails(TH_E_SHAPE, "broadcastable", rows[k].f(&y, a, b));
        assert_null(y);
    }
    assert_fails(TH_E_SHAPE, "TH_mul: got float32[2, 3] and float32[4], want broadcastable sizes", TH_mul(&y, a, b));
    THTensor_free(a), THTensor_free(b);
}

/* ---- rules, on values chosen by hand ---- */

typedef THStatus (*function)(THTensor **out, const THTensor *a, const THTensor *b);

/* f(a[i], b[i]) must be want[i]; both as vectors and as 0-dim tensors. */
static void check_values(function f, THDtype dtype, int64_t n, const double *a, const double *b, const double *want) {
    THTensor *x = tensor_of(dtype, &n, 1, a), *y = tensor_of(dtype, &n, 1, b), *z = NULL;
    assert_ok(f(&z, x, y));
    for (int64_t i = 0; i < n; i++) {
        assert_element(z, i, want[i], 0);
        if (TH_dtype_is_floating(dtype) && want[i] == 0) assert_int_equal(!signbit(element(z, i)), !signbit(want[i]));
    }
    THTensor_free(x), THTensor_free(y), THTensor_free(z);
}
#define VALUES(...)                                                                                                    \
    (const double[]) { __VA_ARGS__ }

static void signs_of_division(void) {
    for (THDtype dtype = TH_INT8; dtype <= TH_FLOAT64; dtype++) {
        const double *a = VALUES(7, -7, 7, -7, 6, -6), *b = VALUES(3, 3, -3, -3, 3, -3);
        check_values(TH_remainder, dtype, 4, a, b, VALUES(1, 2, -2, -1));
        check_values(TH_fmod, dtype, 4, a, b, VALUES(1, -1, 1, -1));
        check_values(TH_floor_divide, dtype, 6, a, b, VALUES(2, -3, -3, 2, 2, 2));
        check_values(TH_trunc_divide, dtype, 6, a, b, VALUES(2, -2, -2, 2, 2, 2));
    }
    for (THDtype dtype = TH_INT8; dtype <= TH_INT64; dtype++) { /* no overflow near the ends of the range */
        const double top = ldexp(1, (int)(8 * TH_dtype_size(dtype)) - 1),
                     last = dtype == TH_INT64 ? top - 1024 : top - 1;
        const double *a = VALUES(-top, -top, last, -top), *b = VALUES(-1, last, -top, 1);
        check_values(TH_floor_divide, dtype, 4, a, b, VALUES(-top, -2, -1, -top));
        check_values(TH_trunc_divide, dtype, 4, a, b, VALUES(-top, -1, 0, -top));
        check_values(TH_remainder, dtype, 4, a, b, VALUES(0, 2 * last - top, last - top, 0));
        check_values(TH_fmod, dtype, 4, a, b, VALUES(0, last - top, last, 0));
    }
    /* as CPython computes a // b and a % b on floats; x / 0 as IEEE has it */
    const double *a = VALUES(5.5, -5.5, 1, -1, 0.0, -0.0, 1, 3),
                 *b = VALUES(2, 2, INFINITY, INFINITY, 2, 2, 0.1, -INFINITY);
    check_values(TH_floor_divide, TH_FLOAT64, 8, a, b, VALUES(2, -3, 0, -1, 0.0, -0.0, 9, -1));
    check_values(TH_trunc_divide, TH_FLOAT64, 8, a, b, VALUES(2, -2, 0, -0.0, 0.0, -0.0, 9, -0.0));
    check_values(TH_trunc_divide, TH_FLOAT32, 4, VALUES(1, -1, 0, INFINITY), VALUES(0, 0, 0, -2),
                 VALUES(INFINITY, -INFINITY, NAN, -INFINITY));
    check_values(TH_remainder, TH_FLOAT64, 8, a, b,
                 VALUES(1.5, 0.5, 1, INFINITY, 0.0, 0.0, 0.09999999999999995, -INFINITY));
    check_values(TH_floor_divide, TH_FLOAT32, 3, VALUES(1, -1, 0), VALUES(0, 0, 0), VALUES(INFINITY, -INFINITY, NAN));
    check_values(TH_remainder, TH_FLOAT32, 2, VALUES(1, NAN), VALUES(0, 2), VALUES(NAN, NAN));
    check_values(TH_div, TH_FLOAT32, 2, VALUES(1, 49), VALUES(49, 49),
                 VALUES(1 / 49.0, 1)); /* 49 * (1 / 49) is below 1 */
}

static void shifts_and_powers(void) {
    for (THDtype dtype = TH_UINT8; dtype <= TH_INT64; dtype++) {
        const double bits = (double)(8 * TH_dtype_size(dtype));
        check_values(TH_left_shift, dtype, 4, VALUES(1, 1, 3, 5), VALUES(bits, 100, 2, 0), VALUES(0, 0, 12, 5));
        check_values(TH_right_shift, dtype, 4, VALUES(100, 100, 100, 5), VALUES(bits, 100, 2, 0), VALUES(0, 0, 25, 5));
        check_values(TH_pow, dtype, 5, VALUES(0, 3, 2, 2, 1), VALUES(0, 4, bits, 6, 100), VALUES(1, 81, 0, 64, 1));
        if (dtype == TH_UINT8) continue;
        check_values(TH_right_shift, dtype, 4, VALUES(-8, -8, -1, -100), VALUES(1, bits, 100, -1),
                     VALUES(-4, -1, -1, -1));
        check_values(TH_left_shift, dtype, 2, VALUES(-3, 3), VALUES(2, -1), VALUES(-12, 0));
        check_values(TH_pow, dtype, 3, VALUES(-2, -2, -1), VALUES(3, 4, 101), VALUES(-8, 16, -1));
    }
    const double top = 0x1p31;
    check_values(TH_mul, TH_INT32, 2, VALUES(65536, -top), VALUES(65536, -1), VALUES(0, -top));
    check_values(plain_add, TH_INT32, 1, VALUES(top - 1), VALUES(1), VALUES(-top));
    check_values(plain_sub, TH_UINT8, 1, VALUES(3), VALUES(5), VALUES(254));
}

/* Signs, zeros and infinities of C's pow, where one exponent holds for all elements and where each has its own. */
static void powers_of_everything(void) {
    static const double exponents[] = {0,  1, 2,   3,    4,  -1,       -2,        0.5, -0.5,
                                       -3, 5, 2.5, -1.5, 40, INFINITY, -INFINITY, NAN};
    static const double bases[] = {0.0,  -0.0,  1,     -1,    0.5,  -0.5, 2.5,  -2.5,  3.7,      -7.3,      1e-3, -1e3,
                                   1e13, -1e13, 1e-20, -1e20, 2e19, 1e30, 3e38, 1e-38, INFINITY, -INFINITY, NAN};
    enum { BASES = sizeof bases / sizeof *bases };
    const int64_t n = BASES;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
            double repeated[BASES];
            long double want[BASES];
            for (int i = 0; i < BASES; i++) repeated[i] = exponents[k];
            THTensor *x = tensor_of(dtype, &n, 1, bases), *each = tensor_of(dtype, &n, 1, repeated), *y = NULL,
                     *z = NULL;
            THTensor *number = NULL;
            assert_ok(THTensor_new_scalar(&number, &(THScalar){TH_SCALAR_FLOAT, 0, {.d = exponents[k]}}));
            for (int i = 0; i < BASES; i++) want[i] = powl(element(x, i), (long double)exponents[k]);
            assert_ok(TH_pow(&y, x, number));
            assert_ok(TH_pow(&z, x, each));
            assert_values(y, want, NULL, 4, "TH_pow by one number");
            assert_values(z, want, NULL, 4, "TH_pow by a tensor");
            for (int i = 0; i < BASES; i++)
                if (!isnan(want[i])) {
                    assert_int_equal(!signbit(element(y, i)), !signbit(want[i]));
                    assert_int_equal(!signbit(element(z, i)), !signbit(want[i]));
                }
            THTensor_free(x), THTensor_free(each), THTensor_free(number), THTensor_free(y), THTensor_free(z);
        }
    for (THDtype dtype = TH_INT8; dtype <= TH_INT64; dtype++)
        for (int64_t e = 0; e <= 5; e++) {
            const int64_t length = 7;
            THTensor *x = tensor_of(dtype, &length, 1, VALUES(0, 1, -1, 2, -2, 3, -3)), *number = NULL, *y = NULL;
            assert_ok(THTensor_new_scalar(&number, &(THScalar){TH_SCALAR_INT, 0, {.i = e}}));
            assert_ok(TH_pow(&y, x, number));
            for (int64_t i = 0; i < length; i++)
                assert_element(y, i, (double)wrapped(dtype, powl(element(x, i), e)), 0);
            THTensor_free(x), THTensor_free(number), THTensor_free(y);
        }
}

/* Extremes do not depend on the order of their operands, with NaN in particular. */
static void extremes(void) {
    const double *a = VALUES(NAN, 1, NAN, INFINITY, -INFINITY), *b = VALUES(1, NAN, NAN, 2, NAN);
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
        check_values(TH_maximum, dtype, 5, a, b, VALUES(NAN, NAN, NAN, INFINITY, NAN));
        check_values(TH_minimum, dtype, 5, a, b, VALUES(NAN, NAN, NAN, 2, NAN));
        check_values(TH_fmax, dtype, 5, a, b, VALUES(1, 1, NAN, INFINITY, -INFINITY));
        check_values(TH_fmin, dtype, 5, a, b, VALUES(1, 1, NAN, 2, -INFINITY));
    }
}

static void test_signs_of_division(void **state) { (void)state, on_every_isa(signs_of_division); }
static void test_shifts_and_powers(void **state) { (void)state, on_every_isa(shifts_and_powers); }
static void test_powers_of_everything(void **state) { (void)state, on_every_isa(powers_of_everything); }
static void test_extremes(void **state) { (void)state, on_every_isa(extremes); }

static void test_integer_checks(void **state) {
    (void)state;
    static const function divisions[] = {TH_floor_divide, TH_trunc_divide, TH_remainder, TH_fmod};
    for (THDtype dtype = TH_UINT8; dtype <= TH_INT64; dtype++) {
        THTensor *a = tensor_of(dtype, LIST(3), VALUES(1, 2, 3)), *b = tensor_of(dtype, LIST(3), VALUES(1, 0, 2));
        THTensor *c = NULL, *odd;
        for (int k = 0; k < 4; k++) {
            assert_fails(TH_E_ARG, "got a divisor 0", divisions[k](&a, a, b));
            assert_element(a, 0, 1, 0);
            assert_element(a, 2, 3, 0);
        }
        assert_ok(THTensor_slice(&odd, b, 0, 0, 3, 2)); /* the 0 is not among these */
        THTensor_free(a);
        a = tensor_of(dtype, LIST(2), VALUES(5, 5));
        assert_ok(TH_remainder(&c, a, odd));
        assert_element(c, 1, 1, 0);
        THTensor_free(a), THTensor_free(b), THTensor_free(c), THTensor_free(odd);
    }
    THTensor *x = tensor_of(TH_INT8, LIST(2), VALUES(1, 2)), *n = NULL, *y = NULL;
    assert_ok(THTensor_new_scalar(&n, SCALAR_I(0)));
    assert_fails(TH_E_ARG, "TH_fmod: got a divisor 0", TH_fmod(&y, x, n));
    THTensor_free(n), n = NULL;
    assert_ok(THTensor_new_scalar(&n, SCALAR_I(-1)));
    assert_fails(TH_E_ARG, "TH_pow: got a negative exponent", TH_pow(&x, x, n));
    assert_element(x, 1, 2, 0);
    THTensor_free(x), THTensor_free(n);
}

/* dtypes of the operands ('n': a number of that dtype) and of the result. */
static void check_promotion(function f, THDtype a, int a_number, THDtype b, int b_number, THDtype want) {
    THTensor *x[2], *y = NULL;
    for (int k = 0; k < 2; k++) {
        const THDtype dtype = k ? b : a;
        const int number = k ? b_number : a_number;
        if (!number)
            x[k] = tensor_of(dtype, LIST(2), VALUES(1, 2));
        else
            assert_ok((x[k] = NULL, THTensor_new_scalar(&x[k], dtype == TH_FLOAT64 ? SCALAR_F(2.5) : SCALAR_I(2))));
    }
    assert_ok(f(&y, x[0], x[1]));
    assert_int_equal(THTensor_dtype(y), want);
    const long double got = element(y, 0), left = element(x[0], 0), right = element(x[1], 0);
    if (f == plain_add) assert_true(got == left + right);
    THTensor_free(x[0]), THTensor_free(x[1]), THTensor_free(y);
}

static void test_promotion(void **state) {
    (void)state;
    check_promotion(plain_add, TH_INT32, 0, TH_FLOAT32, 0, TH_FLOAT32);
    check_promotion(plain_add, TH_UINT8, 0, TH_INT8, 0, TH_INT16);
    check_promotion(plain_add, TH_FLOAT16, 0, TH_BFLOAT16, 0, TH_FLOAT32);
    check_promotion(plain_add, TH_BFLOAT16, 0, TH_INT64, 0, TH_BFLOAT16);
    check_promotion(plain_add, TH_FLOAT32, 0, TH_FLOAT64, 1, TH_FLOAT32);
    check_promotion(plain_add, TH_FLOAT16, 0, TH_FLOAT64, 1, TH_FLOAT16);
    check_promotion(plain_add, TH_INT8, 0, TH_INT64, 1, TH_INT8);
    check_promotion(plain_add, TH_INT64, 0, TH_FLOAT64, 1, TH_FLOAT32);
    check_promotion(plain_add, TH_FLOAT64, 1, TH_INT32, 0, TH_FLOAT32);
    check_promotion(TH_div, TH_INT32, 0, TH_INT32, 0, TH_FLOAT32);
    check_promotion(TH_lt, TH_INT32, 0, TH_FLOAT64, 0, TH_BOOL);
    /* comparisons promote before they compare */
    THTensor *x = tensor_of(TH_UINT8, LIST(2), VALUES(255, 1)), *y = tensor_of(TH_INT8, LIST(2), VALUES(-1, 1)),
             *z = NULL;
    assert_ok(TH_eq(&z, x, y));
    assert_element(z, 0, 0, 0);
    assert_element(z, 1, 1, 0);
    THTensor_free(z), z = NULL;
    assert_ok(TH_gt(&z, x, y));
    assert_element(z, 0, 1, 0);
    THTensor_free(x), THTensor_free(y), THTensor_free(z);
}

static void test_alpha(void **state) {
    (void)state;
    for (THDtype dtype = TH_UINT8; dtype <= TH_FLOAT64; dtype++) {
        THTensor *a = tensor_of(dtype, LIST(2), VALUES(20, 30)), *b = tensor_of(dtype, LIST(2), VALUES(2, 3)),
                 *y = NULL;
        assert_ok(TH_add(&y, a, b, SCALAR_I(3)));
        assert_element(y, 1, 39, 0);
        assert_ok(TH_sub(&y, a, b, SCALAR_I(4)));
        assert_element(y, 0, 12, 0);
        if (TH_dtype_is_floating(dtype)) {
            assert_ok(TH_add(&y, a, b, SCALAR_F(0.5)));
            assert_element(y, 0, 21, 0);
        } else {
            assert_fails(TH_E_TYPE, "TH_add: got alpha 0.5", TH_add(&y, a, b, SCALAR_F(0.5)));
            assert_element(y, 0, 12, 0);
        }
        assert_fails(TH_E_TYPE, "alpha of kind 9", TH_sub(&y, a, b, &(THScalar){.kind = 9}));
        THTensor_free(a), THTensor_free(b), THTensor_free(y);
    }
    THTensor *t = tensor_of(TH_BOOL, LIST(4), VALUES(0, 0, 1, 1)), *u = tensor_of(TH_BOOL, LIST(4), VALUES(0, 1, 0, 1)),
             *y = NULL;
    assert_ok(TH_add(&y, t, u, SCALAR_B(0)));
    for (int i = 0; i < 4; i++) assert_element(y, i, i >= 2, 0);
    assert_fails(TH_E_TYPE, "TH_sub: got bool[4] and bool[4]", TH_sub(&y, t, u, NULL));
    THTensor_free(t), THTensor_free(u), THTensor_free(y);
}

/* Writing into an expanded tensor, or into one that overlaps an input in part (a += a.t()), is refused. */
static void test_overlap(void **state) {
    (void)state;
    THTensor *a = tensor_of(TH_FLOAT32, LIST(2, 2), VALUES(1, 2, 3, 4)), *t,
             *one = tensor_of(TH_FLOAT32, LIST(1), VALUES(1));
    THTensor *wide, *head, *tail, *x = tensor_of(TH_FLOAT32, LIST(4), VALUES(1, 2, 3, 4));
    assert_ok(THTensor_transpose(&t, a, 0, 1));
    assert_fails(TH_E_ARG, "TH_add: got out float32[2, 2] that shares memory", TH_add(&a, a, t, NULL));
    assert_element(a, 1, 2, 0);
    assert_ok(THTensor_expand(&wide, one, LIST(10)));
    assert_fails(TH_E_ARG, "TH_add: got out float32[10] whose elements share memory", TH_add(&wide, wide, one, NULL));
    assert_element(one, 0, 1, 0);
    assert_ok(THTensor_narrow(&head, x, 0, 0, 3));
    assert_ok(THTensor_narrow(&tail, x, 0, 1, 3));
    assert_fails(TH_E_ARG, "shares memory", TH_mul(&head, head, tail));
    assert_ok(TH_mul(&head, head, head));
    assert_element(x, 2, 9, 0);
    assert_element(x, 3, 4, 0);
    THTensor_free(a), THTensor_free(t), THTensor_free(one), THTensor_free(wide);
    THTensor_free(head), THTensor_free(tail), THTensor_free(x);
}

static void test_versions(void **state) {
    (void)state;
    THTensor *a = tensor_of(TH_FLOAT32, LIST(2), VALUES(1, 2)), *b = tensor_empty(TH_FLOAT32, LIST(3));
    const uint64_t before = THStorage_version(THTensor_storage(a));
    assert_ok(TH_mul(&a, a, a));
    assert_true(THStorage_version(THTensor_storage(a)) == before + 1);
    assert_fails(TH_E_SHAPE, "TH_mul", TH_mul(&a, a, b));
    assert_true(THStorage_version(THTensor_storage(a)) == before + 1);
    THTensor_free(a), THTensor_free(b);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_signs_of_division),
        cmocka_unit_test(test_shifts_and_powers),
        cmocka_unit_test(test_powers_of_everything),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_integer_checks),
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
