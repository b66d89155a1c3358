/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that a tensor's dtype does not hold: compared exactly, saturated where that is exact, refused elsewhere.
   References are long double, in which every int64 and every double is exact. */
#include "support/elementwise.h"

#include <float.h>

static const THDtype integers[] = {TH_BOOL, TH_UINT8, TH_INT8, TH_INT16, TH_INT32, TH_INT64};
enum { INTEGERS = sizeof integers / sizeof *integers };

static long double lowest_of(THDtype dtype) {
    return TH_dtype_is_signed(dtype) ? -ldexpl(1, (int)(8 * TH_dtype_size(dtype)) - 1) : 0;
}

static long double highest_of(THDtype dtype) {
    const int bits = (int)(8 * TH_dtype_size(dtype));
    return dtype == TH_BOOL ? 1 : ldexpl(1, TH_dtype_is_signed(dtype) ? bits - 1 : bits) - 1;
}

/* Numbers around the ends of every integer dtype, and others. */
typedef struct numbers {
    THScalar x[400];
    int n;
} numbers;

static void add_int(numbers *list, int64_t i) { list->x[list->n++] = (THScalar){TH_SCALAR_INT, 0, {.i = i}}; }
static void add_float(numbers *list, double d) { list->x[list->n++] = (THScalar){TH_SCALAR_FLOAT, 0, {.d = d}}; }

static numbers all_numbers(void) {
    numbers list = {.n = 0};
    static const int64_t whole[] = {0, 1, 2, 5, 19, 300, 16777217};
    static const int bits[] = {7, 8, 15, 16, 31, 32, 40, 53, 62};
    static const double others[] = {0.5, 2.5, 254.5, 255.5, 127.25, 1e-300, 1e25, 1e300, INFINITY};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            add_int(&list, sign * whole[k]);
            add_float(&list, (double)(sign * whole[k]));
        }
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
        for (int64_t d = -1; d <= 1; d++)
            for (int sign = -1; sign <= 1; sign += 2) {
                add_int(&list, sign * ((INT64_C(1) << bits[k]) + d));
                add_float(&list, sign * (ldexp(1, bits[k]) + (double)d));
            }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        add_float(&list, others[k]), add_float(&list, -others[k]);
    for (int sign = -1; sign <= 1; sign += 2) add_float(&list, sign * 0x1p63), add_float(&list, sign * 0x1.8p63);
    add_int(&list, INT64_MAX), add_int(&list, INT64_MAX - 1), add_int(&list, INT64_MIN), add_int(&list, INT64_MIN + 1);
    add_float(&list, NAN);
    return list;
}

static long double value_of(const THScalar *x) {
    return x->kind == TH_SCALAR_FLOAT ? (long double)x->v.d : (long double)x->v.i;
}

/* By the long double reference: what an integer dtype holds. */
static int holds(THDtype dtype, const THScalar *x) {
    const long double v = truncl(value_of(x));
    if (dtype == TH_BOOL || TH_dtype_is_floating(dtype)) return 1;
    return v >= lowest_of(dtype) && v <= highest_of(dtype);
}

/* The ends of the dtype and small numbers. */
static THTensor *extremes(THDtype dtype) {
    const long double lo = lowest_of(dtype), hi = highest_of(dtype);
    const long double values[] = {lo, lo + 1, 0, 1, dtype == TH_BOOL ? 0 : 2, dtype == TH_BOOL ? 1 : 19, hi - 1, hi};
    THTensor *t = tensor_empty(dtype, LIST(8));
    for (int64_t i = 0; i < 8; i++) set_element(t, i, values[i]);
    return t;
}

/* A number, or (plain) an ordinary 0-dim tensor. */
static THTensor *zero_dim(const THScalar *x, int plain) {
    THTensor *number = NULL, *alias = NULL;
    assert_ok(THTensor_new_scalar(&number, x));
    if (!plain) return number;
    assert_ok(THTensor_alias(&alias, number));
    THTensor_free(number);
    return alias;
}

typedef THStatus (*binary)(THTensor **, const THTensor *, const THTensor *);

/* ---- comparisons ---- */

static const struct {
    const char *name;
    binary run;
} comparisons[] = {{"lt", TH_lt}, {"le", TH_le}, {"gt", TH_gt}, {"ge", TH_ge}, {"eq", TH_eq}, {"ne", TH_ne}};

