/* SPDX-License-Identifier: BSD-3-Clause */
/* Products against sums in long double (integers: modulo 2^64, then narrowed). */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include <sys/mman.h>

static const THDtype number_types[] = {TH_UINT8,   TH_INT8,     TH_INT16,   TH_INT32,  TH_INT64,
                                       TH_FLOAT16, TH_BFLOAT16, TH_FLOAT32, TH_FLOAT64};
enum { NUMBER_TYPES = sizeof number_types / sizeof *number_types };

static THTensor *random_matrix(THDtype dtype, const int64_t *sizes, int32_t ndim, uint64_t seed) {
    int wide = dtype >= TH_INT16 && dtype <= TH_INT64; /* so that sums wrap */
    return tensor_random(dtype, sizes, ndim, wide ? -32000 : dtype == TH_UINT8 ? 0 : -9, wide ? 32000 : 9, seed);
}

/* ---- reference ---- */

static int64_t wrap(THDtype dtype, uint64_t x) {
    switch (dtype) {
    case TH_UINT8: return (uint8_t)x;
    case TH_INT8: return (int8_t)x;
    case TH_INT16: return (int16_t)x;
    case TH_INT32: return (int32_t)x;
    default: return (int64_t)x;
    }
}

/* Flat index in t of matrix number `batch` of a stack counted by got's leading dimensions. */
static int64_t batch_start(const THTensor *t, const THTensor *got, int32_t got_batch_dims, int64_t batch,
                           int64_t matrix) {
    int32_t n = THTensor_ndim(t) - 2;
    int64_t start = 0, step = matrix;
    for (int32_t d = 1; d <= got_batch_dims; d++) {
        int64_t size = THTensor_sizes(got)[got_batch_dims - d];
        if (d <= n) {
            int64_t own = THTensor_sizes(t)[n - d];
            start += own == 1 ? 0 : batch % size * step;
            step *= own;
        }
        batch /= size;
    }
    return start;
}

typedef struct scaling {
    const THTensor *c; /* a tensor of the result's sizes */
    double alpha, beta;
} scaling;

static void assert_entry(const THTensor *got, int64_t i, const THTensor *a, const THTensor *b, const scaling *s) {
    int32_t na = THTensor_ndim(a), nb = THTensor_ndim(b);
    int64_t k = THTensor_sizes(a)[na - 1], m = na > 1 ? THTensor_sizes(a)[na - 2] : 1,
            n = nb > 1 ? THTensor_sizes(b)[nb - 1] : 1;
    int64_t row = i / n % m, col = i % n, batch = i / n / m;
    int32_t batch_dims = THTensor_ndim(got) - (na > 1) - (nb > 1);
    int64_t start_a = batch_start(a, got, batch_dims, batch, m * k),
            start_b = batch_start(b, got, batch_dims, batch, k * n);
    THDtype dtype = THTensor_dtype(got);
    long double sum = 0, size = 0;
    uint64_t whole = 0;
    for (int64_t p = 0; p < k; p++) {
        long double x = element(a, start_a + row * k + p), y = element(b, start_b + p * n + col);
        if (TH_dtype_is_floating(dtype))
            sum += x * y, size += fabsl(x * y);
        else
            whole += (uint64_t)(int64_t)x * (uint64_t)(int64_t)y;
    }
    long double add = s && s->beta != 0 ? element(s->c, i) : 0;
    if (!TH_dtype_is_floating(dtype)) {
        uint64_t alpha = s ? (uint64_t)(int64_t)s->alpha : 1, beta = s ? (uint64_t)(int64_t)s->beta : 0;
        assert_element(got, i, wrap(dtype, alpha * whole + beta * (uint64_t)(int64_t)add), 0);
        return;
    }
    if (s) {
        sum = s->alpha * sum + s->beta * add;
        size = fabsl(s->alpha) * size + fabsl(s->beta * add);
    }
    THDtype computed = dtype == TH_FLOAT64 ? TH_FLOAT64 : TH_FLOAT32;
    /* (k + 2) roundings at most (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), and that of the
     * store */
    long double bound = (k + 2) * ulp_of(computed, 1) * size + ulp_of(dtype, sum);
    if (fabsl(element(got, i) - sum) <= bound) return;
    fail_msg("element %d: got %Lg, want %Lg +- %Lg", (int)i, element(got, i), sum, bound);
}

static void assert_product(const THTensor *got, const THTensor *a, const THTensor *b, const scaling *s) {
    for (int64_t i = 0; i < THTensor_numel(got); i++) assert_entry(got, i, a, b, s);
}

