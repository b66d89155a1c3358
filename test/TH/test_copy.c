/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between all dtypes, ISAs and layouts. */
#include "support/elementwise.h"
#include "support/oom.h"

/* What TH/copy.h promises of a cast, in long double. */
static long double cast(THDtype to, long double x) {
    if (TH_dtype_is_floating(to)) return round_to(to, x);
    if (to == TH_BOOL) return x != 0;
    x = isnan(x) || x >= 0x1p63L || x < -0x1p63L ? -0x1p63L : truncl(x);
    return wrapped(to, x);
}

static void pairs(void) {
    enum { N = 3 * 5 * 11 };
    for (int code = 0; code < TH_DTYPE_COUNT * TH_DTYPE_COUNT; code++) {
        const THDtype from = code / TH_DTYPE_COUNT, to = code % TH_DTYPE_COUNT;
        THTensor *plain = tensor_random(from, LIST(3, 5, 11), -127, 127, 1);
        for (int k = 0; k < LAYOUT_COUNT * LAYOUT_COUNT; k++) {
            THTensor *src = tensor_as(plain, k % LAYOUT_COUNT),
                     *dst = tensor_in_layout(to, LIST(3, 5, 11), k / LAYOUT_COUNT);
            assert_ok(THTensor_copy(dst, src));
            for (int64_t i = 0; i < N; i++) assert_element(dst, i, cast(to, element(plain, i)), 0);
            assert_holes(dst);
            THTensor_free(src), THTensor_free(dst);
        }
        THTensor_free(plain);
    }
}
static void test_pairs(void **state) { (void)state, on_every_isa(pairs); }

static void lengths(void) {
    for (int code = 0; code < TH_DTYPE_COUNT * TH_DTYPE_COUNT; code++)
        for (int64_t n = 0; n <= 70; n++) {
            const THDtype from = code / TH_DTYPE_COUNT, to = code % TH_DTYPE_COUNT;
            THTensor *src = tensor_random(from, &n, 1, -100, 100, (uint64_t)n), *dst = NULL;
            assert_ok(THTensor_to(&dst, src, to));
            for (int64_t i = 0; i < n; i++) assert_element(dst, i, cast(to, element(src, i)), 0);
            THTensor_free(src), THTensor_free(dst);
        }
}
static void test_lengths(void **state) { (void)state, on_every_isa(lengths); }