static int compares(int op, long double a, long double b) {
    const int results[] = {a<b, a <= b, a> b, a >= b, a == b, a != b};
    return results[op];
}

static void check_comparison(int op, const THTensor *x, const THScalar *n, const THTensor *number, int left) {
    THTensor *y = NULL;
    assert_ok(comparisons[op].run(&y, left ? number : x, left ? x : number));
    assert_is(y, TH_BOOL, THTensor_numel(x));
    for (int64_t i = 0; i < THTensor_numel(x); i++) {
        const long double v = value_of(n), e = element(x, i);
        if (element(y, i) != compares(op, left ? v : e, left ? e : v))
            fail_msg("%s of %s %.0Lf and %.20Lg (%s): got %d", comparisons[op].name, TH_dtype_name(THTensor_dtype(x)),
                     e, v, left ? "on the left" : "on the right", (int)element(y, i));
    }
    THTensor_free(y);
}

static void test_integers_compare_exactly(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (int d = 0; d < INTEGERS; d++) {
        THTensor *x = extremes(integers[d]);
        for (int k = 0; k < 2 * list.n; k++) {
            THTensor *number = zero_dim(&list.x[k / 2], k % 2);
            for (int op = 0; op < 12; op++) check_comparison(op / 2, x, &list.x[k / 2], number, op % 2);
            THTensor_free(number);
        }
        THTensor_free(x);
    }
}

/* A 0-dim tensor against a number, and a comparison in place. */
static void test_comparisons_of_other_forms(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_UINT8, NULL, 0, (double[]){255}), *number = zero_dim(SCALAR_I(300), 0), *y = NULL;
    assert_ok(TH_lt(&y, x, number));
    assert_is(y, TH_BOOL);
    assert_element(y, 0, 1, 0);
    assert_ok(TH_gt(&x, number, x));
    assert_element(x, 0, 1, 0);
    THTensor_free(y), THTensor_free(x), THTensor_free(number);
}

/* As the wider types: 0.1 stands for the nearest number of the dtype. */
static void test_floats_compare_rounded(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const THDtype dtype = float_dtypes[k];
        THTensor *x = tensor_of(dtype, LIST(2), (double[]){0.1, INFINITY}), *y = NULL;
        THTensor *tenth = zero_dim(SCALAR_F(0.1), 0), *large = zero_dim(SCALAR_F(DBL_MAX), 0);
        static const int wanted[] = {0, 1, 0, 1, 1, 0};
        for (int op = 0; op < 6; op++) {
            assert_ok(comparisons[op].run(&y, x, tenth));
            assert_element(y, 0, wanted[op], 0);
            assert_ok(comparisons[op].run(&y, tenth, x));
            assert_element(y, 0, wanted[op], 0);
            assert_ok(comparisons[op].run(&y, x, large));
            assert_element(y, 0, compares(op, 0.1, DBL_MAX), 0);
        }
        THTensor_free(x), THTensor_free(y), THTensor_free(tenth), THTensor_free(large);
    }
}

static void test_logical_functions(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 2 * list.n; k++) {
            THTensor *x = tensor_of(dtype, LIST(2), (double[]){0, 1}), *number = zero_dim(&list.x[k / 2], k % 2);
            THTensor *y = NULL;
            const int n = value_of(&list.x[k / 2]) != 0;
            assert_ok(TH_logical_and(&y, x, number));
            assert_element(y, 0, 0, 0), assert_element(y, 1, n, 0);
            assert_ok(TH_logical_or(&y, number, x));
            assert_element(y, 0, n, 0), assert_element(y, 1, 1, 0);
            assert_ok(TH_logical_xor(&y, x, number));
            assert_element(y, 0, n, 0), assert_element(y, 1, !n, 0);
            THTensor_free(x), THTensor_free(y), THTensor_free(number);
        }
}

/* ---- extremes ---- */

static void check_extreme(binary run, int up, const THTensor *x, const THScalar *n) {
    const THDtype dtype = THTensor_dtype(x);
    THTensor *number = zero_dim(n, 0), *y = NULL;
    const long double v = value_of(n);
    const int fits = up ? v <= highest_of(dtype) : v >= lowest_of(dtype);
    for (int left = 0; left < 2; left++) {
        if (!fits) {
            assert_fails(TH_E_ARG, "want a number that", run(&y, left ? number : x, left ? x : number));
            assert_null(y);
            continue;
        }
        assert_ok(run(&y, left ? number : x, left ? x : number));
        assert_int_equal(THTensor_dtype(y), dtype);
        for (int64_t i = 0; i < THTensor_numel(x); i++)
            assert_element(y, i, up ? fmaxl(element(x, i), v) : fminl(element(x, i), v), 0);
        THTensor_free(y), y = NULL;
    }
    THTensor_free(number);
}