/* ---- matrices ---- */

static void check_mm(THDtype dtype, int64_t m, int64_t k, int64_t n, int layouts) {
    THTensor *a = random_matrix(dtype, LIST(m, k), 1), *b = random_matrix(dtype, LIST(k, n), 2);
    THTensor *la = tensor_as(a, layouts % LAYOUT_COUNT), *lb = tensor_as(b, layouts / LAYOUT_COUNT % LAYOUT_COUNT);
    THTensor *made = NULL, *given = tensor_in_layout(dtype, LIST(m, n), layouts / LAYOUT_COUNT / LAYOUT_COUNT);
    assert_ok(TH_mm(&made, la, lb));
    assert_is(made, dtype, m, n);
    assert_product(made, a, b, NULL);
    assert_ok(TH_mm(&given, la, lb));
    assert_product(given, a, b, NULL); /* it was full of NaN */
    assert_holes(given);
    THTensor *all[] = {a, b, la, lb, made, given};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void test_mm_dtypes_and_layouts(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{5, 7, 6}, {1, 4, 3}, {3, 4, 1}, {1, 5, 1}, {4, 1, 3}, {1, 1, 1}};
    for (int t = 0; t < NUMBER_TYPES; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int l = 0; l < LAYOUT_COUNT * LAYOUT_COUNT * LAYOUT_COUNT; l++)
                check_mm(number_types[t], sizes[s][0], sizes[s][1], sizes[s][2], l);
}

static void test_mm_zero_sizes(void **state) {
    (void)state;
    for (int t = 0; t < NUMBER_TYPES; t++)
        for (int zero = 1; zero < 8; zero++)
            for (int l = 0; l < LAYOUT_COUNT * LAYOUT_COUNT * LAYOUT_COUNT; l++)
                check_mm(number_types[t], zero & 1 ? 0 : 3, zero & 2 ? 0 : 4, zero & 4 ? 0 : 2, l);
    check_mm(TH_FLOAT32, 1, 0, 4, 0);
    check_mm(TH_FLOAT32, 4, 0, 1, 0);
    check_mm(TH_FLOAT64, 1, 0, 1, 0);
}

