/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions against references in long double (integers modulo 2^64). */
#include "support/check.h"
#include "support/oom.h"
#include "support/reduction.h"
#include "support/tensors.h"

#include <stdio.h>

typedef THStatus (*reduce_fn)(THTensor **, const THTensor *, const int32_t *, int32_t, int32_t);
enum { SUM, FLOAT, ORDER, TEST };

/* ---- references ---- */

static long double want_sum(const long double *v, int64_t n) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i];
    return sum;
}

static long double want_mean(const long double *v, int64_t n) { return n ? want_sum(v, n) / n : (long double)NAN; }

static long double want_prod(const long double *v, int64_t n) {
    long double prod = 1;
    for (int64_t i = 0; i < n; i++) prod *= v[i];
    return prod;
}

static long double want_max(const long double *v, int64_t n) {
    long double most = v[0];
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]) || v[i] > most) most = v[i];
    return most;
}

static long double want_min(const long double *v, int64_t n) {
    long double least = v[0];
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]) || v[i] < least) least = v[i];
    return least;
}

static long double want_any(const long double *v, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (v[i] != 0) return 1;
    return 0;
}

static long double want_all(const long double *v, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (v[i] == 0) return 0;
    return 1;
}

static int64_t want_wrapped(const char *name, const long double *v, int64_t n) {
    const int sums = strcmp(name, "sum") == 0;
    uint64_t total = !sums;
    for (int64_t i = 0; i < n; i++) total = sums ? total + (uint64_t)(int64_t)v[i] : total * (uint64_t)(int64_t)v[i];
    return (int64_t)total;
}

static const struct op_row {
    const char *name;
    reduce_fn call;
    long double (*want)(const long double *v, int64_t n);
    int class;
} ops[] = {
#define TH_REDUCE(name, class) {#name, TH_##name, want_##name, class},
#include "TH/ops/reduce.def"
#undef TH_REDUCE
};
enum { OPS = sizeof ops / sizeof *ops };

/* ---- every op, dtype, shape, layout and ISA ---- */

static THDtype result_type(const struct op_row *op, THDtype dtype) {
    if (op->class == TEST) return TH_BOOL;
    return op->class == SUM && !TH_dtype_is_floating(dtype) ? TH_INT64 : dtype;
}

static void assert_values(const struct op_row *op, const THTensor *got, const slices *s, THDtype from) {
    const THDtype dtype = THTensor_dtype(got);
    for (int64_t o = 0; o < s->outputs; o++) {
        const long double *v = s->value + o * s->count;
        if (op->class == SUM && !TH_dtype_is_floating(from)) {
            assert_int_equal((int64_t)element(got, o), want_wrapped(op->name, v, s->count));
            continue;
        }
        const long double want = op->want(v, s->count), value = element(got, o);
        if (op->class == ORDER || op->class == TEST || !isfinite(want)) {
            assert_element(got, o, want, 0);
            continue;
        }
        const int product = strcmp(op->name, "prod") == 0;
        long double size = 0; /* rounding inside is relative to the sum of sizes, that of the result to itself */
        for (int64_t i = 0; i < s->count; i++) size += fabsl(v[i]);
        if (op->class == FLOAT) size /= (long double)s->count;
        const long double inside = product               ? (long double)s->count * 0x1p-53L * fabsl(want) / size
                                   : dtype == TH_FLOAT64 ? 0x1p-50L
                                                         : 0x1p-24L;
        if (fabsl(value - want) <= ulp_of(dtype, want) * 0.51L + inside * size) continue;
        assert_element(got, o, want, 0);
    }
}

/* keepdim, into a given strided output, which keeps its strides. */
static void check_given(const struct op_row *op, const THTensor *x, const reduction_case *c, const slices *s,
                        int layout) {
    const THDtype dtype = result_type(op, THTensor_dtype(x));
    THTensor *out = tensor_in_layout(dtype, s->sizes, s->ndim, layout), *given = out;
    int64_t strides[TH_MAX_DIM];
    memcpy(strides, THTensor_strides(out), (size_t)s->ndim * sizeof *strides);
    assert_ok(op->call(&out, x, c->dims, c->ndims, 1));
    assert_ptr_equal(out, given);
    assert_memory_equal(strides, THTensor_strides(out), (size_t)s->ndim * sizeof *strides);
    assert_values(op, out, s, THTensor_dtype(x));
    assert_holes(out);
    THTensor_free(out);
}

