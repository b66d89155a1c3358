/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/oom.h"
#include "support/tensors.h"

static THTensor *const untouched = (THTensor *)0x1234;

/* 0, 1, 2, ... in logical order. */
static THTensor *iota(const int64_t *sizes, int32_t ndim, int layout) {
    THTensor *t = tensor_in_layout(TH_INT32, sizes, ndim, layout);
    for (int64_t i = 0; i < THTensor_numel(t); i++) set_element(t, i, i);
    return t;
}

/* The view shares memory with its base and has these elements; frees it. */
static void check(THTensor *view, const THTensor *base, const int64_t *sizes, int32_t ndim, const int *values) {
    support_assert_is(view, TH_INT32, sizes, ndim, __FILE__, __LINE__);
    assert_ptr_equal(THTensor_storage(view), THTensor_storage(base));
    for (int64_t i = 0; i < THTensor_numel(view); i++) assert_element(view, i, values[i], 0);
    THTensor_free(view);
}

#define VALUES(...)                                                                                                    \
    (const int[]) { __VA_ARGS__ }
#define EACH_LAYOUT(t, ...)                                                                                            \
    THTensor *t;                                                                                                       \
    for (int layout = 0; layout < LAYOUT_COUNT && (t = iota(LIST(__VA_ARGS__), layout)); layout++, THTensor_free(t))

static void test_alias(void **state) {
    (void)state;
    EACH_LAYOUT(t, 2, 3) {
        THTensor *v = NULL;
        assert_ok(THTensor_alias(&v, t));
        assert_ptr_not_equal(v, t);
        check(v, t, LIST(2, 3), VALUES(0, 1, 2, 3, 4, 5));
    }
    THTensor *number = NULL, *plain = NULL;
    assert_ok(THTensor_new_scalar(&number, SCALAR_I(5)));
    assert_ok(THTensor_alias(&plain, number));
    assert_int_equal(THTensor_is_number(plain), 0);
    assert_element(plain, 0, 5, 0);
    THTensor_free(number);
    assert_element(plain, 0, 5, 0); /* the storage lives on */
    THTensor_free(plain);
}

static void test_narrow(void **state) {
    (void)state;
    EACH_LAYOUT(t, 3, 4) {
        THTensor *v = NULL;
        assert_ok(THTensor_narrow(&v, t, 1, 1, 2));
        check(v, t, LIST(3, 2), VALUES(1, 2, 5, 6, 9, 10));
        assert_ok(THTensor_narrow(&v, t, -2, -1, 1));
        check(v, t, LIST(1, 4), VALUES(8, 9, 10, 11));
        assert_ok(THTensor_narrow(&v, t, 0, 3, 0));
        check(v, t, LIST(0, 4), NULL);
        v = untouched;
        assert_fails(TH_E_INDEX, "THTensor_narrow: got start 2 and length 3, want a range inside dim 1 of int32[3, 4]",
                     THTensor_narrow(&v, t, 1, 2, 3));
        assert_fails(TH_E_INDEX, "got start -5", THTensor_narrow(&v, t, 1, -5, 1));
        assert_fails(TH_E_INDEX, "length -1", THTensor_narrow(&v, t, 1, 0, -1));
        assert_fails(TH_E_INDEX, "length", THTensor_narrow(&v, t, 1, 1, INT64_MAX));
        assert_fails(TH_E_INDEX, "start", THTensor_narrow(&v, t, 1, INT64_MIN, 0));
        assert_fails(TH_E_INDEX, "THTensor_narrow: got dim 2, want -2 to 1", THTensor_narrow(&v, t, 2, 0, 1));
        assert_fails(TH_E_ARG, "t is NULL", THTensor_narrow(&v, NULL, 0, 0, 0));
        assert_fails(TH_E_ARG, "out is NULL", THTensor_narrow(NULL, t, 0, 0, 0));
        assert_ptr_equal(v, untouched);
    }
    THTensor *scalar = tensor_empty(TH_INT32, NULL, 0), *v = untouched;
    assert_fails(TH_E_INDEX, "THTensor_narrow: got dim 0 of a 0-dim tensor", THTensor_narrow(&v, scalar, 0, 0, 1));
    assert_fails(TH_E_INDEX, "0-dim", THTensor_select(&v, scalar, 0, 0));
    assert_fails(TH_E_INDEX, "0-dim", THTensor_slice(&v, scalar, 0, 0, 1, 1));
    THTensor_free(scalar);
}

