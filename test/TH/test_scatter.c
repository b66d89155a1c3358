/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing and adding by index against a serial walk in logical order. */
#include "support/check.h"
#include "support/indexed.h"
#include "support/oom.h"
#include "support/tensors.h"

enum { SCATTER, SCATTER_ADD, SCATTER_MUL, INDEX_ADD };
typedef THStatus (*scatter_fn)(THTensor **, const THTensor *, int32_t, const THTensor *, const THTensor *);
static const scatter_fn calls[] = {TH_scatter, TH_scatter_add, TH_scatter_mul, TH_index_add};

static long double narrowed(THDtype dtype, long double x) {
    switch (dtype) {
    case TH_BOOL: return x != 0;
    case TH_UINT8: return (uint8_t)(int64_t)x;
    case TH_INT8: return (int8_t)(int64_t)x;
    case TH_INT16: return (int16_t)(int64_t)x;
    case TH_INT32: return (int32_t)(int64_t)x;
    default: return TH_dtype_is_floating(dtype) ? round_to(dtype, x) : x;
    }
}

static long double product(THDtype dtype, long double a, long double b) {
    return TH_dtype_is_floating(dtype) ? a * b : (long double)(int64_t)((uint64_t)(int64_t)a * (uint64_t)(int64_t)b);
}

/* want: x's values at first. sizes: the walked space. */
static void expect(THTensor *want, int op, const THTensor *index, const THTensor *src, const int64_t *sizes,
                   int32_t dim, int64_t length) {
    int64_t n = 1;
    for (int32_t d = 0; d < THTensor_ndim(want); d++) n *= sizes[d];
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = coordinate(sizes, THTensor_ndim(want), dim, i);
        const int64_t j = wrapped(element(index, op == INDEX_ADD ? at : i), length);
        const int64_t to = picked_position(want, sizes, dim, i, j);
        const long double value = element(src, picked_position(src, sizes, dim, i, at));
        const THDtype dtype = THTensor_dtype(want);
        const long double old = element(want, to);
        set_element(want, to,
                    op == SCATTER ? value
                                  : narrowed(dtype, op == SCATTER_MUL ? product(dtype, old, value) : old + value));
    }
}

/* The values of x in another floating dtype. */
static THTensor *as_dtype(const THTensor *x, THDtype dtype) {
    THTensor *t = tensor_empty(dtype, THTensor_sizes(x), THTensor_ndim(x));
    for (int64_t i = 0; i < THTensor_numel(x); i++) set_element(t, i, element(x, i));
    return t;
}

/* Halves add and multiply in float32. */
static THTensor *expected(int op, const THTensor *x, const THTensor *index, const THTensor *src, const index_case *c,
                          const int64_t *sizes) {
    const THDtype dtype = THTensor_dtype(x);
    const int half = op != SCATTER && (dtype == TH_FLOAT16 || dtype == TH_BFLOAT16);
    THTensor *want = half ? as_dtype(x, TH_FLOAT32) : tensor_as(x, LAYOUT_CONTIGUOUS), *rounded;
    expect(want, op, index, src, sizes, index_dim(c), index_length(c));
    if (!half) return want;
    rounded = as_dtype(want, dtype);
    THTensor_free(want);
    return rounded;
}

static void check(int op, const THTensor *x, const THTensor *index, const THTensor *src, const index_case *c,
                  const int64_t *sizes, int layout) {
    THTensor *got = NULL, *want = expected(op, x, index, src, c, sizes), *inplace = tensor_as(x, layout),
             *same = inplace;
    THTensor *out = tensor_in_layout(THTensor_dtype(x), c->sizes, c->ndim, 3 - layout);
    assert_ok(calls[op](&got, x, c->dim, index, src));
    assert_same(got, want);
    assert_ok(calls[op](&inplace, inplace, c->dim, index, src));
    assert_ptr_equal(inplace, same);
    assert_same(inplace, want);
    assert_holes(inplace);
    assert_ok(calls[op](&out, x, c->dim, index, src));
    assert_same(out, want);
    assert_holes(out);
    THTensor_free(got), THTensor_free(want), THTensor_free(inplace), THTensor_free(out);
}