/* Values at the edges of every format, from float64, float32 and int64 to everything. */
static void edges(void) {
    static const double values[] = {NAN,
                                    INFINITY,
                                    -INFINITY,
                                    0.0,
                                    -0.0,
                                    0.5,
                                    -0.9,
                                    1e300,
                                    -1e300,
                                    0x1p63,
                                    -0x1p63,
                                    0x1.fffffffffffffp62,
                                    127.9,
                                    128,
                                    255.9,
                                    256,
                                    -128.9,
                                    -129,
                                    32767.9,
                                    32768,
                                    65503.9,
                                    65504,
                                    65519.99,
                                    65520,
                                    0x1p-24,
                                    0x1p-25,
                                    0x1.8p-25,
                                    0x1.000001p-25,
                                    0x1p-14,
                                    0x1.ffcp-15,
                                    0x1.ffep-15,
                                    0x1.ffdp-15,
                                    1 + 0x1p-11,
                                    1 + 0x3p-11,
                                    1 + 0x1p-8,
                                    1 + 0x3p-8,
                                    1 + 0x1p-11 + 0x1p-40,
                                    1 + 0x1p-8 + 0x1p-40,
                                    1 + 0x1p-24,
                                    1 + 0x1p-24 + 0x1p-50,
                                    0x1p-126,
                                    0x1p-133,
                                    0x1p-134,
                                    0x1.8p-134,
                                    0x1p-149,
                                    0x1p-150,
                                    0x1.000002p-150,
                                    0x1.fep127,
                                    0x1.ffp127,
                                    0x1.fffffep127,
                                    0x1.ffffffp127,
                                    5e-324};
    enum { N = sizeof values / sizeof *values };
    for (THDtype from = TH_FLOAT16; from < TH_DTYPE_COUNT; from++)
        for (THDtype to = 0; to < TH_DTYPE_COUNT; to++) {
            THTensor *src = tensor_of(from, LIST(N), values), *dst = NULL;
            assert_ok(THTensor_to(&dst, src, to));
            for (int64_t i = 0; i < N; i++) assert_element(dst, i, cast(to, element(src, i)), 0);
            for (int64_t i = 0; i < N && TH_dtype_is_floating(to); i++) /* zeros keep their sign, NaN is NaN */
                assert_int_equal(!signbit(element(dst, i)) && !isnan(values[i]),
                                 !signbit(values[i]) && !isnan(values[i]));
            THTensor_free(src), THTensor_free(dst);
        }
    static const int64_t integers[] = {INT64_MAX,
                                       INT64_MIN,
                                       INT64_MIN + 1,
                                       1,
                                       -1,
                                       255,
                                       256,
                                       -129,
                                       32768,
                                       INT32_MAX,
                                       16777217,
                                       (INT64_C(1) << 53) + 1,
                                       (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1,
                                       65519,
                                       65520,
                                       -(INT64_C(1) << 62) - (INT64_C(1) << 54) - 1,
                                       2049,
                                       2050,
                                       2051,
                                       257,
                                       259,
                                       771};
    THTensor *src = tensor_empty(TH_INT64, LIST(22)), *dst = NULL;
    memcpy(THTensor_data(src), integers, sizeof integers);
    for (THDtype to = 0; to < TH_DTYPE_COUNT; to++) {
        if (to == TH_INT64) continue;
        assert_ok(THTensor_to(&dst, src, to));
        for (int64_t i = 0; i < 22; i++) assert_element(dst, i, cast(to, (long double)integers[i]), 0);
        THTensor_free(dst), dst = NULL;
    }
    THTensor_free(src);
}
static void test_edges(void **state) { (void)state, on_every_isa(edges); }

/* Every half there is, to float32 and back. */
static void all_halves(void) {
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_BFLOAT16; dtype++) {
        THTensor *half = tensor_empty(dtype, LIST(65536)), *wide = NULL, *back = NULL;
        for (int i = 0; i < 65536; i++) ((uint16_t *)THTensor_data(half))[i] = (uint16_t)i;
        assert_ok(THTensor_to(&wide, half, TH_FLOAT32));
        assert_ok(THTensor_to(&back, wide, dtype));
        for (int64_t i = 0; i < 65536; i++) {
            assert_element(wide, i, element(half, i), 0);
            assert_element(back, i, element(half, i), 0);
        }
        THTensor_free(half), THTensor_free(wide), THTensor_free(back);
    }
}
static void test_all_halves(void **state) { (void)state, on_every_isa(all_halves); }

static uint32_t float_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* Floats around all halves and the midpoints between them, NaN with payloads among them, and any others. */
static THTensor *floats_around_halves(THDtype dtype) {
    const int shift = dtype == TH_FLOAT16 ? 13 : 16;
    THTensor *half = tensor_empty(dtype, LIST(65536)), *wide = NULL, *t = tensor_empty(TH_FLOAT32, LIST(65536, 8));
    for (int i = 0; i < 65536; i++) ((uint16_t *)THTensor_data(half))[i] = (uint16_t)i;
    assert_ok(THTensor_to(&wide, half, TH_FLOAT32));
    uint32_t *at = THTensor_data(t);
    uint64_t seed = 1;
    for (int i = 0; i < 65536; i++, at += 8) {
        const uint32_t u = float_bits(((float *)THTensor_data(wide))[i]), middle = u + (1u << (shift - 1));
        const uint32_t bits[8] = {u,
                                  u - 1,
                                  u + 1,
                                  middle,
                                  middle - 1,
                                  middle + 1,
                                  (uint32_t)random_bits(&seed),
                                  u + (uint32_t)(random_bits(&seed) % (1u << shift))};
        memcpy(at, bits, sizeof bits);
    }
    THTensor_free(half), THTensor_free(wide);
    return t;
}