static void test_extremes_are_exact_or_refused(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (int d = 1; d < INTEGERS; d++) { /* bool and a whole number meet in int64 */
        THTensor *x = extremes(integers[d]);
        for (int k = 0; k < list.n; k++) {
            if (list.x[k].kind == TH_SCALAR_FLOAT) continue; /* they meet in float32 */
            check_extreme(TH_maximum, 1, x, &list.x[k]);
            check_extreme(TH_fmax, 1, x, &list.x[k]);
            check_extreme(TH_minimum, 0, x, &list.x[k]);
            check_extreme(TH_fmin, 0, x, &list.x[k]);
        }
        THTensor_free(x);
    }
}

static void check_clamp(const THTensor *x, const THScalar *lo, const THScalar *hi) {
    const THDtype dtype = THTensor_dtype(x);
    THTensor *l = lo ? zero_dim(lo, 0) : NULL, *h = hi ? zero_dim(hi, 0) : NULL, *y = NULL;
    long double want[8];
    int fits = 1;
    for (int64_t i = 0; i < 8; i++) {
        want[i] = lo ? fmaxl(element(x, i), value_of(lo)) : element(x, i);
        if (hi) want[i] = fminl(want[i], value_of(hi));
        fits &= want[i] >= lowest_of(dtype) && want[i] <= highest_of(dtype);
    }
    if (fits) {
        assert_ok(TH_clamp(&y, x, l, h));
        assert_int_equal(THTensor_dtype(y), dtype);
        for (int64_t i = 0; i < 8; i++) assert_element(y, i, want[i], 0);
    } else {
        assert_fails(TH_E_ARG, "TH_clamp: got", TH_clamp(&y, x, l, h));
        assert_null(y);
    }
    THTensor_free(l), THTensor_free(h), THTensor_free(y);
}

static void test_clamp_is_exact_or_refused(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (int d = 1; d < INTEGERS; d++) {
        THTensor *x = extremes(integers[d]);
        for (int k = 0; k < list.n; k++) {
            if (list.x[k].kind == TH_SCALAR_FLOAT) continue;
            check_clamp(x, &list.x[k], NULL);
            check_clamp(x, NULL, &list.x[k]);
            for (int j = 0; j < list.n; j++)
                if (list.x[j].kind != TH_SCALAR_FLOAT) check_clamp(x, &list.x[k], &list.x[j]);
        }
        THTensor_free(x);
    }
}

/* ---- refusals ---- */

static const struct {
    const char *name;
    binary run;
} arithmetic[] = {{"mul", TH_mul},
                  {"floor_divide", TH_floor_divide},
                  {"trunc_divide", TH_trunc_divide},
                  {"remainder", TH_remainder},
                  {"fmod", TH_fmod},
                  {"pow", TH_pow},
                  {"bitwise_and", TH_bitwise_and},
                  {"bitwise_or", TH_bitwise_or},
                  {"bitwise_xor", TH_bitwise_xor},
                  {"left_shift", TH_left_shift},
                  {"right_shift", TH_right_shift}};