static void check_case(THDtype dtype, const index_case *c, int layout) {
    const THDtype index_dtype = layout % 2 ? TH_INT32 : TH_INT64;
    const int32_t dim = index_dim(c);
    int64_t sizes[4], src_sizes[4];
    memcpy(sizes, c->sizes, sizeof sizes);
    sizes[dim] = c->index[dim];
    for (int32_t d = 0; d < c->ndim; d++) src_sizes[d] = c->index[d] + d; /* may be longer than the index */
    THTensor *x = tensor_random(dtype, c->sizes, c->ndim, -100, 100, 7), *laid = tensor_as(x, layout);
    THTensor *index = index_random(index_dtype, c->index, c->ndim, index_length(c), 5),
             *sparse = tensor_as(index, 3 - layout);
    THTensor *src = tensor_random(dtype, src_sizes, c->ndim, -100, 100, 3), *source = tensor_as(src, layout);
    check(SCATTER, laid, sparse, source, c, c->index, layout);
    check(SCATTER_ADD, laid, sparse, source, c, c->index, layout);
    check(SCATTER_MUL, laid, sparse, source, c, c->index, layout);
    THTensor_free(index), THTensor_free(sparse), THTensor_free(src), THTensor_free(source);
    const int64_t entries = c->ndim ? sizes[dim] : 1;
    index = index_random(index_dtype, &entries, 1, index_length(c), 6), sparse = tensor_as(index, 3 - layout);
    src = tensor_random(dtype, sizes, c->ndim, -100, 100, 4), source = tensor_as(src, layout);
    check(INDEX_ADD, laid, sparse, source, c, sizes, layout);
    THTensor_free(index), THTensor_free(sparse), THTensor_free(src), THTensor_free(source);
    THTensor_free(x), THTensor_free(laid);
}

static void test_all(void **state) {
    (void)state;
    check_index_cases(check_case);
}

/* Repeated targets add in logical order whatever the threads: float32 sums of these depend on the order. */
static void test_large(void **state) {
    (void)state;
    static const index_case cases[] = {{2, 0, {50, 2500}, {200, 2500}},
                                       {2, 1, {2500, 20}, {2500, 60}},
                                       {1, 0, {100}, {100000}},
                                       {2, 0, {100, 2}, {50000, 2}}};
    check_large_index_cases(cases, 4, check_case);
}

static void test_expanded(void **state) {
    (void)state;
    const index_case c = {2, 1, {6, 40}, {6, 50}};
    THTensor *x = tensor_random(TH_FLOAT32, c.sizes, 2, -9, 9, 1), *src = NULL, *wide = NULL;
    THTensor *column = index_random(TH_INT64, LIST(6, 1), 40, 2), *one = tensor_random(TH_FLOAT32, LIST(1), 1, 2, 4);
    assert_ok(THTensor_expand(&wide, column, c.index, 2)); /* every entry along dim names the same place */
    assert_ok(THTensor_expand(&src, one, c.index, 2));
    check(SCATTER_ADD, x, wide, src, &c, c.index, LAYOUT_CONTIGUOUS);
    THTensor_free(src);
    src = tensor_random(TH_FLOAT32, c.index, 2, -9, 9, 8);
    check(SCATTER_ADD, x, wide, src, &c, c.index, LAYOUT_CONTIGUOUS);
    check(SCATTER, x, wide, src, &c, c.index, LAYOUT_CONTIGUOUS);
    THTensor_free(column), THTensor_free(one), THTensor_free(wide), THTensor_free(src), THTensor_free(x);
}

/* 1 + 3000 times 2^-12 in float16 stays 1 if every sum is rounded. */
static void test_halves_are_rounded_once(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_FLOAT16, LIST(1), (double[]){1}), *index = tensor_empty(TH_INT64, LIST(3000));
    THTensor *src = tensor_empty(TH_FLOAT16, LIST(3000)), *y = NULL;
    for (int64_t i = 0; i < 3000; i++) set_element(index, i, 0), set_element(src, i, 0x1p-12L);
    assert_ok(TH_scatter_add(&y, x, 0, index, src));
    assert_element(y, 0, 1 + 3000 * 0x1p-12L, 0);
    assert_ok(TH_index_add(&x, x, 0, index, src));
    assert_element(x, 0, 1 + 3000 * 0x1p-12L, 0);
    THTensor_free(x), THTensor_free(index), THTensor_free(src), THTensor_free(y);
}