/* Conversions by hardware and by bits agree in every bit, in NaN too. The last ISA has none in hardware. */
static void test_halves_bits(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_BFLOAT16; dtype++) {
        THTensor *x = floats_around_halves(dtype), *want[2] = {NULL, NULL}, *got[2] = {NULL, NULL};
        for (int32_t i = TH_isa_count() - 1; i >= 0; i--) {
            THTensor **y = i == TH_isa_count() - 1 ? want : got;
            assert_ok(TH_set_isa(TH_isa_name(i)));
            assert_ok(THTensor_to(&y[0], x, dtype));
            for (int k = 0; k < 65536; k++) ((uint16_t *)THTensor_data(y[0]))[8 * k] = (uint16_t)k; /* all of them */
            assert_ok(THTensor_to(&y[1], y[0], TH_FLOAT32));
            if (y == want) continue;
            for (int k = 0; k < 2; k++) assert_same_bits(got[k], want[k], TH_dtype_name(dtype));
            THTensor_free(got[0]), THTensor_free(got[1]), got[0] = got[1] = NULL;
        }
        assert_ok(TH_set_isa(TH_isa_name(0)));
        for (int64_t i = 0; i < THTensor_numel(x); i += 8)
            for (int k = 1; k < 8; k++) assert_element(want[0], i + k, element(x, i + k), 0);
        THTensor_free(x), THTensor_free(want[0]), THTensor_free(want[1]);
    }
}

/* Turned and sliced matrices larger than any block, against loops. */
static void matrices(void) {
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype += 3) {
        for (int64_t rows = 1; rows < 220; rows = rows * 2 + 3) {
            THTensor *x = tensor_random(dtype, LIST(rows, 131), -100, 100, 1), *t, *part, *y = NULL;
            assert_ok(THTensor_transpose(&t, x, 0, 1));
            assert_ok(THTensor_slice(&part, t, 0, 1, 131, 2));
            assert_ok(THTensor_contiguous(&y, part));
            assert_true(THTensor_is_contiguous(y));
            assert_same(y, part);
            THTensor_free(y), y = NULL;
            assert_ok(THTensor_to(&y, t, TH_FLOAT64));
            for (int64_t i = 0; i < rows * 131; i++) assert_true(element(y, i) == element(t, i));
            THTensor_free(x), THTensor_free(t), THTensor_free(part), THTensor_free(y);
        }
    }
}
static void test_matrices(void **state) { (void)state, on_every_isa(matrices); }

static void test_broadcast(void **state) {
    (void)state;
    THTensor *row = tensor_of(TH_INT32, LIST(3), (double[]){1, 2, 3}),
             *dst = tensor_in_layout(TH_FLOAT16, LIST(2, 2, 3), LAYOUT_ROWS);
    assert_ok(THTensor_copy(dst, row));
    for (int i = 0; i < 12; i++) assert_element(dst, i, 1 + i % 3, 0);
    assert_holes(dst);
    THTensor *column = tensor_of(TH_FLOAT16, LIST(2, 1), (double[]){8, 9});
    assert_ok(THTensor_copy(dst, column));
    for (int i = 0; i < 12; i++) assert_element(dst, i, 8 + i / 3 % 2, 0);
    THTensor *number = NULL, *empty = tensor_empty(TH_INT8, LIST(0, 3));
    assert_ok(THTensor_new_scalar(&number, SCALAR_F(2.5)));
    assert_ok(THTensor_copy(dst, number));
    for (int i = 0; i < 12; i++) assert_element(dst, i, 2.5, 0);
    assert_ok(THTensor_copy(empty, row));
    assert_fails(TH_E_SHAPE, "THTensor_copy: got src float16[2, 1], want sizes that broadcast to dst's, [3]",
                 THTensor_copy(row, column));
    THTensor_free(row), THTensor_free(dst), THTensor_free(column), THTensor_free(number), THTensor_free(empty);
}

static void test_clone_contiguous_to(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(3, 4), -1, 1, 1), *t, *y = NULL, *n = NULL;
    assert_ok(THTensor_transpose(&t, x, 0, 1));
    assert_ok(THTensor_clone(&y, t));
    assert_true(THTensor_is_contiguous(y) && THTensor_storage(y) != THTensor_storage(x));
    assert_same(y, t);
    THTensor_free(y), y = NULL;
    assert_ok(THTensor_contiguous(&y, x));
    assert_ptr_equal(y, x);
    THTensor_free(y), y = NULL;
    assert_ok(THTensor_contiguous(&y, t));
    assert_true(y != t && THTensor_is_contiguous(y));
    THTensor_free(y), y = NULL;
    assert_ok(THTensor_to(&y, t, TH_FLOAT32));
    assert_ptr_equal(y, t);
    THTensor_free(y), y = NULL;
    assert_ok(THTensor_new_scalar(&n, SCALAR_F(0.5)));
    assert_ok(THTensor_to(&y, n, TH_FLOAT64)); /* a number becomes a tensor */
    assert_false(THTensor_is_number(y));
    assert_element(y, 0, 0.5, 0);
    THTensor_free(y), THTensor_free(n), THTensor_free(t), THTensor_free(x);
}

