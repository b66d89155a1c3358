/* SPDX-License-Identifier: BSD-3-Clause */
/* Recurrences at indexed places against a serial walk in logical order. */
#include "support/check.h"
#include "support/indexed.h"
#include "support/oom.h"
#include "support/tensors.h"

/* Few bits, so that every step is exact; zeros among them. */
static THTensor *factors(THDtype dtype, const int64_t *sizes, int32_t ndim, uint64_t seed) {
    static const long double values[] = {0, 1, -1, 2, -0.5L, 1, 0.5L, -2};
    THTensor *t = tensor_empty(dtype, sizes, ndim);
    for (int64_t i = 0; i < THTensor_numel(t); i++) set_element(t, i, values[random_bits(&seed) >> 40 & 7]);
    return t;
}

typedef struct scan_case {
    const index_case *c;
    const THTensor *x, *index, *a, *b;
} scan_case;

/* last holds x's values at first. */
static void walk(const scan_case *s, THTensor *steps, THTensor *last, int reverse) {
    const int32_t dim = index_dim(s->c);
    const int64_t n = THTensor_numel(s->index);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = reverse ? n - 1 - i : i, j = wrapped(element(s->index, at), index_length(s->c));
        const int64_t to = picked_position(last, s->c->index, dim, at, j);
        const long double before = element(last, to);
        set_element(steps, at, before);
        set_element(last, to, element(s->a, at) * before + (s->b ? element(s->b, at) : 0));
    }
}

static void check_scan(const scan_case *s, int reverse, int layout) {
    const index_case *c = s->c;
    const THDtype dtype = THTensor_dtype(s->x), wide = TH_dtype_size(dtype) == 2 ? TH_FLOAT32 : dtype;
    THTensor *want_steps = tensor_empty(wide, c->index, c->ndim), *want_last = tensor_empty(wide, c->sizes, c->ndim);
    for (int64_t i = 0; i < THTensor_numel(s->x); i++) set_element(want_last, i, element(s->x, i));
    walk(s, want_steps, want_last, reverse);
    THTensor *steps = NULL, *last = NULL;
    THTensor *given_steps = tensor_in_layout(dtype, c->index, c->ndim, layout),
             *given_last = tensor_in_layout(dtype, c->sizes, c->ndim, 3 - layout);
    assert_ok(TH_scatter_scan(&steps, &last, s->x, c->dim, s->index, s->a, s->b, reverse));
    assert_ok(TH_scatter_scan(&given_steps, &given_last, s->x, c->dim, s->index, s->a, s->b, reverse));
    assert_int_equal(THTensor_numel(steps), THTensor_numel(want_steps));
    for (int64_t i = 0; i < THTensor_numel(steps); i++)
        assert_element(steps, i, round_to(dtype, element(want_steps, i)), 0);
    for (int64_t i = 0; i < THTensor_numel(last); i++)
        assert_element(last, i, round_to(dtype, element(want_last, i)), 0);
    assert_same(given_steps, steps), assert_same(given_last, last);
    assert_holes(given_steps), assert_holes(given_last);
    THTensor *const owned[] = {want_steps, want_last, steps, last, given_steps, given_last};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

static void check_case(THDtype dtype, const index_case *c, int layout) {
    if (!TH_dtype_is_floating(dtype)) return;
    THTensor *dense[] = {factors(dtype, c->sizes, c->ndim, 3),
                         index_random(layout % 2 ? TH_INT32 : TH_INT64, c->index, c->ndim, index_length(c), 5),
                         factors(dtype, c->index, c->ndim, 7), factors(dtype, c->index, c->ndim, 9)},
             *laid[4];
    for (int k = 0; k < 4; k++) laid[k] = tensor_as(dense[k], (layout + k) % LAYOUT_COUNT);
    for (int way = 0; way < 4; way++) {
        const scan_case s = {c, laid[0], laid[1], laid[2], way & 1 ? laid[3] : NULL};
        check_scan(&s, way >> 1, layout);
    }
    for (int k = 0; k < 4; k++) THTensor_free(dense[k]), THTensor_free(laid[k]);
}

static void test_all(void **state) { (void)state, check_index_cases(check_case); }

/* Enough lines for threads, and lines longer than a run. */
static void test_large(void **state) {
    (void)state;
    static const index_case cases[] = {{2, 0, {50, 2500}, {200, 2500}}, {1, 0, {5000}, {30000}}};
    check_large_index_cases(cases, 2, check_case);
}

/* Without the others' factors: what the gradient of a product with zeros needs. */
static void test_products_of_the_others(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_FLOAT64, LIST(2), (double[]){5, 7}),
             *ones = tensor_of(TH_FLOAT64, LIST(2), (double[]){1, 1});
    THTensor *a = tensor_of(TH_FLOAT64, LIST(4), (double[]){2, 0, 3, 11}), *index = tensor_empty(TH_INT64, LIST(4));
    const long double at[] = {0, 0, -2, 1}, want[] = {0, 30, 0, 7};
    for (int64_t i = 0; i < 4; i++) set_element(index, i, at[i]);
    THTensor *before = NULL, *behind = NULL, *last[2] = {NULL, NULL};
    assert_ok(TH_scatter_scan(&before, &last[0], x, 0, index, a, NULL, 0));
    assert_ok(TH_scatter_scan(&behind, &last[1], ones, 0, index, a, NULL, 1));
    for (int64_t i = 0; i < 4; i++) assert_true(element(before, i) * element(behind, i) == want[i]);
    assert_element(last[0], 0, 0, 0), assert_element(last[0], 1, 77, 0);
    THTensor *const owned[] = {x, ones, a, index, before, behind, last[0], last[1]};
    for (int i = 0; i < 8; i++) THTensor_free(owned[i]);
}