static void check_op(const struct op_row *op, const THTensor *x, const reduction_case *c, const slices *s, int layout) {
    const THDtype dtype = THTensor_dtype(x);
    THTensor *got = NULL;
    char name[32];
    snprintf(name, sizeof name, "TH_%s: got x ", op->name);
    if (op->class == FLOAT && !TH_dtype_is_floating(dtype)) {
        assert_fails(TH_E_TYPE, name, op->call(&got, x, c->dims, c->ndims, 0));
    } else if (op->class == ORDER && s->count == 0) {
        assert_fails(TH_E_SHAPE, name, op->call(&got, x, c->dims, c->ndims, 0));
    } else {
        assert_ok(op->call(&got, x, c->dims, c->ndims, 0));
        support_assert_is(got, result_type(op, dtype), s->kept_sizes, s->kept_ndim, __FILE__, __LINE__);
        assert_values(op, got, s, dtype);
        check_given(op, x, c, s, layout);
    }
    THTensor_free(got);
}

static void check_case(THDtype dtype, const reduction_case *c, uint64_t seed) {
    THTensor *x = tensor_random(dtype, c->sizes, c->ndim, -3, 3, seed);
    slices s = slices_of(x, c->dims, c->ndims);
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        THTensor *laid = tensor_as(x, layout);
        for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
            assert_ok(TH_set_isa(TH_isa_name(isa)));
            for (int op = 0; op < OPS; op++) check_op(&ops[op], laid, c, &s, layout);
        }
        THTensor_free(laid);
    }
    test_free(s.value);
    THTensor_free(x);
}

static void test_all(void **state) {
    (void)state;
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int c = 0; c < REDUCTION_CASES; c++)
            check_case(dtype, &reduction_cases[c], (uint64_t)(dtype * 100 + c + 1));
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* An input that is stretched along reduced and along kept dimensions. */
static void test_expanded(void **state) {
    (void)state;
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int32_t dim = 0; dim < 3; dim++)
            for (int op = 0; op < OPS; op++) {
                THTensor *x = tensor_random(dtype, LIST(20, 1, 3), -3, 3, 9), *wide = NULL;
                assert_ok(THTensor_expand(&wide, x, LIST(20, 40, 3)));
                const reduction_case c = {3, {20, 40, 3}, 1, {dim}};
                slices s = slices_of(wide, c.dims, 1);
                check_op(&ops[op], wide, &c, &s, LAYOUT_GAPS);
                test_free(s.value);
                THTensor_free(wide), THTensor_free(x);
            }
}

/* Row lengths around the lanes, the fours and the blocks; starts that are not aligned. */
static void test_lengths(void **state) {
    (void)state;
    static const int64_t lengths[] = {1,   2,   31,  32,  33,   63,   64,   127,  128,
                                      129, 160, 255, 257, 4095, 4096, 4097, 8193, 65537 + 4096};
    const reduction_case all = {1, {0}, 0, {0}};
    for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
        assert_ok(TH_set_isa(TH_isa_name(isa)));
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
                const int64_t n = lengths[i] + 1;
                THTensor *base = tensor_random(dtype, &n, 1, 0.999, 1.001, (uint64_t)n), *x = NULL, *got = NULL;
                assert_ok(THTensor_narrow(&x, base, 0, 1, lengths[i]));
                slices s = slices_of(x, all.dims, 0);
                for (int op = 0; op < OPS; op++) {
                    assert_ok(ops[op].call(&got, x, NULL, 0, 0));
                    assert_values(&ops[op], got, &s, dtype);
                    THTensor_free(got);
                    got = NULL;
                }
                test_free(s.value);
                THTensor_free(x), THTensor_free(base);
            }
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* Rows and columns of every type, around what kernels take side by side. */
static void test_widths(void **state) {
    (void)state;
    static const int64_t widths[] = {1,  7,  8,  9,  12,  15,  17,  20,  31,  32,  33,
                                     63, 64, 65, 71, 100, 127, 129, 250, 256, 257, 500};
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            const reduction_case columns = {2, {17, widths[i]}, 1, {0}}, rows = {2, {3, widths[i]}, 1, {1}};
            check_case(dtype, &columns, (uint64_t)(dtype * 200 + widths[i]));
            check_case(dtype, &rows, (uint64_t)(dtype * 300 + widths[i]));
        }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* ---- accuracy ---- */

