/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining against element-by-element placement. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

enum { MOST = 5 };

/* Element i of the join of t along dim comes from tensor *which, position *at. */
static void origin(const THTensor *got, const THTensor *const *t, int32_t dim, int64_t i, int32_t *which, int64_t *at) {
    int64_t position[TH_MAX_DIM];
    for (int32_t d = THTensor_ndim(got) - 1; d >= 0; d--) {
        position[d] = i % THTensor_sizes(got)[d];
        i /= THTensor_sizes(got)[d];
    }
    for (*which = 0;; ++*which) {
        const THTensor *k = t[*which];
        if (THTensor_ndim(k) != THTensor_ndim(got)) continue; /* skipped */
        if (position[dim] < THTensor_sizes(k)[dim]) break;
        position[dim] -= THTensor_sizes(k)[dim];
    }
    *at = 0;
    for (int32_t d = 0; d < THTensor_ndim(got); d++) *at = *at * THTensor_sizes(t[*which])[d] + position[d];
}

static void assert_joined(const THTensor *got, const THTensor *const *t, int32_t dim) {
    for (int64_t i = 0; i < THTensor_numel(got); i++) {
        int32_t which;
        int64_t at;
        origin(got, t, dim, i, &which, &at);
        assert_element(got, i, element(t[which], at), 0);
    }
}

static void check(THTensor *const *owned, int32_t n, int32_t dim, THDtype dtype, const int64_t *sizes, int32_t ndim) {
    const THTensor *t[MOST];
    THTensor *got = NULL;
    for (int32_t i = 0; i < n; i++) t[i] = owned[i];
    assert_ok(TH_cat(&got, t, n, dim));
    support_assert_is(got, dtype, sizes, ndim, __FILE__, __LINE__);
    assert_joined(got, t, dim < 0 ? dim + ndim : dim);
    THTensor_free(got);
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        THTensor *out = tensor_in_layout(dtype, sizes, ndim, layout), *given = out;
        assert_ok(TH_cat(&out, t, n, dim));
        assert_ptr_equal(out, given);
        assert_joined(out, t, dim < 0 ? dim + ndim : dim);
        assert_holes(out);
        THTensor_free(out);
    }
}

static void free_all(THTensor **t, int32_t n) {
    for (int32_t i = 0; i < n; i++) THTensor_free(t[i]);
}

static void test_layouts(void **state) {
    (void)state;
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            for (int32_t dim = -3; dim < 3; dim++) {
                int64_t sizes[] = {2, 3, 4}, total = 0;
                THTensor *t[4];
                for (int i = 0; i < 4; i++) { /* the third is empty along dim */
                    sizes[(dim + 3) % 3] = i == 2 ? 0 : 1 + i;
                    total += sizes[(dim + 3) % 3];
                    THTensor *x = tensor_random(dtype, sizes, 3, -100, 100, (uint64_t)i);
                    t[i] = tensor_as(x, (layout + i) % LAYOUT_COUNT);
                    THTensor_free(x);
                }
                sizes[(dim + 3) % 3] = total;
                check(t, 4, dim, dtype, sizes, 3);
                free_all(t, 4);
            }
}

static void test_promotion(void **state) {
    (void)state;
    for (THDtype a = 0; a < TH_DTYPE_COUNT; a++)
        for (THDtype b = 0; b < TH_DTYPE_COUNT; b++) {
            THDtype both;
            assert_ok(TH_promote_types(&both, a, b));
            THTensor *t[] = {tensor_random(a, LIST(2, 2), 0, 100, 1), tensor_random(b, LIST(3, 2), 0, 100, 2)};
            check(t, 2, 0, both, (const int64_t[]){5, 2}, 2);
            free_all(t, 2);
        }
}

