/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/tensors.h"

static void test_get_in_layouts(void **state) {
    (void)state;
    for (THDtype d = 0; d < TH_DTYPE_COUNT; d++) {
        THTensor *t = tensor_random(d, LIST(3, 4, 5), -100, 100, 5);
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *v = tensor_as(t, layout);
            for (int64_t i = 0; i < 60; i++) {
                THScalar s = {.reserved = 99};
                assert_ok(THTensor_get(&s, v, (int64_t[]){i / 20, i / 5 % 4 - 4, i % 5}));
                int kind = d == TH_BOOL ? TH_SCALAR_BOOL : TH_dtype_is_floating(d) ? TH_SCALAR_FLOAT : TH_SCALAR_INT;
                assert_int_equal(s.kind, kind);
                assert_int_equal(s.reserved, 0);
                assert_true((kind == TH_SCALAR_FLOAT ? (long double)s.v.d : s.v.i) == element(t, i));
            }
            THTensor_free(v);
        }
        THTensor_free(t);
    }
}

static void test_set_in_layouts(void **state) {
    (void)state;
    for (THDtype d = 0; d < TH_DTYPE_COUNT; d++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *t = tensor_in_layout(d, LIST(3, 4), layout);
            for (int64_t i = 0; i < 12; i++) assert_ok(THTensor_set(t, (int64_t[]){i / 4 - 3, i % 4}, SCALAR_I(i)));
            for (int64_t i = 0; i < 12; i++) assert_element(t, i, d == TH_BOOL ? i != 0 : i, 0);
            if (layout != LAYOUT_CONTIGUOUS) assert_holes(t);
            assert_int_equal(THStorage_version(THTensor_storage(t)), 12);
            THTensor_free(t);
        }
}

static long double after_set(THDtype d, const THScalar *value) {
    THTensor *t = tensor_empty(d, NULL, 0);
    assert_ok(THTensor_set(t, NULL, value));
    long double x = element(t, 0);
    THTensor_free(t);
    return x;
}

/* By the contract of TH_fill; what integers do not hold is in test_number.c. */
static void test_casts(void **state) {
    (void)state;
    assert_true(after_set(TH_UINT8, SCALAR_F(-0.9)) == 0);
    assert_true(after_set(TH_UINT8, SCALAR_F(255.9)) == 255);
    assert_true(after_set(TH_INT8, SCALAR_F(-128.9)) == -128);
    assert_true(after_set(TH_INT64, SCALAR_F(-0x1p63)) == (long double)INT64_MIN);
    assert_true(after_set(TH_INT64, SCALAR_I(INT64_MAX)) == (long double)INT64_MAX);
    assert_true(after_set(TH_BOOL, SCALAR_F(0.25)) == 1);
    assert_true(after_set(TH_BOOL, SCALAR_F((double)NAN)) == 1);
    assert_true(after_set(TH_BOOL, SCALAR_F(-0.0)) == 0);
    assert_true(after_set(TH_BOOL, SCALAR_I(256)) == 1);
    assert_true(after_set(TH_FLOAT64, SCALAR_B(1)) == 1);
    assert_true(after_set(TH_FLOAT32, SCALAR_I(16777217)) == 16777216);
    /* rounds once: through double the last 1 would be lost, and with it what breaks the tie */
    assert_true(after_set(TH_FLOAT32, SCALAR_I((INT64_C(1) << 60) + (INT64_C(1) << 36) + 1)) == 0x1.000002p60L);
    assert_true(isinf(after_set(TH_FLOAT32, SCALAR_F(1e300))));
    assert_true(isnan(after_set(TH_FLOAT16, SCALAR_F((double)NAN))));
    assert_true(isnan(after_set(TH_BFLOAT16, SCALAR_F((double)NAN))));
    assert_true(after_set(TH_FLOAT16, SCALAR_F(65519.99)) == 65504);
    assert_true(isinf(after_set(TH_FLOAT16, SCALAR_F(65520))));
    assert_true(after_set(TH_FLOAT16, SCALAR_F(-0x1p-25)) == 0);        /* a tie goes to even */
    assert_true(after_set(TH_FLOAT16, SCALAR_F(0x1.8p-24)) == 0x1p-23); /* as here */
    assert_true(after_set(TH_BFLOAT16, SCALAR_F(0x1.01p0)) == 1);
    assert_true(after_set(TH_BFLOAT16, SCALAR_F(0x1.03p0)) == 0x1.04p0L);
    /* just above a tie: rounding to float32 first would lose what breaks it */
    assert_true(after_set(TH_BFLOAT16, SCALAR_F(0x1.01000000001p0)) == 0x1.02p0L);
    assert_true(after_set(TH_FLOAT16, SCALAR_F(0x1.00200000001p0)) == 0x1.004p0L);
    assert_true(after_set(TH_FLOAT16, SCALAR_F(0x1.005fffffffffp0)) == 0x1.004p0L);
}