static void assert_sum(const THTensor *x, const int32_t *dims, int32_t ndims, long double want) {
    THTensor *got = NULL;
    assert_ok(TH_sum(&got, x, dims, ndims, 0));
    for (int64_t i = 0; i < THTensor_numel(got); i += 1 + THTensor_numel(got) / 10) assert_element(got, i, want, 0);
    THTensor_free(got);
}

/* Sums of very many ones do not stall at 2^24, whatever the layout. */
static void test_ones(void **state) {
    (void)state;
    const float one = 1;
    const int64_t size = 1;
    THTensor *x = NULL, *many = NULL, *rows = NULL;
    assert_ok(THTensor_new_copy(&x, TH_FLOAT32, &size, 1, &one));
    assert_ok(THTensor_expand(&many, x, LIST(100000000)));
    assert_sum(many, NULL, 0, 1e8L);
    assert_ok(THTensor_expand(&rows, x, LIST(40000000, 1)));
    assert_sum(rows, DIMS(0), 4e7L);
    THTensor_free(many), THTensor_free(rows), THTensor_free(x);
    x = tensor_empty(TH_UINT8, LIST(20000000, 1)); /* columns of ones, beyond 2^24 rows */
    memset(THTensor_data(x), 1, 20000000);
    assert_sum(x, DIMS(0), 2e7L);
    THTensor_free(x);
}

static void fill_rows(THTensor *x, double (*value)(int64_t i)) {
    float *p = THTensor_data(x);
    for (int64_t i = 0; i < THTensor_numel(x); i++) p[i] = (float)value(i);
}

static double tenth(int64_t i) { return (void)i, 0.1; }

/* The accumulator is as wide for columns and strided elements as for rows. */
static void test_layouts_agree(void **state) {
    (void)state;
    enum { N = 300000 };
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(N, 9)), *column = NULL, *turned = NULL, *got = NULL;
    fill_rows(x, tenth);
    assert_sum(x, DIMS(0), (long double)0.1f * N);
    assert_ok(THTensor_select(&column, x, 1, 4));
    assert_sum(column, NULL, 0, (long double)0.1f * N);
    assert_ok(THTensor_transpose(&turned, x, 0, 1));
    assert_sum(turned, DIMS(1), (long double)0.1f * N);
    assert_ok(TH_mean(&got, x, NULL, 0, 0));
    assert_element(got, 0, 0.1f, 0);
    THTensor_free(got), THTensor_free(turned), THTensor_free(column), THTensor_free(x);
}

/* Halves: neither the sum's steps nor its intermediate size are those of 16 bits. */
static void test_halves(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_BFLOAT16; dtype++) {
        THTensor *x = tensor_empty(dtype, LIST(70000)), *got = NULL, *wide = tensor_empty(TH_FLOAT32, NULL, 0);
        for (int64_t i = 0; i < 70000; i++) set_element(x, i, i % 2 ? 1.5L : 0.5L);
        assert_ok(TH_mean(&got, x, NULL, 0, 0)); /* the sum, 70000, is beyond float16 */
        assert_element(got, 0, 1, 0);
        assert_ok(TH_sum(&wide, x, NULL, 0, 0));
        assert_element(wide, 0, 70000, 0);
        THTensor_free(x), THTensor_free(got), THTensor_free(wide);
    }
}

/* What overflows in float32 on the way, but not in the end. */
static void test_large_values(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(400, 20)), *got = NULL;
    for (int64_t i = 0; i < 8000; i++) set_element(x, i, i < 4000 ? 3e38f : -3e38f);
    assert_sum(x, NULL, 0, 0);
    assert_sum(x, DIMS(0), 0);
    assert_ok(TH_mean(&got, x, DIMS(1), 0));
    assert_element(got, 0, 3e38f, 0);
    THTensor_free(got), THTensor_free(x);
}

/* A float64 output is accumulated and rounded in float64. */
static void test_wide_output(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(1000, 40), 0, 1, 5);
    for (int32_t dim = 0; dim < 2; dim++) {
        slices s = slices_of(x, &dim, 1);
        THTensor *got = tensor_empty(TH_FLOAT64, s.kept_sizes, s.kept_ndim);
        assert_ok(TH_sum(&got, x, &dim, 1, 0));
        assert_values(&ops[0], got, &s, TH_FLOAT32);
        test_free(s.value);
        THTensor_free(got);
    }
    THTensor_free(x);
}