/* 1-D tensors of size 0 are skipped, wherever they stand; empty ones of other shapes are checked. */
static void test_empties(void **state) {
    (void)state;
    for (int at = 0; at < 3; at++) {
        THTensor *t[3];
        for (int i = 0; i < 3; i++)
            t[i] = i == at ? tensor_empty(TH_FLOAT32, LIST(0)) : tensor_random(TH_FLOAT32, LIST(2, 3), 0, 1, 1);
        check(t, 3, 1, TH_FLOAT32, (const int64_t[]){2, 6}, 2);
        free_all(t, 3);
    }
    THTensor *none[] = {tensor_empty(TH_INT8, LIST(0)), tensor_empty(TH_INT8, LIST(0))};
    check(none, 2, 0, TH_INT8, (const int64_t[]){0}, 1);
    free_all(none, 2);
    THTensor *wide[] = {tensor_empty(TH_INT8, LIST(0, 3)), tensor_random(TH_INT8, LIST(2, 3), 0, 9, 1)}, *got = NULL;
    check(wide, 2, 0, TH_INT8, (const int64_t[]){2, 3}, 2);
    assert_fails(TH_E_SHAPE, "TH_cat: got int8[0, 3] and, as tensor 1, int8[2, 3]",
                 TH_cat(&got, (const THTensor *const *)wide, 2, 1));
    free_all(wide, 2);
}

static void test_many(void **state) {
    (void)state;
    enum { N = 300 };
    const THTensor *t[N];
    THTensor *got = NULL;
    for (int i = 0; i < N; i++) t[i] = tensor_random(TH_INT32, LIST(1 + i % 4, 500), -9, 9, (uint64_t)i);
    assert_ok(TH_cat(&got, t, N, 0));
    assert_is(got, TH_INT32, 750, 500);
    assert_joined(got, t, 0);
    THTensor_free(got);
    for (int i = 0; i < N; i++) THTensor_free((THTensor *)t[i]);
}