static void test_overlap(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_FLOAT32, LIST(4), (double[]){1, 2, 3, 4}), *head, *tail, *wide, *one;
    const uint64_t version = THStorage_version(THTensor_storage(x));
    assert_ok(THTensor_narrow(&head, x, 0, 0, 3));
    assert_ok(THTensor_narrow(&tail, x, 0, 1, 3));
    assert_fails(TH_E_ARG, "THTensor_copy: got out float32[3] that shares memory", THTensor_copy(head, tail));
    assert_ok(THTensor_narrow(&one, x, 0, 0, 1));
    assert_ok(THTensor_expand(&wide, one, LIST(3)));
    assert_fails(TH_E_ARG, "whose elements share memory", THTensor_copy(wide, tail));
    for (int i = 0; i < 4; i++) assert_element(x, i, i + 1, 0);
    assert_true(THStorage_version(THTensor_storage(x)) == version);
    assert_ok(THTensor_copy(x, x));
    assert_true(THStorage_version(THTensor_storage(x)) == version + 1);
    for (int i = 0; i < 4; i++) assert_element(x, i, i + 1, 0);
    THTensor_free(x), THTensor_free(head), THTensor_free(tail), THTensor_free(wide), THTensor_free(one);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2), 0, 1, 1), *y = NULL;
    assert_fails(TH_E_ARG, "THTensor_copy: dst is NULL", THTensor_copy(NULL, x));
    assert_fails(TH_E_ARG, "THTensor_copy: src is NULL", THTensor_copy(x, NULL));
    assert_fails(TH_E_ARG, "THTensor_clone: t is NULL", THTensor_clone(&y, NULL));
    assert_fails(TH_E_ARG, "THTensor_clone: out is NULL", THTensor_clone(NULL, x));
    assert_fails(TH_E_ARG, "THTensor_contiguous: t is NULL", THTensor_contiguous(&y, NULL));
    assert_fails(TH_E_ARG, "THTensor_to: out is NULL", THTensor_to(NULL, x, TH_INT8));
    assert_fails(TH_E_TYPE, "THTensor_to: got dtype -1", THTensor_to(&y, x, TH_DTYPE_DEFAULT));
    assert_null(y);
    static float memory[2] = {1, 2};
    THStorage *storage = NULL;
    THTensor *foreign = NULL;
    assert_ok(THStorage_new_foreign(&storage, memory, 8, TH_CPU, 1, NULL, NULL));
    assert_ok(THTensor_new_over(&foreign, storage, TH_FLOAT32, (const int64_t[]){2}, NULL, 1, 0));
    THStorage_free(storage), storage = NULL;
    assert_fails(TH_E_ARG, "read-only", THTensor_copy(foreign, x));
    THTensor_free(foreign), foreign = NULL;
    assert_ok(THStorage_new_foreign(&storage, memory, 8, (THDevice)1 << 32, 0, NULL, NULL));
    assert_ok(THTensor_new_over(&foreign, storage, TH_FLOAT32, (const int64_t[]){2}, NULL, 1, 0));
    assert_fails(TH_E_DEVICE, "THTensor_copy: got device 1:0", THTensor_copy(foreign, x));
    assert_fails(TH_E_DEVICE, "THTensor_clone: got device 1:0", THTensor_clone(&y, foreign));
    THStorage_free(storage), THTensor_free(foreign), THTensor_free(x);
}

static void take_memory(void *arg) {
    THTensor *y = NULL;
    THStatus status = THTensor_to(&y, arg, TH_INT16);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y), y = NULL;
    status = THTensor_clone(&y, arg);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !y));
    THTensor_free(y);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x = tensor_in_layout(TH_FLOAT16, LIST(30, 40), LAYOUT_REVERSED);
    oom_each(take_memory, x);
    THTensor_free(x);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),         cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_edges),         cmocka_unit_test(test_all_halves),
        cmocka_unit_test(test_halves_bits),   cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_broadcast),     cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_clone_contiguous_to),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