/* Every function of x and a number, which the dtype of x does not hold. */
static void check_refused(const THTensor *x, const THScalar *n, int plain) {
    const char *text = "want a number that";
    THTensor *number = zero_dim(n, plain), *y = NULL, *cond = tensor_of(TH_BOOL, LIST(2), (double[]){1, 0});
    for (size_t k = 0; k < sizeof arithmetic / sizeof *arithmetic; k++) {
        assert_fails(TH_E_ARG, text, arithmetic[k].run(&y, x, number));
        assert_fails(TH_E_ARG, text, arithmetic[k].run(&y, number, x));
    }
    assert_fails(TH_E_ARG, text, TH_add(&y, x, number, NULL));
    assert_fails(TH_E_ARG, text, TH_sub(&y, number, x, NULL));
    assert_fails(TH_E_ARG, text, TH_add(&y, x, x, n));
    assert_fails(TH_E_ARG, text, TH_sub(&y, x, x, n));
    assert_fails(TH_E_ARG, text, TH_where(&y, cond, x, number));
    assert_fails(TH_E_ARG, text, TH_where(&y, cond, number, x));
    assert_fails(TH_E_ARG, text, TH_addcmul(&y, number, x, x, NULL));
    assert_fails(TH_E_ARG, text, TH_addcmul(&y, x, number, x, NULL));
    assert_fails(TH_E_ARG, text, TH_addcmul(&y, x, x, number, NULL));
    assert_fails(TH_E_ARG, text, TH_addcmul(&y, x, x, x, n));
    THTensor *m = NULL, *scalar = tensor_empty(THTensor_dtype(x), NULL, 0);
    assert_ok(THTensor_view(&m, x, LIST(1, 2)));
    THTensor *square = NULL;
    assert_ok(TH_eye(&square, 2, 2, THTensor_dtype(x)));
    assert_fails(TH_E_ARG, text, TH_addmm(&y, m, m, square, n, NULL));
    assert_fails(TH_E_ARG, text, TH_addmm(&y, m, m, square, NULL, n));
    if (!plain) assert_fails(TH_E_ARG, text, TH_stack(&y, (const THTensor *[]){scalar, number}, 2, 0));
    assert_null(y);
    THTensor_free(cond), THTensor_free(number), THTensor_free(m), THTensor_free(square), THTensor_free(scalar);
}

static void test_arithmetic_refuses(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (int d = 1; d < INTEGERS - 1; d++) { /* int64 holds every whole number */
        THTensor *x = tensor_of(integers[d], LIST(2), (double[]){1, 2});
        for (int k = 0; k < list.n; k++)
            if (list.x[k].kind == TH_SCALAR_INT && !holds(integers[d], &list.x[k]))
                check_refused(x, &list.x[k], 0), check_refused(x, &list.x[k], 1);
        THTensor_free(x);
    }
}

/* What fits computes as before. */
static void test_arithmetic_within_range(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_UINT8, LIST(2), (double[]){1, 200}), *y = NULL, *n = zero_dim(SCALAR_I(255), 0);
    assert_ok(TH_add(&y, x, n, NULL));
    assert_is(y, TH_UINT8, 2);
    assert_element(y, 0, 0, 0), assert_element(y, 1, 199, 0);
    THTensor_free(x), THTensor_free(y), THTensor_free(n);
}

/* ---- storing ---- */

static void check_stored(THDtype dtype, const THScalar *n) {
    THTensor *t = tensor_of(dtype, LIST(3), (double[]){1, 1, 1}), *made = NULL;
    const long double v = value_of(n);
    const long double want = dtype == TH_BOOL ? v != 0 : TH_dtype_is_floating(dtype) ? round_to(dtype, v) : truncl(v);
    if (holds(dtype, n)) {
        assert_ok(THTensor_set(t, (const int64_t[]){1}, n));
        assert_element(t, 0, 1, 0), assert_element(t, 1, want, 0);
        assert_ok(TH_fill(t, n));
        assert_ok(TH_full(&made, LIST(2), n, dtype));
        assert_element(t, 2, want, 0), assert_element(made, 1, want, 0);
    } else {
        assert_fails(TH_E_ARG, "want a number that", THTensor_set(t, (const int64_t[]){1}, n));
        assert_fails(TH_E_ARG, "want a number that", TH_fill(t, n));
        assert_fails(TH_E_ARG, "want a number that", TH_full(&made, LIST(2), n, dtype));
        assert_null(made);
        for (int64_t i = 0; i < 3; i++) assert_element(t, i, 1, 0);
    }
    THTensor_free(t), THTensor_free(made);
}

static void test_storing(void **state) {
    (void)state;
    const numbers list = all_numbers();
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int k = 0; k < list.n; k++) check_stored(dtype, &list.x[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_compare_exactly),
        cmocka_unit_test(test_comparisons_of_other_forms),
        cmocka_unit_test(test_floats_compare_rounded),
        cmocka_unit_test(test_logical_functions),
        cmocka_unit_test(test_extremes_are_exact_or_refused),
        cmocka_unit_test(test_clamp_is_exact_or_refused),
        cmocka_unit_test(test_arithmetic_refuses),
        cmocka_unit_test(test_arithmetic_within_range),
        cmocka_unit_test(test_storing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