static void test_mm_every_isa(void **state) {
    (void)state;
    for (int32_t i = 0; i < TH_isa_count(); i++) {
        assert_ok(TH_set_isa(TH_isa_name(i)));
        for (int t = 0; t < NUMBER_TYPES; t++) check_mm(number_types[t], 9, 33, 71, 0);
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* Dimensions of size 1 with any stride, stretched operands, and rows too close to be a matrix for BLAS. */
static void test_mm_strides_that_say_nothing(void **state) {
    (void)state;
    static const int64_t cases[][4] = {{1, 5, 0, 1}, {1, 5, 2, 1}, {1, 5, 77, 3}, {5, 1, 1, 0}, {5, 1, 3, 77},
                                       {1, 1, 0, 0}, {4, 5, 0, 1}, {4, 5, 1, 0},  {4, 5, 0, 0}, {4, 5, 2, 1},
                                       {4, 5, 1, 2}, {4, 5, 1, 1}, {4, 5, 3, 2},  {1, 5, 1, 0}, {5, 1, 0, 1},
                                       {4, 5, 5, 1}, {4, 5, 1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *c = cases[i];
        for (int t = 0; t < NUMBER_TYPES; t++) {
            THDtype dtype = number_types[t];
            THTensor *base = random_matrix(dtype, LIST(400), 3), *view = NULL, *turned = NULL, *got = NULL,
                     *back = NULL;
            THTensor *x = random_matrix(dtype, LIST(c[1], 3), 4), *y = random_matrix(dtype, LIST(3, c[0]), 5);
            assert_ok(THTensor_as_strided(&view, base, c, c + 2, 2, 1));
            assert_ok(TH_mm(&got, view, x));
            assert_product(got, view, x, NULL);
            assert_ok(TH_mm(&back, y, view));
            assert_product(back, y, view, NULL);
            assert_ok(THTensor_transpose(&turned, view, 0, 1));
            THTensor_free(got);
            got = NULL;
            assert_ok(TH_mm(&got, turned, view)); /* one memory on both sides */
            assert_product(got, turned, view, NULL);
            THTensor *all[] = {base, view, turned, got, back, x, y};
            for (size_t f = 0; f < sizeof all / sizeof *all; f++) THTensor_free(all[f]);
        }
    }
}

static void test_halves_accumulate_in_float32(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_BFLOAT16; dtype++) {
        THTensor *a = NULL, *b = NULL, *got = NULL;
        assert_ok(TH_full(&a, LIST(2, 4096), SCALAR_F(1), dtype));
        assert_ok(TH_full(&b, LIST(4096, 2), SCALAR_F(1), dtype));
        assert_ok(TH_mm(&got, a, b));
        for (int i = 0; i < 4; i++) assert_element(got, i, 4096, 0);
        THTensor_free(a);
        THTensor_free(b);
        THTensor_free(got);
    }
}

static void test_nan_and_infinity_travel(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
        THTensor *a = tensor_of(dtype, LIST(2, 2), (double[]){NAN, 0, 1, 2});
        THTensor *b = tensor_of(dtype, LIST(2, 2), (double[]){0, 1, INFINITY, 1}), *got = NULL;
        assert_ok(TH_mm(&got, a, b));
        assert_element(got, 0, NAN, 0);
        assert_element(got, 1, NAN, 0);
        assert_element(got, 2, INFINITY, 0);
        assert_element(got, 3, 3, 0);
        THTensor_free(a);
        THTensor_free(b);
        THTensor_free(got);
    }
}

/* ---- large ones: cut into pieces ---- */

typedef THStatus (*product)(THTensor **, const THTensor *, const THTensor *);

static void check_large(product f, const int64_t *sa, int32_t na, const int64_t *sb, int32_t nb, int layout) {
    for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++) {
        THTensor *ca = random_matrix(dtype, sa, na, 6), *cb = random_matrix(dtype, sb, nb, 7);
        THTensor *a = tensor_as(ca, layout), *b = tensor_as(cb, layout), *one = NULL;
        assert_ok(TH_set_num_threads(1));
        assert_ok(f(&one, a, b));
        uint64_t seed = 8;
        for (int i = 0; i < 100; i++)
            assert_entry(one, (int64_t)(random_bits(&seed) % (uint64_t)THTensor_numel(one)), ca, cb, NULL);
        for (int32_t threads = 2; threads <= 3; threads++) {
            THTensor *more = NULL;
            assert_ok(TH_set_num_threads(threads));
            assert_ok(f(&more, a, b));
            assert_memory_equal(THTensor_data(one), THTensor_data(more),
                                (size_t)THTensor_numel(one) * (size_t)TH_dtype_size(dtype));
            THTensor_free(more);
        }
        THTensor *all[] = {ca, cb, a, b, one};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    }
}

static void test_bits_do_not_depend_on_threads(void **state) {
    (void)state;
    int32_t threads = TH_num_threads();
    for (int layout = LAYOUT_CONTIGUOUS; layout <= LAYOUT_REVERSED; layout++) {
        check_large(TH_mm, LIST(300, 217), LIST(217, 301), layout);
        check_large(TH_matmul, LIST(600), LIST(600, 900), layout);
    }
    check_large(TH_mm, LIST(1100, 60), LIST(60, 270), LAYOUT_CONTIGUOUS);
    check_large(TH_mm, LIST(1030, 20), LIST(20, 1100), LAYOUT_CONTIGUOUS);
    check_large(TH_mv, LIST(900, 600), LIST(600), LAYOUT_CONTIGUOUS);
    check_large(TH_bmm, LIST(9, 70, 50), LIST(9, 50, 60), LAYOUT_CONTIGUOUS);
    check_large(TH_matmul, LIST(7, 3, 40, 50), LIST(3, 50, 60), LAYOUT_GAPS);
    check_large(TH_dot, LIST(300000), LIST(300000), LAYOUT_GAPS);
    assert_ok(TH_set_num_threads(threads));
}

/* ---- vectors ---- */

static void test_mv_and_dot(void **state) {
    (void)state;
    for (int t = 0; t < NUMBER_TYPES; t++)
        for (int l = 0; l < LAYOUT_COUNT * LAYOUT_COUNT; l++)
            for (int64_t n = 0; n < 40; n = 2 * n + 1) {
                THDtype dtype = number_types[t];
                THTensor *ca = random_matrix(dtype, LIST(6, n), 1), *cx = random_matrix(dtype, LIST(n), 2);
                THTensor *cy = random_matrix(dtype, LIST(n), 3), *y = tensor_as(cy, l / LAYOUT_COUNT);
                THTensor *a = tensor_as(ca, l % LAYOUT_COUNT), *x = tensor_as(cx, l / LAYOUT_COUNT), *made = NULL,
                         *dot = NULL;
                THTensor *given = tensor_in_layout(dtype, LIST(6), l / LAYOUT_COUNT);
                assert_ok(TH_mv(&made, a, x));
                assert_is(made, dtype, 6);
                assert_product(made, ca, cx, NULL);
                assert_ok(TH_mv(&given, a, x));
                assert_product(given, ca, cx, NULL);
                assert_holes(given);
                assert_ok(TH_dot(&dot, x, y));
                assert_int_equal(THTensor_ndim(dot), 0);
                assert_product(dot, cx, cy, NULL);
                THTensor *all[] = {ca, cx, cy, a, x, y, made, dot, given};
                for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
            }
}