static void test_integers_wrap(void **state) {
    (void)state;
    const double big[] = {9223372036854774784.0, 9223372036854774784.0, 3};
    THTensor *x = tensor_of(TH_INT64, LIST(3), big), *got = NULL;
    assert_ok(TH_sum(&got, x, NULL, 0, 0));
    assert_int_equal((int64_t)element(got, 0), 3 - 2048);
    THTensor_free(got), THTensor_free(x);
    x = tensor_empty(TH_INT8, LIST(1000)), got = NULL;
    memset(THTensor_data(x), 127, 1000);
    assert_ok(TH_sum(&got, x, NULL, 0, 0));
    assert_int_equal((int64_t)element(got, 0), 127000);
    THTensor_free(got), THTensor_free(x);
}

/* ---- NaN and infinities ---- */

static void test_nan(void **state) {
    (void)state;
    static const THDtype floating[] = {TH_FLOAT16, TH_BFLOAT16, TH_FLOAT32, TH_FLOAT64};
    for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
        assert_ok(TH_set_isa(TH_isa_name(isa)));
        for (int d = 0; d < 4; d++)
            for (int64_t at = 0; at < 300; at += at < 5 ? 1 : 23)
                for (int op = 0; op < OPS; op++) {
                    THTensor *x = tensor_random(floating[d], LIST(300, 9), 1, 2, 3), *got = NULL;
                    set_element(x, at * 9 + 4, NAN);
                    assert_ok(ops[op].call(&got, x, DIMS(0), 0));
                    assert_true(ops[op].class == TEST ? element(got, 4) == 1 : isnan(element(got, 4)));
                    assert_false(isnan(element(got, 3)));
                    THTensor_free(got), got = NULL;
                    THTensor_free(x);
                    x = tensor_random(floating[d], LIST(300), 1, 2, 3);
                    set_element(x, at, NAN);
                    assert_ok(ops[op].call(&got, x, NULL, 0, 0));
                    assert_true(ops[op].class == TEST ? element(got, 0) == 1 : isnan(element(got, 0)));
                    THTensor_free(got), THTensor_free(x);
                }
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

static void test_infinities(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(40, 40)), *got = NULL;
    for (int64_t i = 0; i < 1600; i++) set_element(x, i, -INFINITY);
    assert_ok(TH_max(&got, x, DIMS(1), 0));
    assert_element(got, 7, -INFINITY, 0);
    THTensor_free(got), got = NULL;
    assert_ok(TH_sum(&got, x, DIMS(0), 0));
    assert_element(got, 7, -INFINITY, 0);
    THTensor_free(got), got = NULL;
    set_element(x, 5, INFINITY);
    assert_ok(TH_sum(&got, x, NULL, 0, 0));
    assert_true(isnan(element(got, 0)));
    THTensor_free(got), THTensor_free(x);
}

/* ---- the same bits for any number of threads and any ISA ---- */

static void test_same_bits(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 300000}, {3, 100000}, {100000, 3}, {300, 1000}, {20000, 16}, {100000, 9}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++)
            for (int32_t dim = -1; dim < 2; dim++) {
                THTensor *x = tensor_random(dtype, shapes[i], 2, -1, 1, 11), *one = NULL, *other = NULL;
                assert_ok(TH_set_num_threads(1));
                assert_ok(TH_sum(&one, x, &dim, dim >= 0, 0));
                for (int32_t k = 0; k < 2 * TH_isa_count(); k++) {
                    assert_ok(TH_set_num_threads(1 + k % 2));
                    assert_ok(TH_set_isa(TH_isa_name(k / 2)));
                    assert_ok(TH_sum(&other, x, &dim, dim >= 0, 0));
                    assert_memory_equal(THTensor_data(one), THTensor_data(other),
                                        (size_t)(THTensor_numel(one) * TH_dtype_size(dtype)));
                }
                THTensor_free(one), THTensor_free(other), THTensor_free(x);
            }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

