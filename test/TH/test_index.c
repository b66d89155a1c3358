/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading by index against element-by-element lookups. */
#include "support/check.h"
#include "support/indexed.h"
#include "support/oom.h"
#include "support/tensors.h"

static void check_gather(const THTensor *x, const THTensor *index, const index_case *c, int layout) {
    const int32_t dim = index_dim(c);
    THTensor *got = NULL, *out = tensor_in_layout(THTensor_dtype(x), c->index, c->ndim, layout), *given = out;
    assert_ok(TH_gather(&got, x, c->dim, index));
    support_assert_is(got, THTensor_dtype(x), c->index, c->ndim, __FILE__, __LINE__);
    assert_ok(TH_gather(&out, x, c->dim, index));
    assert_ptr_equal(out, given);
    for (int64_t i = 0; i < THTensor_numel(index); i++) {
        const int64_t j = wrapped(element(index, i), index_length(c));
        const long double want = element(x, picked_position(x, c->index, dim, i, j));
        assert_element(got, i, want, 0);
        assert_element(out, i, want, 0);
    }
    assert_holes(out);
    THTensor_free(got), THTensor_free(out);
}

static void check_select(const THTensor *x, const THTensor *index, const index_case *c, int layout) {
    const int32_t dim = index_dim(c);
    int64_t sizes[4] = {0};
    memcpy(sizes, c->sizes, sizeof sizes);
    sizes[dim] = THTensor_numel(index);
    THTensor *got = NULL, *out = tensor_in_layout(THTensor_dtype(x), sizes, c->ndim, layout);
    assert_ok(TH_index_select(&got, x, c->dim, index));
    support_assert_is(got, THTensor_dtype(x), sizes, c->ndim, __FILE__, __LINE__);
    assert_ok(TH_index_select(&out, x, c->dim, index));
    for (int64_t i = 0; i < THTensor_numel(got); i++) {
        const int64_t j = wrapped(element(index, coordinate(sizes, c->ndim, dim, i)), index_length(c));
        const long double want = element(x, picked_position(x, sizes, dim, i, j));
        assert_element(got, i, want, 0);
        assert_element(out, i, want, 0);
    }
    assert_holes(out);
    THTensor_free(got), THTensor_free(out);
}

static void check_case(THDtype dtype, const index_case *c, int layout) {
    const THDtype index_dtype = layout % 2 ? TH_INT32 : TH_INT64;
    THTensor *x = tensor_random(dtype, c->sizes, c->ndim, -100, 100, 7), *laid = tensor_as(x, layout);
    THTensor *index = index_random(index_dtype, c->index, c->ndim, index_length(c), 5),
             *sparse = tensor_as(index, 3 - layout);
    check_gather(laid, sparse, c, layout);
    if (c->ndim) {
        const int64_t n = c->index[index_dim(c)];
        THTensor *flat = index_random(index_dtype, &n, 1, index_length(c), 6), *line = tensor_as(flat, 3 - layout);
        check_select(laid, line, c, layout);
        THTensor_free(flat), THTensor_free(line);
    }
    THTensor_free(x), THTensor_free(laid), THTensor_free(index), THTensor_free(sparse);
}

static void test_all(void **state) {
    (void)state;
    check_index_cases(check_case);
}

/* Many rows and long ones: tasks for threads along every axis. */
static void test_large(void **state) {
    (void)state;
    static const index_case cases[] = {{2, 0, {300, 2500}, {500, 2500}},
                                       {2, 1, {2500, 30}, {2500, 60}},
                                       {1, 0, {1000}, {200000}},
                                       {2, 0, {1000, 2}, {70000, 2}}};
    check_large_index_cases(cases, 4, check_case);
}

static void test_expanded_index(void **state) {
    (void)state;
    const index_case c = {2, 0, {6, 40}, {9, 40}}, along = {2, 1, {6, 40}, {6, 50}};
    THTensor *x = tensor_random(TH_FLOAT32, c.sizes, 2, -9, 9, 1);
    THTensor *column = index_random(TH_INT64, LIST(9, 1), 6, 2), *wide = NULL;
    assert_ok(THTensor_expand(&wide, column, c.index, 2));
    check_gather(x, wide, &c, LAYOUT_CONTIGUOUS);
    THTensor_free(column), THTensor_free(wide), wide = NULL;
    column = index_random(TH_INT64, LIST(6, 1), 40, 2); /* the same entry all along dim */
    assert_ok(THTensor_expand(&wide, column, along.index, 2));
    check_gather(x, wide, &along, LAYOUT_CONTIGUOUS);
    THTensor_free(column), THTensor_free(wide), THTensor_free(x);
}