static void test_errors(void **state) {
    (void)state;
    const char *fn = "TH_scatter_scan";
    THTensor *x = factors(TH_FLOAT32, LIST(3, 4), 1), *a = factors(TH_FLOAT32, LIST(5, 4), 2);
    THTensor *index = index_random(TH_INT64, LIST(5, 4), 3, 3), *wide = factors(TH_FLOAT64, LIST(5, 4), 2);
    THTensor *whole = tensor_random(TH_INT32, LIST(3, 4), 0, 5, 1), *row = factors(TH_FLOAT32, LIST(4), 2);
    THTensor *steps = NULL, *last = NULL;
    const scan_case good = {NULL, x, index, a, NULL};
    const struct {
        scan_case s;
        int32_t dim;
        THStatus status;
        const char *text;
    } bad[] = {{{NULL, NULL, index, a, NULL}, 0, TH_E_ARG, "x is NULL"},
               {{NULL, x, NULL, a, NULL}, 0, TH_E_ARG, "index is NULL"},
               {{NULL, x, index, NULL, NULL}, 0, TH_E_ARG, "a is NULL"},
               {{NULL, whole, index, whole, NULL}, 0, TH_E_TYPE, "want a floating dtype"},
               {{NULL, x, index, wide, NULL}, 0, TH_E_SHAPE, "got a float64[5, 4]"},
               {{NULL, x, index, row, NULL}, 0, TH_E_SHAPE, "got a float32[4]"},
               {{NULL, x, index, a, x}, 0, TH_E_SHAPE, "got b float32[3, 4]"},
               {{NULL, row, index, a, NULL}, 0, TH_E_SHAPE, "as many dimensions"},
               {{NULL, x, index, a, NULL}, 1, TH_E_SHAPE, "none but dim 1 longer"},
               {{NULL, x, index, a, NULL}, 2, TH_E_INDEX, "dim"},
               {{NULL, x, a, a, NULL}, 0, TH_E_TYPE, "want int32 or int64"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const scan_case *s = &bad[k].s;
        assert_int_equal(TH_scatter_scan(&steps, &last, s->x, bad[k].dim, s->index, s->a, s->b, 0), bad[k].status);
        assert_true(strstr(TH_error_message(), fn) && strstr(TH_error_message(), bad[k].text));
        assert_true(!steps && !last);
    }
    set_element(index, 7, 3);
    assert_fails(TH_E_INDEX, fn, TH_scatter_scan(&steps, &last, x, 0, index, a, NULL, 0));
    set_element(index, 7, 0);
    assert_fails(TH_E_ARG, fn, TH_scatter_scan(NULL, &last, x, 0, index, a, NULL, 0));
    assert_fails(TH_E_ARG, fn, TH_scatter_scan(&steps, NULL, x, 0, index, a, NULL, 0));
    assert_fails(TH_E_ARG, fn, TH_scatter_scan(&a, &last, x, 0, index, good.a, NULL, 0)); /* not in place */
    assert_fails(TH_E_ARG, fn, TH_scatter_scan(&steps, &x, good.x, 0, index, a, NULL, 0));
    assert_true(!steps && !last);
    THTensor *const owned[] = {x, a, index, wide, whole, row};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

static void without_memory(void *arg) {
    const scan_case *s = arg;
    THTensor *steps = NULL, *last = NULL;
    const THStatus status = TH_scatter_scan(&steps, &last, s->x, 0, s->index, s->a, s->b, 0);
    assert_true(status == TH_OK ? steps && last : status == TH_E_MEMORY && !steps && !last);
    THTensor_free(steps), THTensor_free(last);
}

static void test_memory(void **state) {
    (void)state;
    THTensor *x = factors(TH_FLOAT16, LIST(3), 1), *a = factors(TH_FLOAT16, LIST(6), 2), *b = tensor_as(a, LAYOUT_GAPS);
    THTensor *index = index_random(TH_INT64, LIST(6), 3, 3);
    scan_case s = {NULL, x, index, a, b};
    oom_each(without_memory, &s);
    THTensor *const owned[] = {x, a, b, index};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),    cmocka_unit_test(test_large),  cmocka_unit_test(test_products_of_the_others),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