static void test_large(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{2, 100003}, {100003, 2}, {5000, 40}, {40, 5000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int op = 0; op < OPS; op++)
            for (int32_t dim = 0; dim < 2; dim++) {
                THTensor *x = tensor_random(TH_FLOAT32, shapes[i], 2, 0.9, 1.1, 11), *got = NULL, *turned = NULL;
                slices s = slices_of(x, &dim, 1);
                assert_ok(ops[op].call(&got, x, &dim, 1, 0));
                assert_values(&ops[op], got, &s, TH_FLOAT32);
                assert_ok(THTensor_transpose(&turned, x, 0, 1));
                const int32_t other = !dim;
                THTensor *again = NULL;
                assert_ok(ops[op].call(&again, turned, &other, 1, 0));
                assert_values(&ops[op], again, &s, TH_FLOAT32);
                THTensor_free(again), THTensor_free(turned), THTensor_free(got), THTensor_free(x);
                test_free(s.value);
            }
}

/* ---- outputs and errors ---- */

static void test_given_output(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_INT32, LIST(3, 4), -9, 9, 1), *out = tensor_empty(TH_FLOAT16, LIST(3));
    slices s = slices_of(x, (const int32_t[]){1}, 1);
    assert_ok(TH_sum(&out, x, DIMS(1), 0));
    for (int64_t i = 0; i < 3; i++) assert_element(out, i, want_sum(s.value + 4 * i, 4), 0);
    test_free(s.value);
    THTensor_free(out);
    out = tensor_empty(TH_BOOL, LIST(3));
    assert_fails(TH_E_TYPE, "TH_sum: got out bool[3]", TH_sum(&out, x, DIMS(1), 0));
    THTensor_free(out);
    out = tensor_empty(TH_INT64, LIST(4));
    assert_fails(TH_E_SHAPE, "TH_sum: got out int64[4], want sizes [3]", TH_sum(&out, x, DIMS(1), 0));
    THTensor_free(out);
    assert_ok(THTensor_select(&out, x, 1, 0));
    assert_fails(TH_E_ARG, "shares memory", TH_max(&out, x, DIMS(1), 0));
    THTensor_free(out), THTensor_free(x);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -9, 9, 1), *out = NULL;
    assert_fails(TH_E_ARG, "TH_sum: out is NULL", TH_sum(NULL, x, NULL, 0, 0));
    assert_fails(TH_E_ARG, "TH_prod: x is NULL", TH_prod(&out, NULL, NULL, 0, 0));
    assert_fails(TH_E_INDEX, "TH_max: got dim 2, want -2 to 1", TH_max(&out, x, DIMS(2), 0));
    assert_fails(TH_E_INDEX, "TH_max: got dim -3", TH_max(&out, x, DIMS(0, -3), 0));
    assert_fails(TH_E_ARG, "TH_min: got dimension 1 twice", TH_min(&out, x, DIMS(1, 0, -1), 0));
    assert_fails(TH_E_ARG, "TH_all: got ndims -1", TH_all(&out, x, (const int32_t[]){0}, -1, 0));
    assert_fails(TH_E_ARG, "TH_any: got ndims 1 and dims NULL", TH_any(&out, x, NULL, 1, 0));
    assert_null(out);
    THTensor_free(x);
}

/* arg: a tensor so large that partial results need memory of their own. */
static void sum_each(void *arg) {
    THTensor *out = NULL;
    const THStatus status = TH_sum(&out, arg, NULL, 0, 0);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(200000), 0, 1, 1);
    THTensor *out = tensor_of(TH_FLOAT32, NULL, 0, (const double[]){7}), *given = out;
    oom_each(sum_each, x);
    TH_memory_set_cache_limit(0);
    support_oom_left = 0;
    assert_fails(TH_E_MEMORY, "TH_sum: could not allocate", TH_sum(&out, x, NULL, 0, 0));
    support_oom_left = -1;
    assert_ptr_equal(out, given);
    assert_element(out, 0, 7, 0);
    THTensor_free(x), THTensor_free(out);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),           cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_lengths),       cmocka_unit_test(test_widths),
        cmocka_unit_test(test_ones),          cmocka_unit_test(test_layouts_agree),
        cmocka_unit_test(test_halves),        cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_wide_output),   cmocka_unit_test(test_integers_wrap),
        cmocka_unit_test(test_nan),           cmocka_unit_test(test_infinities),
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_large),
        cmocka_unit_test(test_given_output),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