/* Bounds as Python's range(n)[start:end:step] has them, here by walking. */
static void test_slice(void **state) {
    (void)state;
    THTensor *t = iota(LIST(7), LAYOUT_GAPS);
    for (int64_t start = -9; start <= 9; start++)
        for (int64_t end = -9; end <= 9; end++)
            for (int64_t step = 1; step <= 8; step++) {
                int values[7], n = 0;
                int64_t lo = start < -7  ? 0
                             : start < 0 ? start + 7
                                         : start,
                        hi = end < -7  ? 0
                             : end < 0 ? end + 7
                                       : end;
                for (int64_t i = lo; i < hi && i < 7; i += step) values[n++] = (int)i;
                THTensor *v = NULL;
                assert_ok(THTensor_slice(&v, t, 0, start, end, step));
                check(v, t, LIST(n), values);
            }
    THTensor *v = NULL;
    assert_ok(THTensor_slice(&v, t, 0, INT64_MIN, INT64_MAX, INT64_MAX));
    check(v, t, LIST(1), VALUES(0));
    v = untouched;
    assert_fails(TH_E_ARG, "THTensor_slice: got step 0, want at least 1", THTensor_slice(&v, t, 0, 0, 7, 0));
    assert_fails(TH_E_ARG, "got step -1", THTensor_slice(&v, t, 0, 0, 7, -1));
    assert_ptr_equal(v, untouched);
    THTensor_free(t);
}

static void test_select(void **state) {
    (void)state;
    EACH_LAYOUT(t, 2, 3, 2) {
        THTensor *v = NULL;
        assert_ok(THTensor_select(&v, t, 1, 2));
        check(v, t, LIST(2, 2), VALUES(4, 5, 10, 11));
        assert_ok(THTensor_select(&v, t, -3, -1));
        check(v, t, LIST(3, 2), VALUES(6, 7, 8, 9, 10, 11));
        v = untouched;
        assert_fails(TH_E_INDEX, "THTensor_select: got index 3, want one inside dim 1 of int32[2, 3, 2]",
                     THTensor_select(&v, t, 1, 3));
        assert_fails(TH_E_INDEX, "got index -4", THTensor_select(&v, t, 1, -4));
        assert_ptr_equal(v, untouched);
    }
}