/* ---- stacks ---- */

static void check_matmul(product f, THDtype dtype, const int64_t *sa, int32_t na, const int64_t *sb, int32_t nb,
                         const int64_t *want, int32_t nwant) {
    THTensor *a = random_matrix(dtype, sa, na, 1), *b = random_matrix(dtype, sb, nb, 2);
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        THTensor *la = tensor_as(a, l), *lb = tensor_as(b, (l + 1) % LAYOUT_COUNT), *made = NULL;
        THTensor *given = tensor_in_layout(dtype, want, nwant, (l + 2) % LAYOUT_COUNT);
        assert_ok(f(&made, la, lb));
        support_assert_is(made, dtype, want, nwant, __FILE__, __LINE__);
        assert_product(made, a, b, NULL);
        assert_ok(f(&given, la, lb));
        assert_product(given, a, b, NULL);
        assert_holes(given);
        THTensor *all[] = {la, lb, made, given};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    }
    THTensor_free(a);
    THTensor_free(b);
}

static void test_bmm_and_matmul(void **state) {
    (void)state;
    for (int t = 0; t < NUMBER_TYPES; t++) {
        THDtype d = number_types[t];
        check_matmul(TH_bmm, d, LIST(3, 4, 5), LIST(3, 5, 2), LIST(3, 4, 2));
        check_matmul(TH_bmm, d, LIST(3, 4, 0), LIST(3, 0, 2), LIST(3, 4, 2));
        check_matmul(TH_bmm, d, LIST(0, 4, 5), LIST(0, 5, 2), LIST(0, 4, 2));
        check_matmul(TH_bmm, d, LIST(2, 1, 5), LIST(2, 5, 1), LIST(2, 1, 1));
        check_matmul(TH_matmul, d, LIST(4, 5), LIST(5, 2), LIST(4, 2));
        check_matmul(TH_matmul, d, LIST(5), LIST(5, 2), LIST(2));
        check_matmul(TH_matmul, d, LIST(4, 5), LIST(5), LIST(4));
        check_matmul(TH_matmul, d, LIST(2, 3, 4, 5), LIST(5, 2), LIST(2, 3, 4, 2));
        check_matmul(TH_matmul, d, LIST(2, 3, 4, 5), LIST(5), LIST(2, 3, 4));
        check_matmul(TH_matmul, d, LIST(5), LIST(2, 3, 5, 4), LIST(2, 3, 4));
        check_matmul(TH_matmul, d, LIST(4, 5), LIST(3, 5, 2), LIST(3, 4, 2));
        check_matmul(TH_matmul, d, LIST(2, 1, 4, 5), LIST(3, 5, 2), LIST(2, 3, 4, 2));
        check_matmul(TH_matmul, d, LIST(1, 3, 1, 5), LIST(2, 1, 5, 2), LIST(2, 3, 1, 2));
        check_matmul(TH_matmul, d, LIST(3, 4, 5), LIST(1, 1, 5, 2), LIST(1, 3, 4, 2));
        check_matmul(TH_matmul, d, LIST(2, 0, 4, 5), LIST(1, 5, 2), LIST(2, 0, 4, 2));
        check_matmul(TH_matmul, d, LIST(1, 1, 4), LIST(4, 3), LIST(1, 1, 3));
    }
    THTensor *x = random_matrix(TH_INT32, LIST(7), 1), *dot = NULL;
    assert_ok(TH_matmul(&dot, x, x));
    assert_int_equal(THTensor_ndim(dot), 0);
    assert_product(dot, x, x, NULL);
    THTensor_free(dot);
    THTensor_free(x);
}