static void test_scalars(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_INT16, LIST(4, 3), -99, 99, 1), *got = NULL, *zero = NULL;
    THTensor *index = tensor_of(TH_INT64, NULL, 0, (const double[]){-1});
    assert_ok(TH_index_select(&got, x, 0, index));
    assert_is(got, TH_INT16, 1, 3);
    for (int64_t i = 0; i < 3; i++) assert_element(got, i, element(x, 9 + i), 0);
    THTensor_free(got), got = NULL;
    assert_ok(THTensor_new_scalar(&zero, SCALAR_I(7)));
    assert_ok(TH_index_select(&got, zero, 0, index));
    support_assert_is(got, TH_INT64, NULL, 0, __FILE__, __LINE__);
    assert_element(got, 0, 7, 0);
    THTensor_free(got), THTensor_free(zero), THTensor_free(x), THTensor_free(index);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(3, 4), -9, 9, 1), *none = NULL,
             *out = tensor_in_layout(TH_FLOAT32, LIST(2, 4), 0);
    THTensor *high = tensor_of(TH_INT64, LIST(2, 4), (const double[]){0, 1, 2, -3, 0, 3, 9, 0});
    THTensor *low = tensor_of(TH_INT32, LIST(2), (const double[]){0, -4}),
             *real = tensor_of(TH_FLOAT32, LIST(2), (const double[]){0, 1});
    assert_fails(TH_E_INDEX, "TH_gather: got index 3 (entry 5), want -3 to 2 for size 3 of dim 0",
                 TH_gather(&out, x, 0, high));
    assert_fails(TH_E_INDEX, "TH_index_select: got index -4 (entry 1), want -3 to 2", TH_index_select(&out, x, 0, low));
    for (int64_t i = 0; i < 8; i++) assert_true(isnan(element(out, i))); /* untouched */
    assert_fails(TH_E_TYPE, "TH_index_select: got index float32[2], want int32 or int64",
                 TH_index_select(&none, x, 0, real));
    assert_fails(TH_E_SHAPE, "TH_index_select: got index int64[2, 4] for x float32[3, 4]",
                 TH_index_select(&none, x, 0, high));
    assert_fails(TH_E_SHAPE, "TH_gather: got index int32[2] for x float32[3, 4]", TH_gather(&none, x, 0, low));
    assert_fails(TH_E_INDEX, "TH_gather: got dim 2", TH_gather(&none, x, 2, high));
    assert_fails(TH_E_ARG, "TH_gather: index is NULL", TH_gather(&none, x, 0, NULL));
    assert_fails(TH_E_ARG, "TH_gather: x is NULL", TH_gather(&none, NULL, 0, high));
    assert_fails(TH_E_ARG, "TH_gather: out is NULL", TH_gather(NULL, x, 0, high));
    set_element(high, 5, 0), set_element(high, 6, 0);
    THTensor_free(out);
    out = tensor_empty(TH_FLOAT64, LIST(2, 4));
    assert_fails(TH_E_TYPE, "TH_gather: got out float64[2, 4], want float32", TH_gather(&out, x, 0, high));
    THTensor_free(out), out = NULL;
    assert_ok(THTensor_narrow(&out, x, 0, 0, 2));
    assert_fails(TH_E_ARG, "shares memory", TH_gather(&out, x, 0, high));
    assert_null(none);
    THTensor_free(out), THTensor_free(x), THTensor_free(high), THTensor_free(low), THTensor_free(real);
}

static void gather_each(void *arg) {
    THTensor *const *t = arg, *out = NULL;
    const THStatus status = TH_gather(&out, t[0], 0, t[1]);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *t[] = {tensor_random(TH_FLOAT32, LIST(5), 0, 1, 1), index_random(TH_INT64, LIST(5), 5, 1)};
    oom_each(gather_each, t);
    THTensor_free(t[0]), THTensor_free(t[1]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),     cmocka_unit_test(test_large),  cmocka_unit_test(test_expanded_index),
        cmocka_unit_test(test_scalars), cmocka_unit_test(test_errors), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