static void test_transpose_and_permute(void **state) {
    (void)state;
    EACH_LAYOUT(t, 2, 3, 2) {
        THTensor *v = NULL;
        assert_ok(THTensor_transpose(&v, t, 0, -1));
        check(v, t, LIST(2, 3, 2), VALUES(0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11));
        assert_ok(THTensor_transpose(&v, t, 1, 1));
        check(v, t, LIST(2, 3, 2), VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        assert_ok(THTensor_permute(&v, t, DIMS(1, -1, 0)));
        check(v, t, LIST(3, 2, 2), VALUES(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11));
        v = untouched;
        assert_fails(TH_E_INDEX, "THTensor_transpose: got dim 3", THTensor_transpose(&v, t, 3, 0));
        assert_fails(TH_E_INDEX, "got dim -4", THTensor_transpose(&v, t, 0, -4));
        assert_fails(TH_E_SHAPE, "THTensor_permute: got 2 dims, want all 3", THTensor_permute(&v, t, DIMS(0, 1)));
        assert_fails(TH_E_ARG, "THTensor_permute: got dim 2 twice", THTensor_permute(&v, t, DIMS(2, 0, -1)));
        assert_fails(TH_E_INDEX, "got dim 3", THTensor_permute(&v, t, DIMS(0, 1, 3)));
        assert_fails(TH_E_ARG, "dims is NULL", THTensor_permute(&v, t, NULL, 3));
        assert_ptr_equal(v, untouched);
    }
    THTensor *scalar = iota(NULL, 0, LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_transpose(&v, scalar, 0, -1));
    check(v, scalar, NULL, 0, VALUES(0));
    assert_ok(THTensor_permute(&v, scalar, NULL, 0));
    check(v, scalar, NULL, 0, VALUES(0));
    THTensor_free(scalar);
}

static void test_expand(void **state) {
    (void)state;
    EACH_LAYOUT(t, 2, 1) {
        THTensor *v = NULL;
        assert_ok(THTensor_expand(&v, t, LIST(2, 3)));
        assert_int_equal(THTensor_strides(v)[1], 0);
        check(v, t, LIST(2, 3), VALUES(0, 0, 0, 1, 1, 1));
        assert_ok(THTensor_expand(&v, t, LIST(2, -1, -1)));
        check(v, t, LIST(2, 2, 1), VALUES(0, 1, 0, 1));
        assert_ok(THTensor_expand(&v, t, LIST(2, 0)));
        check(v, t, LIST(2, 0), NULL);
        v = untouched;
        assert_fails(TH_E_SHAPE,
                     "THTensor_expand: got sizes [3, 3] for int32[2, 1], want its sizes where they are not 1",
                     THTensor_expand(&v, t, LIST(3, 3)));
        assert_fails(TH_E_SHAPE, "got sizes [-1, 2, 3]", THTensor_expand(&v, t, LIST(-1, 2, 3)));
        assert_fails(TH_E_SHAPE, "got sizes [2, -2]", THTensor_expand(&v, t, LIST(2, -2)));
        assert_fails(TH_E_SHAPE, "got 1 sizes for int32[2, 1], want 2 to 64", THTensor_expand(&v, t, LIST(2)));
        assert_fails(TH_E_SHAPE, "2^63", THTensor_expand(&v, t, LIST(INT64_MAX, 2, 1)));
        assert_fails(TH_E_ARG, "sizes is NULL", THTensor_expand(&v, t, NULL, 2));
        assert_ptr_equal(v, untouched);
    }
}

static void test_view(void **state) {
    (void)state;
    static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    THTensor *t = iota(LIST(3, 4), LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_view(&v, t, LIST(2, -1, 3)));
    check(v, t, LIST(2, 2, 3), all);
    assert_ok(THTensor_view(&v, t, LIST(1, 12, 1)));
    check(v, t, LIST(1, 12, 1), all);
    THTensor_free(t);
    t = iota(LIST(3, 4), LAYOUT_ROWS);
    assert_ok(THTensor_view(&v, t, LIST(3, 2, 2)));
    check(v, t, LIST(3, 2, 2), all);
    v = untouched;
    assert_fails(TH_E_SHAPE,
                 "THTensor_view: got sizes [12] for int32[3, 4] with strides [9, 1], want sizes that need no copy",
                 THTensor_view(&v, t, LIST(12)));
    assert_fails(TH_E_SHAPE, "got sizes [5, -1] for int32[3, 4], want 12 elements", THTensor_view(&v, t, LIST(5, -1)));
    assert_fails(TH_E_SHAPE, "want 12 elements", THTensor_view(&v, t, LIST(13)));
    assert_fails(TH_E_SHAPE, "want 12 elements", THTensor_view(&v, t, LIST(-1, -1)));
    assert_fails(TH_E_SHAPE, "want 12 elements", THTensor_view(&v, t, LIST(-3, -4)));
    assert_fails(TH_E_SHAPE, "want 12 elements", THTensor_view(&v, t, LIST(INT64_MAX, 5, -1)));
    assert_fails(TH_E_SHAPE, "want 12 elements", THTensor_view(&v, t, LIST(0)));
    assert_fails(TH_E_SHAPE, "got 65 sizes", THTensor_view(&v, t, (int64_t[65]){0}, 65));
    assert_fails(TH_E_ARG, "sizes is NULL", THTensor_view(&v, t, NULL, 1));
    assert_ptr_equal(v, untouched);
    THTensor_free(t);
}

static void test_view_of_nothing_and_of_scalars(void **state) {
    (void)state;
    THTensor *t = iota(LIST(0, 3), LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_view(&v, t, LIST(5, 0)));
    check(v, t, LIST(5, 0), NULL);
    assert_ok(THTensor_view(&v, t, LIST(-1, 3)));
    check(v, t, LIST(0, 3), NULL);
    v = untouched;
    assert_fails(TH_E_SHAPE, "could be anything", THTensor_view(&v, t, LIST(-1, 0)));
    assert_fails(TH_E_SHAPE, "want 0 elements", THTensor_view(&v, t, NULL, 0));
    THTensor_free(t);
    t = iota(NULL, 0, LAYOUT_GAPS);
    assert_ok(THTensor_view(&v, t, LIST(1, -1)));
    check(v, t, LIST(1, 1), VALUES(0));
    assert_ok(THTensor_view(&v, t, NULL, 0));
    check(v, t, NULL, 0, VALUES(0));
    THTensor_free(t);
}

/* Whether strides for `sizes` exist that visit t's addresses in order, found by trying. */
static int view_exists(const THTensor *t, const int64_t *sizes, int32_t ndim) {
    int64_t strides[8], inner = 1;
    for (int32_t k = ndim - 1; k >= 0; k--) {
        strides[k] = sizes[k] > 1 ? support_address(t, inner) - support_address(t, 0) : 0;
        inner *= sizes[k];
    }
    for (int64_t i = 0; i < THTensor_numel(t); i++) {
        int64_t at = 0, rest = i;
        for (int32_t k = ndim - 1; k >= 0; k--) {
            at += rest % sizes[k] * strides[k];
            rest /= sizes[k];
        }
        if (support_address(t, i) - support_address(t, 0) != at) return 0;
    }
    return 1;
}

static int32_t random_sizes(int64_t *sizes, int64_t product, uint64_t *seed) {
    int32_t n = 0;
    while (product > 1 || random_bits(seed) % 4 == 0) {
        int64_t f = 1 + (int64_t)(random_bits(seed) % 6);
        if (n == 7) f = product;
        if (product % f != 0) continue;
        sizes[n++] = f;
        product /= f;
        if (n == 8) break;
    }
    return n;
}

/* view succeeds exactly where strides exist, reshape always; both keep the order. */
static void test_view_against_search(void **state) {
    (void)state;
    uint64_t seed = 3;
    int found = 0, refused = 0;
    THStorage *s = NULL;
    assert_ok(THStorage_new(&s, 4 * 20000));
    for (int i = 0; i < 20000; i++) ((int32_t *)THStorage_data(s))[i] = i;
    for (int turn = 0; turn < 20000; turn++) {
        int64_t old_sizes[8], strides[8], sizes[8], step = 1;
        int32_t old_ndim = random_sizes(old_sizes, 24, &seed), ndim = random_sizes(sizes, 24, &seed);
        for (int32_t k = old_ndim - 1; k >= 0; k--) { /* mostly regular, at times expanded or with a gap */
            uint64_t r = random_bits(&seed) % 12;
            strides[k] = r == 0 ? 0 : step * (r == 1 ? 2 : 1);
            step = (strides[k] ? strides[k] : step) * old_sizes[k];
        }
        THTensor *t = NULL, *v = NULL, *w = NULL;
        assert_ok(THTensor_new_over(&t, s, TH_INT32, old_sizes, strides, old_ndim, 0));
        int exists = view_exists(t, sizes, ndim);
        assert_int_equal(THTensor_view(&v, t, sizes, ndim), exists ? TH_OK : TH_E_SHAPE);
        assert_ok(THTensor_reshape(&w, t, sizes, ndim));
        assert_int_equal(THTensor_storage(w) == s, exists);
        for (int64_t i = 0; i < 24; i++) {
            if (v) assert_element(v, i, element(t, i), 0);
            assert_element(w, i, element(t, i), 0);
        }
        found += exists;
        refused += !exists;
        THTensor_free(t);
        THTensor_free(v);
        THTensor_free(w);
    }
    THStorage_free(s);
    assert_true(found > 1000 && refused > 1000);
}

static void test_flatten(void **state) {
    (void)state;
    static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    EACH_LAYOUT(t, 2, 3, 2) {
        THTensor *v = NULL;
        assert_ok(THTensor_flatten(&v, t, 0, -1));
        assert_is(v, TH_INT32, 12);
        for (int i = 0; i < 12; i++) assert_element(v, i, all[i], 0);
        THTensor_free(v);
        assert_ok(THTensor_flatten(&v, t, 1, 2));
        assert_is(v, TH_INT32, 2, 6);
        for (int i = 0; i < 12; i++) assert_element(v, i, all[i], 0);
        THTensor_free(v);
        assert_ok(THTensor_flatten(&v, t, 1, 1));
        check(v, t, LIST(2, 3, 2), all);
        v = untouched;
        assert_fails(TH_E_ARG, "THTensor_flatten: got dims 2 to 1 of int32[2, 3, 2], want them in order",
                     THTensor_flatten(&v, t, 2, 1));
        assert_fails(TH_E_INDEX, "THTensor_flatten: got dim 3", THTensor_flatten(&v, t, 0, 3));
        assert_ptr_equal(v, untouched);
    }
    THTensor *scalar = iota(NULL, 0, LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_flatten(&v, scalar, 0, -1));
    check(v, scalar, LIST(1), VALUES(0));
    THTensor_free(scalar);
}

static void test_squeeze_and_unsqueeze(void **state) {
    (void)state;
    EACH_LAYOUT(t, 1, 3, 1) {
        THTensor *v = NULL;
        assert_ok(THTensor_squeeze(&v, t));
        check(v, t, LIST(3), VALUES(0, 1, 2));
        assert_ok(THTensor_squeeze_dim(&v, t, -1));
        check(v, t, LIST(1, 3), VALUES(0, 1, 2));
        assert_ok(THTensor_squeeze_dim(&v, t, 1));
        check(v, t, LIST(1, 3, 1), VALUES(0, 1, 2));
        assert_ok(THTensor_unsqueeze(&v, t, 1));
        check(v, t, LIST(1, 1, 3, 1), VALUES(0, 1, 2));
        assert_ok(THTensor_unsqueeze(&v, t, -1));
        check(v, t, LIST(1, 3, 1, 1), VALUES(0, 1, 2));
        v = untouched;
        assert_fails(TH_E_INDEX, "THTensor_squeeze_dim: got dim 3", THTensor_squeeze_dim(&v, t, 3));
        assert_fails(TH_E_INDEX, "THTensor_unsqueeze: got dim 4, want -4 to 3", THTensor_unsqueeze(&v, t, 4));
        assert_ptr_equal(v, untouched);
    }
    THTensor *scalar = iota(NULL, 0, LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_unsqueeze(&v, scalar, 0));
    check(v, scalar, LIST(1), VALUES(0));
    assert_ok(THTensor_squeeze(&v, scalar));
    check(v, scalar, NULL, 0, VALUES(0));
    assert_ok(THTensor_squeeze_dim(&v, scalar, -1));
    check(v, scalar, NULL, 0, VALUES(0));
    THTensor_free(scalar);
}

static void test_unfold(void **state) {
    (void)state;
    EACH_LAYOUT(t, 2, 5) {
        THTensor *v = NULL;
        assert_ok(THTensor_unfold(&v, t, 1, 3, 2));
        check(v, t, LIST(2, 2, 3), VALUES(0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 9));
        assert_ok(THTensor_unfold(&v, t, 0, 2, 1));
        check(v, t, LIST(1, 5, 2), VALUES(0, 5, 1, 6, 2, 7, 3, 8, 4, 9));
        assert_ok(THTensor_unfold(&v, t, 1, 0, 5));
        check(v, t, LIST(2, 2, 0), NULL);
        assert_ok(THTensor_unfold(&v, t, 1, 5, INT64_MAX));
        check(v, t, LIST(2, 1, 5), VALUES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
        v = untouched;
        assert_fails(TH_E_ARG, "THTensor_unfold: got windows of 6 along dim 1 of int32[2, 5], want 0 to 5",
                     THTensor_unfold(&v, t, 1, 6, 1));
        assert_fails(TH_E_ARG, "got windows of -1", THTensor_unfold(&v, t, 1, -1, 1));
        assert_fails(TH_E_ARG, "THTensor_unfold: got step 0", THTensor_unfold(&v, t, 1, 2, 0));
        assert_ptr_equal(v, untouched);
    }
    THTensor *scalar = iota(NULL, 0, LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_unfold(&v, scalar, 0, 1, 1));
    check(v, scalar, LIST(1), VALUES(0));
    assert_ok(THTensor_unfold(&v, scalar, -1, 0, 3));
    check(v, scalar, LIST(0), NULL);
    assert_fails(TH_E_ARG, "got windows of 2", THTensor_unfold(&v, scalar, 0, 2, 1));
    THTensor_free(scalar);
}

static void test_diagonal(void **state) {
    (void)state;
    EACH_LAYOUT(t, 3, 4) {
        THTensor *v = NULL;
        assert_ok(THTensor_diagonal(&v, t, 0, 0, 1));
        check(v, t, LIST(3), VALUES(0, 5, 10));
        assert_ok(THTensor_diagonal(&v, t, 2, 0, -1));
        check(v, t, LIST(2), VALUES(2, 7));
        assert_ok(THTensor_diagonal(&v, t, -1, 0, 1));
        check(v, t, LIST(2), VALUES(4, 9));
        assert_ok(THTensor_diagonal(&v, t, -1, 1, 0)); /* rows and columns swapped */
        check(v, t, LIST(3), VALUES(1, 6, 11));
        assert_ok(THTensor_diagonal(&v, t, 4, 0, 1));
        check(v, t, LIST(0), NULL);
        assert_ok(THTensor_diagonal(&v, t, INT64_MIN, 0, 1));
        check(v, t, LIST(0), NULL);
        v = untouched;
        assert_fails(TH_E_ARG, "THTensor_diagonal: got dim 1 twice", THTensor_diagonal(&v, t, 0, 1, -1));
        assert_fails(TH_E_INDEX, "got dim 2", THTensor_diagonal(&v, t, 0, 0, 2));
        assert_ptr_equal(v, untouched);
    }
    THTensor *cube = iota(LIST(2, 3, 2), LAYOUT_CONTIGUOUS), *line = iota(LIST(3), LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_diagonal(&v, cube, 0, 2, 0));
    check(v, cube, LIST(3, 2), VALUES(0, 7, 2, 9, 4, 11));
    assert_fails(TH_E_SHAPE, "THTensor_diagonal: got int32[3], want at least two dimensions",
                 THTensor_diagonal(&v, line, 0, 0, 0));
    THTensor_free(cube);
    THTensor_free(line);
}

static void test_as_strided(void **state) {
    (void)state;
    THTensor *t = iota(LIST(12), LAYOUT_CONTIGUOUS), *v = NULL;
    assert_ok(THTensor_as_strided(&v, t, (int64_t[]){2, 3}, (int64_t[]){1, 3}, 2, 2));
    check(v, t, LIST(2, 3), VALUES(2, 5, 8, 3, 6, 9));
    v = untouched;
    assert_fails(TH_E_ARG,
                 "THTensor_as_strided: got sizes [2, 4] at offset 3, which end outside a storage of 12 elements",
                 THTensor_as_strided(&v, t, (int64_t[]){2, 4}, (int64_t[]){1, 3}, 2, 3));
    assert_fails(TH_E_ARG, "strides is NULL", THTensor_as_strided(&v, t, (int64_t[]){2}, NULL, 1, 0));
    assert_fails(TH_E_ARG, "t is NULL", THTensor_as_strided(&v, NULL, NULL, NULL, 0, 0));
    assert_fails(TH_E_ARG, "want none below 0", THTensor_as_strided(&v, t, (int64_t[]){2}, (int64_t[]){-1}, 1, 5));
    assert_ptr_equal(v, untouched);
    THTensor_free(t);
}

static void test_most_dimensions(void **state) {
    (void)state;
    int64_t ones[TH_MAX_DIM];
    for (int i = 0; i < TH_MAX_DIM; i++) ones[i] = 1;
    THTensor *t = tensor_empty(TH_INT32, ones, TH_MAX_DIM), *v = untouched;
    assert_fails(TH_E_SHAPE, "THTensor_unsqueeze: got a tensor of 64 dimensions, want room for one more",
                 THTensor_unsqueeze(&v, t, 0));
    assert_fails(TH_E_SHAPE, "THTensor_unfold: got a tensor of 64 dimensions", THTensor_unfold(&v, t, 0, 1, 1));
    assert_ptr_equal(v, untouched);
    assert_ok(THTensor_squeeze(&v, t));
    assert_int_equal(THTensor_ndim(v), 0);
    THTensor_free(v);
    THTensor_free(t);
}

/* Views know no device. */
static void test_other_device(void **state) {
    (void)state;
    static float data[6];
    THStorage *s = NULL;
    THTensor *t = NULL, *v = NULL;
    assert_ok(THStorage_new_foreign(&s, data, sizeof data, (THDevice)1 << 32, 0, NULL, NULL));
    assert_ok(THTensor_new_over(&t, s, TH_FLOAT32, (int64_t[]){2, 3}, NULL, 2, 0));
    assert_ok(THTensor_select(&v, t, 0, 1));
    assert_true(THTensor_device(v) == (THDevice)1 << 32);
    assert_ptr_equal(THTensor_data(v), data + 3);
    THTensor_free(v);
    THTensor_free(t);
    THStorage_free(s);
}

/* ---- out of memory ---- */

static THStatus make(int i, THTensor **out, const THTensor *t) {
    switch (i) {
    case 0: return THTensor_alias(out, t);
    case 1: return THTensor_narrow(out, t, 0, 0, 1);
    case 2: return THTensor_slice(out, t, 0, 0, 1, 1);
    case 3: return THTensor_select(out, t, 0, 0);
    case 4: return THTensor_transpose(out, t, 0, 1);
    case 5: return THTensor_permute(out, t, DIMS(1, 0));
    case 6: return THTensor_expand(out, t, LIST(2, 2, 3));
    case 7: return THTensor_view(out, t, LIST(2, 1, 3));
    case 8: return THTensor_reshape(out, t, LIST(6));
    case 9: return THTensor_flatten(out, t, 0, -1);
    case 10: return THTensor_squeeze(out, t);
    case 11: return THTensor_squeeze_dim(out, t, 0);
    case 12: return THTensor_unsqueeze(out, t, 0);
    case 13: return THTensor_unfold(out, t, 1, 2, 1);
    case 14: return THTensor_diagonal(out, t, 0, 0, 1);
    default: return THTensor_as_strided(out, t, (int64_t[]){1}, (int64_t[]){1}, 1, 0);
    }
}

static void make_each(void *arg) {
    THStorage *s = THTensor_storage(arg);
    for (int i = 0; i < 16; i++) {
        THTensor *v = untouched;
        THStatus status = make(i, &v, arg);
        if (status == TH_OK) {
            THTensor_free(v);
        } else {
            assert_int_equal(status, TH_E_MEMORY);
            assert_ptr_equal(v, untouched);
        }
        assert_int_equal(THStorage_refcount(s), 1);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *t = iota(LIST(2, 3), LAYOUT_ROWS); /* reshape copies */
    oom_each(make_each, t);
    THTensor_free(t);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_transpose_and_permute),
        cmocka_unit_test(test_expand),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_view_of_nothing_and_of_scalars),
        cmocka_unit_test(test_view_against_search),
        cmocka_unit_test(test_flatten),
        cmocka_unit_test(test_squeeze_and_unsqueeze),
        cmocka_unit_test(test_unfold),
        cmocka_unit_test(test_diagonal),
        cmocka_unit_test(test_as_strided),
        cmocka_unit_test(test_most_dimensions),
        cmocka_unit_test(test_other_device),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