/* A number for every index. */
static void test_numbers(void **state) {
    (void)state;
    static const double before[] = {1, 2, 3, 4, 5, 6}, put[] = {3, 2, 3, 4, 3, 6}, added[] = {7, 2, 3, 4, 11, 6},
                        multiplied[] = {9, 2, 3, 4, 45, 6};
    const double *const wanted[] = {put, added, multiplied};
    THTensor *index = tensor_of(TH_INT64, LIST(2, 2), (double[]){0, 1, 0, 1}), *y = NULL, *three = NULL;
    THTensor *half = NULL, *many = NULL;
    assert_ok(THTensor_new_scalar(&three, SCALAR_I(3)));
    assert_ok(THTensor_new_scalar(&half, SCALAR_F(0.5)));
    assert_ok(THTensor_new_scalar(&many, SCALAR_I(300)));
    for (THDtype dtype = TH_UINT8; dtype < TH_DTYPE_COUNT; dtype++) {
        THTensor *x = tensor_of(dtype, LIST(2, 3), before), *keep = tensor_of(dtype, LIST(2, 3), before);
        for (int op = SCATTER; op <= SCATTER_MUL; op++) {
            assert_ok(calls[op](&y, x, 0, index, three)); /* column j of index names row j twice */
            for (int64_t i = 0; i < 6; i++) assert_element(y, i, wanted[op][i], 0);
            THTensor_free(y), y = NULL;
            if (!TH_dtype_is_floating(dtype))
                assert_fails(TH_E_TYPE, "want an integer", calls[op](&x, x, 0, index, half));
            if (dtype <= TH_INT8) assert_fails(TH_E_ARG, "got src 300", calls[op](&x, x, 0, index, many));
        }
        assert_same(x, keep);
        THTensor_free(x), THTensor_free(keep);
    }
    THTensor_free(index), THTensor_free(three), THTensor_free(half), THTensor_free(many);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(3, 4), -9, 9, 1), *keep = tensor_as(x, 0), *none = NULL, *part = NULL;
    THTensor *index = index_random(TH_INT64, LIST(3, 4), 3, 3), *src = tensor_random(TH_FLOAT32, LIST(3, 4), -9, 9, 2);
    THTensor *line = index_random(TH_INT32, LIST(2), 3, 3), *whole = tensor_random(TH_INT32, LIST(3, 4), 0, 3, 2);
    set_element(index, 11, 3);
    assert_fails(TH_E_INDEX, "TH_scatter: got index 3 (entry 11), want -3 to 2", TH_scatter(&x, x, 0, index, src));
    assert_fails(TH_E_INDEX, "TH_scatter_add: got index 3", TH_scatter_add(&x, x, 0, index, src));
    assert_same(x, keep); /* untouched */
    set_element(index, 11, 0);
    assert_fails(TH_E_TYPE, "TH_scatter: got src int32[3, 4] for x float32[3, 4]",
                 TH_scatter(&none, x, 0, index, whole));
    assert_fails(TH_E_TYPE, "TH_scatter: got index float32[3, 4], want int32 or int64",
                 TH_scatter(&none, x, 0, src, src));
    assert_fails(TH_E_SHAPE, "TH_scatter_add: got index int32[2]", TH_scatter_add(&none, x, 0, line, src));
    assert_fails(TH_E_SHAPE, "TH_index_add: got index int32[2] and src float32[3, 4]",
                 TH_index_add(&none, x, 0, line, src));
    assert_fails(TH_E_SHAPE, "TH_index_add: got index int64[3, 4]", TH_index_add(&none, x, 0, index, src));
    assert_fails(TH_E_INDEX, "TH_index_add: got dim -3", TH_index_add(&none, x, -3, line, src));
    assert_fails(TH_E_ARG, "TH_scatter: src is NULL", TH_scatter(&none, x, 0, index, NULL));
    assert_fails(TH_E_ARG, "TH_scatter: out is NULL", TH_scatter(NULL, x, 0, index, src));
    assert_fails(TH_E_ARG, "shares memory", TH_scatter(&x, x, 0, index, x)); /* src is the output */
    assert_fails(TH_E_ARG, "shares memory", TH_scatter(&src, x, 0, index, src));
    assert_ok(THTensor_transpose(&part, x, 0, 1));
    THTensor *square = NULL, *turned = NULL;
    assert_ok(THTensor_narrow(&square, x, 1, 0, 3));
    assert_ok(THTensor_transpose(&turned, square, 0, 1));
    THTensor *small = index_random(TH_INT64, LIST(3, 3), 3, 3);
    assert_fails(TH_E_ARG, "shares memory", TH_scatter(&turned, square, 0, small, src)); /* x, but not in place */
    assert_same(x, keep);
    assert_null(none);
    THTensor_free(square), THTensor_free(turned), THTensor_free(small), THTensor_free(part), THTensor_free(whole);
    THTensor_free(x), THTensor_free(keep), THTensor_free(index), THTensor_free(src), THTensor_free(line);
}

static void scatter_each(void *arg) {
    THTensor *const *t = arg, *out = NULL;
    const THStatus status = TH_scatter_add(&out, t[0], 0, t[1], t[0]);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *t[] = {tensor_random(TH_FLOAT32, LIST(5), 0, 1, 1), index_random(TH_INT64, LIST(5), 5, 1)};
    oom_each(scatter_each, t);
    THTensor_free(t[0]), THTensor_free(t[1]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),           cmocka_unit_test(test_large),
        cmocka_unit_test(test_expanded),      cmocka_unit_test(test_halves_are_rounded_once),
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