static void test_matmul_of_expanded_stacks(void **state) {
    (void)state;
    THTensor *a = random_matrix(TH_FLOAT32, LIST(4, 5), 1), *b = random_matrix(TH_FLOAT32, LIST(3, 5, 2), 2);
    THTensor *wide_a = NULL, *wide_b = NULL, *got = NULL;
    assert_ok(THTensor_expand(&wide_a, a, LIST(6, 3, 4, 5)));
    assert_ok(THTensor_expand(&wide_b, b, LIST(6, 3, 5, 2)));
    assert_ok(TH_matmul(&got, wide_a, wide_b));
    assert_is(got, TH_FLOAT32, 6, 3, 4, 2);
    assert_product(got, wide_a, wide_b, NULL);
    THTensor *all[] = {a, b, wide_a, wide_b, got};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

/* ---- addmm ---- */

static void check_addmm(THDtype dtype, const int64_t *sc, int32_t nc, double alpha, double beta, int layout,
                        int64_t k) {
    enum { M = 3, N = 4 };
    int is_float = TH_dtype_is_floating(dtype);
    if (dtype == TH_UINT8) alpha = fabs(alpha), beta = fabs(beta);
    THScalar alpha_f = *SCALAR_F(alpha), alpha_i = *SCALAR_I((int64_t)alpha), beta_f = *SCALAR_F(beta),
             beta_i = *SCALAR_I((int64_t)beta);
    THTensor *a = random_matrix(dtype, LIST(M, k), 1), *b = random_matrix(dtype, LIST(k, N), 2), *wide = NULL;
    THTensor *small = random_matrix(dtype, sc, nc, 3), *c = tensor_as(small, layout), *made = NULL;
    if (is_float && beta == 0)
        for (int64_t i = 0; i < THTensor_numel(c); i++) set_element(c, i, NAN);
    assert_ok(THTensor_expand(&wide, small, LIST(M, N)));
    scaling s = {wide, is_float ? alpha : (int64_t)alpha, is_float ? beta : (int64_t)beta};
    const THScalar *pb = is_float ? &beta_f : &beta_i, *pa = is_float ? &alpha_f : &alpha_i;
    assert_ok(TH_addmm(&made, c, a, b, pb, pa));
    assert_is(made, dtype, M, N);
    assert_product(made, a, b, &s);
    THTensor *given = tensor_in_layout(dtype, LIST(M, N), layout);
    assert_ok(TH_addmm(&given, c, a, b, pb, pa));
    assert_product(given, a, b, &s);
    assert_holes(given);
    if (nc == 2 && sc[0] == M && sc[1] == N) { /* the result over c */
        assert_ok(TH_addmm(&c, c, a, b, pb, pa));
        assert_product(c, a, b, &s);
        if (layout) assert_holes(c);
    }
    THTensor *all[] = {a, b, small, c, wide, made, given};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void test_addmm(void **state) {
    (void)state;
    static const double factors[][2] = {{1, 1}, {1, 0}, {2, 3}, {-1, -2}, {0.5, 0.25}, {0, 1}};
    for (int t = 0; t < NUMBER_TYPES; t++)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
            for (int l = 0; l < LAYOUT_COUNT; l++)
                for (int64_t k = 0; k < 8; k += 3) {
                    check_addmm(number_types[t], LIST(3, 4), factors[f][0], factors[f][1], l, k);
                    check_addmm(number_types[t], LIST(4), factors[f][0], factors[f][1], l, k);
                    check_addmm(number_types[t], LIST(1, 4), factors[f][0], factors[f][1], l, k);
                    check_addmm(number_types[t], LIST(3, 1), factors[f][0], factors[f][1], l, k);
                    check_addmm(number_types[t], LIST(1), factors[f][0], factors[f][1], l, k);
                }
}

static void test_addmm_defaults_and_whole_factors(void **state) {
    (void)state;
    THTensor *a = tensor_of(TH_FLOAT32, LIST(1, 2), (double[]){1, 2}),
             *b = tensor_of(TH_FLOAT32, LIST(2, 1), (double[]){3, 4});
    THTensor *c = tensor_of(TH_FLOAT32, LIST(1, 1), (double[]){100}), *got = NULL;
    assert_ok(TH_addmm(&got, c, a, b, NULL, NULL));
    assert_element(got, 0, 111, 0);
    assert_ok(TH_addmm(&got, c, a, b, SCALAR_I(2), SCALAR_I(3)));
    assert_element(got, 0, 233, 0);
    THTensor *all[] = {a, b, c, got};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

/* ---- bad input ---- */

static void test_errors(void **state) {
    (void)state;
    THTensor *a = random_matrix(TH_FLOAT32, LIST(2, 3), 1), *b = random_matrix(TH_FLOAT32, LIST(4, 5), 2);
    THTensor *v = random_matrix(TH_FLOAT32, LIST(3), 3), *d = random_matrix(TH_FLOAT64, LIST(3, 2), 4), *out = NULL;
    THTensor *yes = random_matrix(TH_BOOL, LIST(2, 2), 5), *number = random_matrix(TH_FLOAT32, NULL, 0, 6);
    THTensor *s = random_matrix(TH_FLOAT32, LIST(2, 2, 3), 7), *u = random_matrix(TH_FLOAT32, LIST(3, 3, 2), 8);
    THTensor *whole = random_matrix(TH_INT32, LIST(2, 2), 9);
    assert_fails(TH_E_SHAPE, "TH_mm: got float32[2, 3] and float32[4, 5], want [m, k] and [k, n]", TH_mm(&out, a, b));
    assert_fails(TH_E_SHAPE, "TH_mm: got float32[3] and", TH_mm(&out, v, a));
    assert_fails(TH_E_SHAPE, "TH_mv: got float32[4, 5] and float32[3], want [m, n] and [n]", TH_mv(&out, b, v));
    assert_fails(TH_E_SHAPE, "TH_dot: got float32[2, 3] and float32[3], want [n] and [n]", TH_dot(&out, a, v));
    assert_fails(TH_E_SHAPE, "TH_bmm: got float32[2, 2, 3] and float32[3, 3, 2]", TH_bmm(&out, s, u));
    assert_fails(TH_E_SHAPE, "TH_matmul: got float32[2, 2, 3] and float32[3, 3, 2], want leading",
                 TH_matmul(&out, s, u));
    assert_fails(TH_E_SHAPE, "TH_matmul: got float32[2, 3] and float32[4, 5]", TH_matmul(&out, a, b));
    assert_fails(TH_E_SHAPE, "TH_matmul: got float32[] and", TH_matmul(&out, number, b));
    assert_fails(TH_E_TYPE, "TH_mm: got float32[2, 3] and float64[3, 2], want one dtype", TH_mm(&out, a, d));
    assert_fails(TH_E_TYPE, "TH_mm: got bool[2, 2] and bool[2, 2], want one dtype, not bool", TH_mm(&out, yes, yes));
    assert_fails(TH_E_ARG, "TH_mm: a is NULL", TH_mm(&out, NULL, b));
    assert_fails(TH_E_ARG, "TH_mv: b is NULL", TH_mv(&out, a, NULL));
    assert_fails(TH_E_ARG, "TH_mv: out is NULL", TH_mv(NULL, a, v));
    assert_fails(TH_E_ARG, "TH_dot: out is NULL", TH_dot(NULL, v, v));
    assert_fails(TH_E_ARG, "TH_addmm: c is NULL", TH_addmm(&out, NULL, a, b, NULL, NULL));
    assert_fails(TH_E_SHAPE, "TH_addmm: got float32[2, 3] and float32[3]", TH_addmm(&out, a, a, v, NULL, NULL));
    assert_fails(TH_E_TYPE, "TH_addmm: got a floating alpha for int32",
                 TH_addmm(&out, whole, whole, whole, NULL, SCALAR_F(1)));
    assert_fails(TH_E_TYPE, "TH_addmm: got a floating beta for int32",
                 TH_addmm(&out, whole, whole, whole, SCALAR_F(1), NULL));
    assert_null(out);
    THTensor *at = NULL;
    assert_ok(THTensor_transpose(&at, a, 0, 1));
    assert_fails(TH_E_SHAPE, "TH_addmm: got c float32[4, 5], want sizes that broadcast to [2, 2]",
                 TH_addmm(&out, b, a, at, NULL, NULL));
    assert_fails(TH_E_TYPE, "TH_addmm: got c float64[3, 2], want dtype float32", TH_addmm(&out, d, a, at, NULL, NULL));
    THTensor *wrong = tensor_empty(TH_FLOAT32, LIST(2, 3)), *wrong_type = tensor_empty(TH_FLOAT64, LIST(2, 2));
    assert_fails(TH_E_SHAPE, "TH_mm: got out", TH_mm(&wrong, a, at));
    assert_fails(TH_E_TYPE, "TH_mm: got out", TH_mm(&wrong_type, a, at));
    THTensor *all[] = {a, b, v, d, yes, number, s, u, whole, at, wrong, wrong_type};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void test_outputs_that_overlap(void **state) {
    (void)state;
    THTensor *a = random_matrix(TH_FLOAT32, LIST(3, 3), 1), *b = random_matrix(TH_FLOAT32, LIST(3, 3), 2);
    THTensor *kept = tensor_as(a, LAYOUT_CONTIGUOUS), *at = NULL, *row = NULL, *wide = NULL, *c = NULL;
    assert_fails(TH_E_ARG, "TH_mm: got out", TH_mm(&a, a, b));
    assert_fails(TH_E_ARG, "TH_mm: got out", TH_mm(&a, b, a));
    assert_ok(THTensor_transpose(&at, a, 0, 1));
    assert_fails(TH_E_ARG, "TH_addmm: got out", TH_addmm(&at, a, b, b, NULL, NULL));
    assert_fails(TH_E_ARG, "TH_addmm: got out", TH_addmm(&a, b, a, b, NULL, NULL));
    assert_ok(THTensor_select(&row, a, 0, 0));
    assert_ok(THTensor_expand(&wide, row, LIST(3, 3)));
    assert_fails(TH_E_ARG, "TH_mm: got out", TH_mm(&wide, b, b));
    assert_fails(TH_E_ARG, "TH_addmm: got out", TH_addmm(&a, row, b, b, NULL, NULL));
    assert_same(a, kept);
    assert_ok(THTensor_alias(&c, a)); /* another descriptor of the same memory is c itself */
    assert_ok(TH_addmm(&a, c, b, b, NULL, NULL));
    assert_product(a, b, b, &(scaling){kept, 1, 1});
    THTensor *all[] = {a, b, kept, at, row, wide, c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

/* ---- out of memory ---- */

static void exhaust(void *arg) {
    THDtype dtype = *(const THDtype *)arg;
    static const double ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    THTensor *a = NULL, *b = NULL, *la = NULL, *lb = NULL, *out = NULL, *sum = NULL, *dot = NULL, *x = NULL;
    const int64_t strides[] = {0, 0}, sizes[] = {3, 3};
    THStatus status = TH_full(&a, LIST(12), SCALAR_I((int64_t)ones[0]), dtype);
    if (status == TH_OK) status = THTensor_as_strided(&la, a, sizes, strides, 2, 0);
    if (status == TH_OK) status = THTensor_narrow(&x, a, 0, 1, 5);
    if (status == TH_OK) status = TH_full(&sum, LIST(3, 3), SCALAR_I(5), dtype);
    if (status == TH_OK && (status = TH_mm(&out, la, la)) != TH_OK) assert_null(out);
    if (status == TH_OK && (status = TH_addmm(&sum, sum, la, la, SCALAR_I(2), NULL)) != TH_OK)
        assert_element(sum, 0, 5, 0);
    if (status == TH_OK) assert_element(sum, 8, 13, 0);
    if (status == TH_OK && (status = TH_dot(&dot, x, x)) != TH_OK) assert_null(dot);
    if (status == TH_OK) assert_element(dot, 0, 5, 0);
    assert_true(status == TH_OK || status == TH_E_MEMORY);
    THTensor *all[] = {a, b, la, lb, out, sum, dot, x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void exhaust_long_dot(void *arg) {
    (void)arg;
    THTensor *a = NULL, *dot = NULL;
    THStatus status = TH_full(&a, LIST(300000), SCALAR_F(1), TH_FLOAT32);
    if (status == TH_OK) status = TH_dot(&dot, a, a);
    if (status == TH_OK) assert_element(dot, 0, 300000, 0);
    assert_true(status == TH_OK || (status == TH_E_MEMORY && !dot));
    THTensor_free(a);
    THTensor_free(dot);
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (int t = 0; t < NUMBER_TYPES; t++) oom_each(exhaust, (void *)&number_types[t]);
    oom_each(exhaust_long_dot, NULL);
}

/* ---- sizes that BLAS cannot count ---- */

#define PAGES ((INT64_C(1) << 34) + (1 << 20)) /* bytes */

static void unmap(void *user) { munmap(user, (size_t)(PAGES)); }

/* 16 GiB of zeros, which take memory only where they are written. NULL if the system does not give them. */
static THStorage *zero_pages(void) {
    const size_t n = (size_t)(PAGES);
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    THStorage *s = NULL;
    if (p != MAP_FAILED) assert_ok(THStorage_new_foreign(&s, p, (int64_t)n, TH_CPU, 0, unmap, p));
    return s;
}

static THTensor *far_tensor(THStorage *s, const int64_t *sizes, int32_t ndim, const int64_t *strides) {
    THTensor *t = NULL;
    assert_ok(THTensor_new_over(&t, s, TH_FLOAT32, sizes, strides, ndim, 0));
    return t;
}

/* The inner size. */
static void test_long_products(void **state) {
    (void)state;
    const int64_t n = (INT64_C(1) << 31) + 16;
    THStorage *s = zero_pages();
    if (!s) skip();
    THTensor *row = far_tensor(s, LIST(1, n), NULL), *column = far_tensor(s, LIST(n, 1), NULL), *two, *y = NULL;
    two = far_tensor(s, LIST(1, n), NULL);
    THTensor *vector = far_tensor(s, LIST(n), NULL);
    ((float *)THTensor_data(row))[0] = 3, ((float *)THTensor_data(row))[1 << 30] = 5;
    ((float *)THTensor_data(row))[n - 1] = 7;
    THTensor **made[] = {&row, &column, &two, &vector};
    assert_ok(TH_mm(&y, row, column));
    assert_element(y, 0, 83, 0);
    THTensor_free(y), y = NULL;
    assert_ok(TH_mv(&y, row, vector));
    assert_element(y, 0, 83, 0);
    THTensor_free(y), y = NULL;
    assert_ok(TH_dot(&y, vector, vector));
    assert_element(y, 0, 83, 0);
    THTensor_free(y), y = NULL;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) THTensor_free(*made[i]);
    THStorage_free(s);
}

/* Rows, and elements of vectors, that lie more than 2^31 elements apart. */
static void test_products_far_apart(void **state) {
    (void)state;
    const int64_t far = (INT64_C(1) << 31) + 8;
    THStorage *s = zero_pages(), *results = zero_pages();
    if (!s || !results) skip();
    THTensor *a = far_tensor(s, LIST(2, 2), (const int64_t[]){far, 1}), *v = far_tensor(s, LIST(2), &far);
    THTensor *c = far_tensor(results, LIST(2, 2), (const int64_t[]){far, 1}), *cv = far_tensor(results, LIST(2), &far);
    THTensor *turned = NULL, *near = tensor_of(TH_FLOAT32, LIST(2, 2), (double[]){1, 2, 3, 4}), *y = NULL;
    assert_ok(THTensor_transpose(&turned, a, 0, 1));
    for (int64_t i = 0; i < 4; i++) set_element(a, i, (long double)(i + 1)); /* [[1, 2], [3, 4]] */
    static const double square[] = {7, 10, 15, 22}, turned_square[] = {10, 14, 14, 20},
                        other_square[] = {5, 11, 11, 25};
    assert_ok(TH_mm(&c, a, a));
    for (int64_t i = 0; i < 4; i++) assert_element(c, i, square[i], 0);
    assert_ok(TH_mm(&c, turned, a));
    for (int64_t i = 0; i < 4; i++) assert_element(c, i, turned_square[i], 0);
    assert_ok(TH_mm(&c, near, turned));
    for (int64_t i = 0; i < 4; i++) assert_element(c, i, other_square[i], 0);
    assert_ok(TH_mv(&cv, near, v)); /* [1, 3] */
    assert_element(cv, 0, 7, 0), assert_element(cv, 1, 15, 0);
    assert_ok(TH_mv(&cv, turned, v));
    assert_element(cv, 0, 10, 0), assert_element(cv, 1, 14, 0);
    assert_ok(TH_dot(&y, v, v));
    assert_element(y, 0, 10, 0);
    THTensor *all[] = {a, v, c, cv, turned, near, y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    THStorage_free(s), THStorage_free(results);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm_dtypes_and_layouts),
        cmocka_unit_test(test_mm_zero_sizes),
        cmocka_unit_test(test_mm_every_isa),
        cmocka_unit_test(test_mm_strides_that_say_nothing),
        cmocka_unit_test(test_halves_accumulate_in_float32),
        cmocka_unit_test(test_nan_and_infinity_travel),
        cmocka_unit_test(test_bits_do_not_depend_on_threads),
        cmocka_unit_test(test_mv_and_dot),
        cmocka_unit_test(test_bmm_and_matmul),
        cmocka_unit_test(test_matmul_of_expanded_stacks),
        cmocka_unit_test(test_addmm),
        cmocka_unit_test(test_addmm_defaults_and_whole_factors),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_outputs_that_overlap),
        cmocka_unit_test(test_long_products),
        cmocka_unit_test(test_products_far_apart),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