/* Every half value survives the way to a number and back. */
static void test_all_halves(void **state) {
    (void)state;
    for (THDtype d = TH_FLOAT16; d <= TH_BFLOAT16; d++) {
        THTensor *t = tensor_empty(d, NULL, 0);
        uint16_t *bits = THTensor_data(t);
        for (uint32_t u = 0; u < 65536; u++) {
            *bits = (uint16_t)u;
            THScalar s;
            assert_ok(THTensor_item(&s, t));
            long double want = element(t, 0);
            assert_true(isnan(want) ? isnan(s.v.d) : s.v.d == (double)want && !signbit(s.v.d) == !signbit(want));
            *bits = 0x5555;
            assert_ok(THTensor_set(t, NULL, &s));
            if (isnan(want))
                assert_true(isnan(element(t, 0)));
            else
                assert_int_equal(*bits, u);
        }
        THTensor_free(t);
    }
}

/* Random doubles around every exponent against the reference rounding. */
static void test_half_rounding(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (THDtype d = TH_FLOAT16; d <= TH_FLOAT32; d++)
        for (int i = 0; i < 20000; i++) {
            double x = ldexp(1 + random_unit(&seed), i % 300 - 150) * (i & 1 ? -1 : 1);
            if (i % 3 == 0) x = (double)(round_to(d, x) + ulp_of(d, x) / 2); /* on a tie */
            long double got = after_set(d, SCALAR_F(x)), want = round_to(d, x);
            if (got != want) fail_msg("%a to %s: got %La, want %La", x, TH_dtype_name(d), got, want);
        }
}

static void test_fails(void **state) {
    (void)state;
    THTensor *t = tensor_random(TH_FLOAT32, LIST(2, 3), 0, 1, 1), *empty = tensor_empty(TH_INT8, LIST(0)),
             *remote = NULL;
    THStorage *s = NULL;
    THScalar value = {.kind = TH_SCALAR_INT, .v.i = 5}, out = {.kind = 77};
    assert_fails(TH_E_INDEX, "THTensor_get: got index [2, 0], want one inside float32[2, 3]",
                 THTensor_get(&out, t, (int64_t[]){2, 0}));
    assert_fails(TH_E_INDEX, "got index [0, -4]", THTensor_get(&out, t, (int64_t[]){0, -4}));
    assert_fails(TH_E_INDEX, "THTensor_set: got index [0, 3]", THTensor_set(t, (int64_t[]){0, 3}, &value));
    assert_fails(TH_E_INDEX, "got index [0]", THTensor_get(&out, empty, (int64_t[]){0}));
    assert_fails(TH_E_INDEX, "got index", THTensor_get(&out, t, (int64_t[]){INT64_MIN, INT64_MAX}));
    assert_fails(TH_E_ARG, "index is NULL", THTensor_get(&out, t, NULL));
    assert_fails(TH_E_ARG, "THTensor_get: t is NULL", THTensor_get(&out, NULL, NULL));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_get(NULL, t, (int64_t[]){0, 0}));
    assert_fails(TH_E_ARG, "value is NULL", THTensor_set(t, (int64_t[]){0, 0}, NULL));
    assert_fails(TH_E_TYPE, "THTensor_set: got value of kind 77", THTensor_set(t, (int64_t[]){0, 0}, &out));
    assert_fails(TH_E_SHAPE, "THTensor_item: got float32[2, 3], want one element", THTensor_item(&out, t));
    assert_fails(TH_E_SHAPE, "got int8[0]", THTensor_item(&out, empty));
    assert_fails(TH_E_ARG, "t is NULL", THTensor_item(&out, NULL));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_item(NULL, t));
    static float number = 3;
    assert_ok(THStorage_new_foreign(&s, &number, 4, (THDevice)1 << 32, 0, NULL, NULL));
    assert_ok(THTensor_new_over(&remote, s, TH_FLOAT32, NULL, NULL, 0, 0));
    assert_fails(TH_E_DEVICE, "THTensor_get: got device 1:0, want a device whose library is there",
                 THTensor_get(&out, remote, NULL));
    assert_fails(TH_E_DEVICE, "THTensor_set", THTensor_set(remote, NULL, &value));
    assert_fails(TH_E_DEVICE, "THTensor_item", THTensor_item(&out, remote));
    THTensor_free(remote);
    THStorage_free(s);
    assert_ok(THStorage_new_foreign(&s, &number, 4, TH_CPU, 1, NULL, NULL));
    assert_ok(THTensor_new_over(&remote, s, TH_FLOAT32, NULL, NULL, 0, 0));
    assert_fails(TH_E_ARG, "THTensor_set: got a read-only tensor", THTensor_set(remote, NULL, &value));
    THTensor_free(remote);
    THStorage_free(s);
    assert_int_equal(out.kind, 77);
    assert_true(number == 3);
    THTensor_free(t);
    THTensor_free(empty);
}

static void test_item(void **state) {
    (void)state;
    THTensor *t = tensor_of(TH_FLOAT64, LIST(1, 1), (double[]){2.5});
    THScalar s;
    assert_ok(THTensor_item(&s, t));
    assert_true(s.kind == TH_SCALAR_FLOAT && s.v.d == 2.5);
    THTensor_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_in_layouts), cmocka_unit_test(test_set_in_layouts), cmocka_unit_test(test_casts),
        cmocka_unit_test(test_all_halves),     cmocka_unit_test(test_half_rounding),  cmocka_unit_test(test_fails),
        cmocka_unit_test(test_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