static void test_stack(void **state) {
    (void)state;
    for (int32_t dim = -3; dim < 3; dim++) {
        THTensor *t[] = {tensor_random(TH_INT16, LIST(2, 3), -9, 9, 1), tensor_random(TH_FLOAT32, LIST(2, 3), -9, 9, 2),
                         NULL};
        assert_ok(THTensor_transpose(&t[2], t[0], 0, 1));
        THTensor *flat = NULL;
        assert_ok(THTensor_reshape(&flat, t[2], LIST(2, 3)));
        const THTensor *list[] = {t[0], t[1], flat};
        const int32_t d = (dim + 3) % 3;
        int64_t sizes[3] = {2, 3, 3};
        for (int k = 0, from = 0; k < 3; k++) sizes[k] = k == d ? 3 : from++ ? 3 : 2;
        THTensor *out = NULL;
        for (int given = 0; given < 2; given++) {
            assert_ok(TH_stack(&out, list, 3, dim));
            support_assert_is(out, TH_FLOAT32, sizes, 3, __FILE__, __LINE__);
            for (int32_t i = 0; i < 3; i++) {
                THTensor *one = NULL;
                assert_ok(THTensor_select(&one, out, d, i));
                for (int64_t k = 0; k < 6; k++) assert_element(one, k, element(list[i], k), 0);
                THTensor_free(one);
            }
            if (!given) THTensor_free(out), out = tensor_in_layout(TH_FLOAT32, sizes, 3, LAYOUT_REVERSED);
        }
        assert_holes(out);
        THTensor_free(out), THTensor_free(flat);
        free_all(t, 3);
    }
    THTensor *a = NULL, *b = NULL, *got = NULL;
    assert_ok(THTensor_new_scalar(&a, SCALAR_F(1.5)));
    assert_ok(THTensor_new_scalar(&b, SCALAR_I(2)));
    assert_ok(TH_stack(&got, (const THTensor *[]){a, b}, 2, 0));
    assert_is(got, TH_FLOAT32, 2);
    assert_element(got, 0, 1.5L, 0);
    assert_element(got, 1, 2, 0);
    THTensor_free(a), THTensor_free(b), THTensor_free(got);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *a = tensor_random(TH_FLOAT32, LIST(2, 3), 0, 1, 1), *b = tensor_random(TH_FLOAT32, LIST(2, 4), 0, 1, 1);
    THTensor *none = NULL, *part = NULL, *zero = tensor_empty(TH_FLOAT32, NULL, 0),
             *whole = tensor_empty(TH_INT32, LIST(4, 3));
    const THTensor *both[] = {a, b}, *null[] = {a, NULL}, *twice[] = {a, a}, *scalar[] = {zero};
    assert_fails(TH_E_SHAPE, "TH_cat: got float32[2, 3] and, as tensor 1, float32[2, 4], want equal sizes",
                 TH_cat(&none, both, 2, 0));
    assert_fails(TH_E_SHAPE, "TH_stack: got float32[2, 3] and, as tensor 1, float32[2, 4]",
                 TH_stack(&none, both, 2, 0));
    assert_fails(TH_E_SHAPE, "want tensors with dimensions", TH_cat(&none, scalar, 1, 0));
    assert_fails(TH_E_ARG, "TH_cat: a tensor is NULL", TH_cat(&none, null, 2, 0));
    assert_fails(TH_E_ARG, "TH_cat: tensors is NULL", TH_cat(&none, NULL, 2, 0));
    assert_fails(TH_E_ARG, "TH_cat: got 0 tensors", TH_cat(&none, both, 0, 0));
    assert_fails(TH_E_ARG, "TH_stack: out is NULL", TH_stack(NULL, both, 2, 0));
    assert_fails(TH_E_INDEX, "TH_cat: got dim 2", TH_cat(&none, twice, 2, 2));
    assert_fails(TH_E_INDEX, "TH_stack: got dim 3", TH_stack(&none, twice, 2, 3));
    assert_fails(TH_E_TYPE, "TH_cat: got out int32[4, 3]", TH_cat(&whole, twice, 2, 0));
    assert_fails(TH_E_SHAPE, "TH_cat: got out int32[4, 3], want sizes [2, 6]", TH_cat(&whole, twice, 2, 1));
    THTensor *big = tensor_random(TH_FLOAT32, LIST(4, 3), 0, 1, 1), *keep = tensor_as(big, 0);
    assert_ok(THTensor_narrow(&part, big, 0, 1, 2));
    assert_fails(TH_E_ARG, "shares memory", TH_cat(&big, (const THTensor *[]){a, part}, 2, 0));
    assert_same(big, keep);
    assert_null(none);
    THTensor_free(a), THTensor_free(b), THTensor_free(zero), THTensor_free(whole), THTensor_free(part);
    THTensor_free(big), THTensor_free(keep);
}

typedef struct oom_job {
    const THTensor *t[3];
    int given;
} oom_job;

static void join_each(void *arg) {
    const oom_job *job = arg;
    THTensor *out = NULL;
    THStatus status = job->given ? THTensor_new(&out, TH_FLOAT32, LIST(6, 3)) : TH_OK;
    if (status == TH_OK && out)
        for (int64_t i = 0; i < 18; i++) set_element(out, i, -7);
    const int ready = status == TH_OK;
    if (ready) status = TH_cat(&out, job->t, 3, 0);
    assert_true(status == TH_OK || status == TH_E_MEMORY);
    if (status != TH_OK && job->given && ready)
        for (int64_t i = 0; i < 18; i++) assert_element(out, i, -7, 0); /* nothing was written */
    THTensor_free(out);
    out = NULL;
    status = TH_stack(&out, job->t, 3, 1);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    oom_job job = {.given = 0};
    for (int i = 0; i < 3; i++) job.t[i] = tensor_random(TH_FLOAT32, LIST(2, 3), 0, 1, 1);
    oom_each(join_each, &job);
    job.given = 1;
    oom_each(join_each, &job);
    for (int i = 0; i < 3; i++) THTensor_free((THTensor *)job.t[i]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),       cmocka_unit_test(test_promotion), cmocka_unit_test(test_empties),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_stack),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
