/* SPDX-License-Identifier: BSD-3-Clause */
/* Pooling against its definition, window by window. */
#include "THNN/pool.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include <unistd.h>

/* ---- reference ---- */

/* Windows along one axis: one more than full steps fit, the last kept with ceil_mode if it starts before the right
 * padding. */
static int64_t windows(const THNNPool *g, int d, int64_t in) {
    double room = (double)(in + 2 * g->padding[d] - g->dilation[d] * (g->kernel[d] - 1) - 1) / (double)g->stride[d];
    int64_t n = (int64_t)(g->ceil_mode ? ceil(room) : floor(room)) + 1;
    if (g->ceil_mode && (n - 1) * g->stride[d] >= in + g->padding[d]) n--;
    return n;
}

typedef struct window {
    int64_t taps[3][16], n[3]; /* positions inside, by axis */
    int64_t padded[3];         /* how many lie inside the input or its padding */
} window;

static window window_at(const THNNPool *g, const int64_t *in, const int64_t *out, int64_t o) {
    window w = {.n = {0, 0, 0}};
    const int64_t index[] = {o / (out[1] * out[2]), o / out[2] % out[1], o % out[2]};
    for (int d = 0; d < 3; d++)
        for (int64_t r = 0; r < g->kernel[d]; r++) {
            int64_t at = index[d] * g->stride[d] - g->padding[d] + r * g->dilation[d];
            if (at < in[d] + g->padding[d]) w.padded[d]++;
            if (at >= 0 && at < in[d]) w.taps[d][w.n[d]++] = at;
        }
    return w;
}

static int64_t inside(const window *w) { return w->n[0] * w->n[1] * w->n[2]; }

/* Flat index of the i-th element inside. */
static int64_t tap(const window *w, const int64_t *in, int64_t i) {
    int64_t z = w->taps[0][i / (w->n[1] * w->n[2])], r = w->taps[1][i / w->n[2] % w->n[1]], c = w->taps[2][i % w->n[2]];
    return (z * in[1] + r) * in[2] + c;
}

static int64_t volume(const int64_t *s) { return s[0] * s[1] * s[2]; }

static int lands(const THNNPool *g, const int64_t *in, const int64_t *out) {
    for (int64_t o = 0; o < volume(out); o++) {
        window w = window_at(g, in, out, o);
        if (inside(&w) == 0) return 0;
    }
    return 1;
}

typedef struct pooled {
    int64_t planes, in[3], out[3];
    const THTensor *x, *y, *index, *grad, *dx; /* no grad and dx for integers */
} pooled;

static void assert_max(const THNNPool *g, const pooled *p) {
    int64_t size = volume(p->in), n = volume(p->out);
    for (int64_t c = 0; c < p->planes; c++) {
        long double *sum = test_calloc((size_t)size, sizeof *sum);
        for (int64_t o = 0; o < n; o++) {
            window w = window_at(g, p->in, p->out, o);
            int64_t best = tap(&w, p->in, 0);
            for (int64_t i = 1; i < inside(&w); i++) {
                int64_t at = tap(&w, p->in, i);
                long double v = element(p->x, c * size + at), top = element(p->x, c * size + best);
                if (v > top || (isnan(v) && !isnan(top))) best = at;
            }
            assert_element(p->y, c * n + o, element(p->x, c * size + best), 0);
            assert_int_equal((int64_t)element(p->index, c * n + o), best);
            if (p->grad) sum[best] += element(p->grad, c * n + o);
        }
        for (int64_t i = 0; p->dx && i < size; i++) assert_element(p->dx, c * size + i, sum[i], 2);
        test_free(sum);
    }
}

static void assert_avg(const THNNPool *g, const pooled *p) {
    int64_t size = volume(p->in), n = volume(p->out);
    for (int64_t c = 0; c < p->planes; c++) {
        long double *sum = test_calloc((size_t)size, sizeof *sum);
        for (int64_t o = 0; o < n; o++) {
            window w = window_at(g, p->in, p->out, o);
            long double total = 0, divisor = (long double)(g->divisor             ? g->divisor
                                                           : g->count_include_pad ? volume(w.padded)
                                                                                  : inside(&w));
            for (int64_t i = 0; i < inside(&w); i++) {
                int64_t at = tap(&w, p->in, i);
                total += element(p->x, c * size + at);
                sum[at] += element(p->grad, c * n + o) / divisor;
            }
            /* sums are kept in double */
            assert_element(p->y, c * n + o, total / divisor, THTensor_dtype(p->y) == TH_FLOAT64 ? 16 : 1);
        }
        /* values in [1, 2): nothing cancels, so a few units are enough for the sum of up to 64 shares */
        for (int64_t i = 0; i < size; i++) assert_element(p->dx, c * size + i, sum[i], 32);
        test_free(sum);
    }
}

/* ---- random geometries ---- */

static int64_t draw(uint64_t *state, int64_t lo, int64_t hi) {
    return lo + (int64_t)(random_bits(state) % (uint64_t)(hi - lo + 1));
}

static THNNPool random_geometry(uint64_t *seed, int32_t spatial, int64_t *in, int is_max) {
    THNNPool g = {.ceil_mode = (int32_t)draw(seed, 0, 1), .count_include_pad = (int32_t)draw(seed, 0, 1)};
    if (draw(seed, 0, 3) == 0) g.divisor = draw(seed, 1, 9) * (draw(seed, 0, 3) ? 1 : -1);
    for (int d = 0; d < 3; d++) {
        g.kernel[d] = g.stride[d] = g.dilation[d] = in[d] = 1;
        if (d < 3 - spatial) continue;
        g.kernel[d] = draw(seed, 1, 4);
        g.stride[d] = draw(seed, 1, 4);
        g.padding[d] = draw(seed, 0, g.kernel[d] / 2);
        g.dilation[d] = is_max ? draw(seed, 1, 3) : 1;
        in[d] = draw(seed, 1, spatial == 3 ? 7 : draw(seed, 0, 9) ? 14 : 150);
    }
    return g;
}

typedef THStatus max_function(THTensor **, THTensor **, const THTensor *, const THNNPool *);
typedef THStatus max_back_function(THTensor **, const THTensor *, const THTensor *, const int64_t *, int32_t);
typedef THStatus avg_function(THTensor **, const THTensor *, const THNNPool *);
typedef THStatus avg_back_function(THTensor **, const THTensor *, const int64_t *, int32_t, const THNNPool *);
static const struct {
    max_function *max;
    max_back_function *max_back;
    avg_function *avg;
    avg_back_function *avg_back;
} functions[4] = {{NULL, NULL, NULL, NULL},
                  {THNN_max_pool1d, THNN_max_pool1d_backward, THNN_avg_pool1d, THNN_avg_pool1d_backward},
                  {THNN_max_pool2d, THNN_max_pool2d_backward, THNN_avg_pool2d, THNN_avg_pool2d_backward},
                  {THNN_max_pool3d, THNN_max_pool3d_backward, THNN_avg_pool3d, THNN_avg_pool3d_backward}};

static void check_pool(const THNNPool *g, int32_t spatial, const int64_t *sizes, int32_t ndim, THDtype dtype,
                       int layout, int is_max, uint64_t seed) {
    int64_t out_sizes[5];
    pooled p = {.planes = 1, .in = {1, 1, 1}, .out = {1, 1, 1}};
    memcpy(out_sizes, sizes, sizeof out_sizes[0] * (size_t)ndim);
    for (int d = 0; d < ndim - spatial; d++) p.planes *= sizes[d];
    for (int d = 3 - spatial; d < 3; d++) {
        p.in[d] = sizes[ndim - 3 + d];
        p.out[d] = out_sizes[ndim - 3 + d] = windows(g, d, p.in[d]);
    }
    const int floating = TH_dtype_is_floating(dtype);
    THTensor *x = tensor_random(dtype, sizes, ndim, floating ? 1 : -100, floating ? 2 : 100, seed),
             *lx = tensor_as(x, layout), *made = NULL, *index = NULL;
    if (p.out[0] < 1 || p.out[1] < 1 || p.out[2] < 1 || !lands(g, p.in, p.out)) {
        assert_fails(TH_E_SHAPE, "want a plane that holds an element for each window",
                     is_max ? functions[spatial].max(&made, &index, lx, g) : functions[spatial].avg(&made, lx, g));
        THTensor_free(x);
        THTensor_free(lx);
        return;
    }
    THTensor *y = tensor_in_layout(dtype, out_sizes, ndim, layout), *dx = NULL, *dmade = NULL, *alone = NULL;
    THTensor *given = tensor_in_layout(TH_INT64, out_sizes, ndim, layout), *grad = NULL, *lgrad = NULL;
    if (floating) {
        dx = tensor_in_layout(dtype, sizes, ndim, layout);
        grad = tensor_random(dtype, out_sizes, ndim, 1, 2, seed + 1), lgrad = tensor_as(grad, layout);
    }
    if (is_max) {
        assert_ok(functions[spatial].max(&made, &index, lx, g));
        assert_ok(functions[spatial].max(&y, &given, lx, g));
        assert_same(given, index);
        if (floating) assert_ok(functions[spatial].max_back(&dmade, lgrad, given, sizes, ndim));
        if (floating) assert_ok(functions[spatial].max_back(&dx, grad, index, sizes, ndim));
        assert_ok(functions[spatial].max(&alone, NULL, x, g));
        assert_same(alone, made);
    } else {
        assert_ok(functions[spatial].avg(&made, lx, g));
        assert_ok(functions[spatial].avg(&y, lx, g));
        assert_ok(functions[spatial].avg_back(&dmade, lgrad, sizes, ndim, g));
        assert_ok(functions[spatial].avg_back(&dx, lgrad, sizes, ndim, g));
    }
    support_assert_is(made, dtype, out_sizes, ndim, __FILE__, __LINE__);
    assert_same(y, made);
    if (floating) assert_same(dx, dmade);
    if (layout) assert_holes(y);
    if (layout && floating) assert_holes(dx);
    p.x = x, p.y = made, p.index = index, p.grad = grad, p.dx = dx;
    if (is_max)
        assert_max(g, &p);
    else
        assert_avg(g, &p);
    THTensor *all[] = {x, lx, made, index, y, dx, dmade, given, grad, lgrad, alone};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void sweep(int is_max) {
    for (THDtype dtype = is_max ? TH_UINT8 : TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (uint64_t i = 0; i < (dtype < TH_FLOAT16 ? 30 : 90); i++) {
            uint64_t seed = i;
            int32_t spatial = 1 + (int32_t)(i % 3), ndim = 0;
            int64_t in[3], sizes[5];
            THNNPool g = random_geometry(&seed, spatial, in, is_max);
            if (i % 4) sizes[ndim++] = 2;
            sizes[ndim++] = i % 4 ? 2 : 3;
            for (int d = 3 - spatial; d < 3; d++) sizes[ndim++] = in[d];
            check_pool(&g, spatial, sizes, ndim, dtype, (int)(i / 3) % LAYOUT_COUNT, is_max, i);
        }
}

static void test_max_pool(void **state) {
    (void)state;
    sweep(1);
}

static void test_avg_pool(void **state) {
    (void)state;
    sweep(0);
}

static void test_every_isa(void **state) {
    (void)state;
    THNNPool g = {{1, 3, 2}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, 0, 1, 1};
    for (int32_t i = 0; i < TH_isa_count(); i++) {
        assert_ok(TH_set_isa(TH_isa_name(i)));
        for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++)
            for (int is_max = 0; is_max < 2; is_max++) check_pool(&g, 2, LIST(2, 3, 37, 131), dtype, 0, is_max, 5);
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

static void test_zero_sizes(void **state) {
    (void)state;
    THNNPool g = {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0};
    for (int is_max = 0; is_max < 2; is_max++) {
        check_pool(&g, 2, LIST(0, 3, 4, 4), TH_FLOAT32, 0, is_max, 1);
        check_pool(&g, 2, LIST(2, 0, 4, 4), TH_FLOAT64, 0, is_max, 1);
        check_pool(&g, 2, LIST(0, 4, 4), TH_FLOAT16, 0, is_max, 1);
    }
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(2, 3, 0, 4)), *y = NULL;
    assert_fails(TH_E_SHAPE, "got x of sizes [2, 3, 0, 4]", THNN_max_pool2d(&y, NULL, x, &g));
    assert_fails(TH_E_SHAPE, "got x of sizes [2, 3, 0, 4]", THNN_avg_pool2d(&y, x, &g));
    THTensor_free(x);
}

/* ---- special values ---- */

static void test_nan_and_infinities(void **state) {
    (void)state;
    THNNPool g = {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0};
    const double values[] = {1, 2,   -INFINITY, -INFINITY, NAN, NAN, NAN,      9,
                             3, NAN, -INFINITY, -INFINITY, 5,   7,   INFINITY, NAN};
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
        THTensor *x = tensor_of(dtype, LIST(1, 2, 8), values), *y = NULL, *index = NULL, *dx = NULL;
        assert_ok(THNN_max_pool2d(&y, &index, x, &g));
        const double want[] = {NAN, -INFINITY, NAN, NAN}, at[] = {9, 2, 4, 6}; /* the first NaN; the first of equals */
        for (int i = 0; i < 4; i++) {
            assert_element(y, i, want[i], 0);
            assert_element(index, i, at[i], 0);
        }
        assert_ok(THNN_max_pool2d_backward(&dx, y, index, THTensor_sizes(x), THTensor_ndim(x)));
        assert_element(dx, 2, -INFINITY, 0);
        assert_element(dx, 0, 0, 0);
        THTensor_free(y);
        y = NULL;
        assert_ok(THNN_avg_pool2d(&y, x, &g));
        const double mean[] = {NAN, -INFINITY, NAN, NAN};
        for (int i = 0; i < 4; i++) assert_element(y, i, mean[i], 0);
        THTensor *all[] = {x, y, index, dx};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    }
}

/* Padding never wins, however small the values; averages count it or not. */
static void test_padding(void **state) {
    (void)state;
    THNNPool g = {{1, 2, 2}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, 0, 0, 0};
    THTensor *x = tensor_of(TH_FLOAT32, LIST(1, 2, 2), (double[]){-4, -8, -16, -32}), *y = NULL;
    const double values[] = {-4, -8, -16, -32}, quarters[] = {-1, -2, -4, -8};
    assert_ok(THNN_max_pool2d(&y, NULL, x, &g));
    for (int i = 0; i < 4; i++) assert_element(y, i, values[i], 0);
    assert_ok(THNN_avg_pool2d(&y, x, &g));
    for (int i = 0; i < 4; i++) assert_element(y, i, values[i], 0);
    g.count_include_pad = 1;
    assert_ok(THNN_avg_pool2d(&y, x, &g));
    for (int i = 0; i < 4; i++) assert_element(y, i, quarters[i], 0);
    THTensor_free(x);
    THTensor_free(y);
}

/* 5 elements, windows of 2 every 2: the third holds one element, with ceil_mode alone. A window never starts in the
 * right padding. */
static void test_ceil_mode(void **state) {
    (void)state;
    THNNPool g = {{1, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1}, 0, 0, 1};
    THTensor *x = tensor_of(TH_FLOAT32, LIST(1, 1, 5), (double[]){1, 2, 3, 4, 5}), *y = NULL;
    assert_ok(THNN_avg_pool2d(&y, x, &g));
    assert_is(y, TH_FLOAT32, 1, 1, 2);
    THTensor_free(y);
    y = NULL;
    g.ceil_mode = 1;
    assert_ok(THNN_avg_pool2d(&y, x, &g));
    assert_is(y, TH_FLOAT32, 1, 1, 3);
    assert_element(y, 2, 5, 0);
    THTensor_free(y);
    y = NULL;
    g.padding[2] = 1; /* room for a third window from 3 on; a fourth would start at 5 */
    assert_ok(THNN_max_pool2d(&y, NULL, x, &g));
    assert_is(y, TH_FLOAT32, 1, 1, 3);
    assert_element(y, 0, 1, 0);
    assert_element(y, 2, 5, 0);
    THTensor_free(x);
    THTensor_free(y);
}

static void test_bits_do_not_depend_on_threads(void **state) {
    (void)state;
    THNNPool g = {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}, 0, 0, 0};
    int32_t threads = TH_num_threads();
    THTensor *x = tensor_random(TH_FLOAT32, LIST(4, 16, 40, 40), -1, 1, 1), *got[4][3];
    memset(got, 0, sizeof got);
    for (int32_t n = 0; n < 3; n++) {
        THTensor *index = NULL;
        assert_ok(TH_set_num_threads(n + 1));
        assert_ok(THNN_max_pool2d(&got[0][n], &index, x, &g));
        assert_ok(THNN_max_pool2d_backward(&got[1][n], got[0][n], index, THTensor_sizes(x), THTensor_ndim(x)));
        assert_ok(THNN_avg_pool2d(&got[2][n], x, &g));
        assert_ok(THNN_avg_pool2d_backward(&got[3][n], got[2][n], THTensor_sizes(x), THTensor_ndim(x), &g));
        THTensor_free(index);
    }
    for (int t = 0; t < 4; t++) {
        for (int n = 1; n < 3; n++)
            assert_memory_equal(THTensor_data(got[t][0]), THTensor_data(got[t][n]),
                                (size_t)THTensor_numel(got[t][0]) * 4);
        for (int n = 0; n < 3; n++) THTensor_free(got[t][n]);
    }
    THTensor_free(x);
    assert_ok(TH_set_num_threads(threads));
}

/* Kernels that are almost all padding or overhang: only taps inside cost anything. */
static void test_huge_kernels(void **state) {
    (void)state;
    enum { HUGE = 200000 };
    alarm(10); /* walking all taps takes minutes */
    static const THNNPool cases[] = {
        {{1, HUGE, HUGE}, {1, HUGE, HUGE}, {0, 0, 0}, {1, 1, 1}, 0, 1, 0},
        {{1, HUGE, HUGE}, {1, HUGE, HUGE}, {0, 0, 0}, {1, 1, 1}, 0, 1, 1},
        {{1, HUGE, HUGE}, {1, HUGE, HUGE}, {0, HUGE / 2, HUGE / 2}, {1, 1, 1}, 0, 0, 0},
        {{1, HUGE, HUGE}, {1, HUGE / 2, HUGE / 2}, {0, HUGE / 2, HUGE / 2}, {1, 1, 1}, 0, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        THTensor *x = tensor_of(TH_FLOAT32, LIST(1, 2, 2), (double[]){1, 2, 4, 9}), *y = NULL, *index = NULL;
        THTensor *mean = NULL, *dx = NULL, *dmean = NULL;
        assert_ok(THNN_max_pool2d(&y, &index, x, &cases[i]));
        assert_ok(THNN_max_pool2d_backward(&dx, y, index, THTensor_sizes(x), THTensor_ndim(x)));
        assert_ok(THNN_avg_pool2d(&mean, x, &cases[i]));
        assert_ok(THNN_avg_pool2d_backward(&dmean, mean, THTensor_sizes(x), THTensor_ndim(x), &cases[i]));
        assert_element(y, 0, 9, 0);
        assert_element(index, 0, 3, 0);
        if (i != 3) assert_element(dx, 3, 9, 0);
        assert_element(mean, 0, 4,
                       0); /* of the four elements inside, also where padding to the right ends the window */
        if (i != 3) assert_element(dmean, 0, 1, 0);
        THTensor *all[] = {x, y, index, mean, dx, dmean};
        for (size_t t = 0; t < sizeof all / sizeof *all; t++) THTensor_free(all[t]);
    }
    alarm(0);
}

/* ---- bad input ---- */

static void test_indices_are_checked(void **state) {
    (void)state;
    THTensor *grad = tensor_of(TH_FLOAT32, LIST(1, 1, 1, 2), (double[]){1, 2}), *dx = NULL;
    THTensor *given = tensor_of(TH_FLOAT32, LIST(1, 1, 2, 2), (double[]){7, 7, 7, 7});
    static const double bad[] = {-1, 4, 1e15, -1e15};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        THTensor *index = tensor_of(TH_INT64, LIST(1, 1, 1, 2), (double[]){0, bad[i]});
        assert_fails(TH_E_INDEX, "THNN_max_pool2d_backward: got an index outside the plane, want 0 to 3",
                     THNN_max_pool2d_backward(&dx, grad, index, THTensor_sizes(given), THTensor_ndim(given)));
        assert_fails(TH_E_INDEX, "want 0 to 3",
                     THNN_max_pool2d_backward(&given, grad, index, THTensor_sizes(given), THTensor_ndim(given)));
        assert_null(dx);
        for (int k = 0; k < 4; k++) assert_element(given, k, 7, 0);
        THTensor_free(index);
    }
    THTensor_free(grad);
    THTensor_free(given);
}

static void test_errors(void **state) {
    (void)state;
    THNNPool g = {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0},
             dilated = {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 2, 1}, 0, 0, 0};
    THTensor *x = tensor_random(TH_FLOAT32, LIST(1, 4, 4), 0, 1, 1),
             *flat = tensor_random(TH_FLOAT32, LIST(4, 4), 0, 1, 2), *out = NULL;
    THTensor *whole = tensor_random(TH_INT32, LIST(1, 4, 4), 0, 9, 3),
             *grad = tensor_random(TH_FLOAT32, LIST(1, 2, 2), 0, 1, 4);
    THTensor *index = tensor_random(TH_INT64, LIST(1, 2, 2), 0, 3, 5),
             *short_index = tensor_random(TH_INT64, LIST(1, 2, 1), 0, 3, 6);
    THTensor *truth = tensor_random(TH_BOOL, LIST(1, 4, 4), 0, 1, 7);
    const int64_t *sizes = THTensor_sizes(x);
    assert_fails(TH_E_ARG, "THNN_max_pool2d: x is NULL", THNN_max_pool2d(&out, NULL, NULL, &g));
    assert_fails(TH_E_ARG, "THNN_max_pool2d: geometry is NULL", THNN_max_pool2d(&out, NULL, x, NULL));
    assert_fails(TH_E_ARG, "THNN_max_pool2d: out is NULL", THNN_max_pool2d(NULL, NULL, x, &g));
    assert_fails(TH_E_ARG, "THNN_avg_pool2d: out is NULL", THNN_avg_pool2d(NULL, x, &g));
    assert_fails(TH_E_TYPE, "THNN_max_pool2d: got x of dtype bool", THNN_max_pool2d(&out, NULL, truth, &g));
    assert_fails(TH_E_TYPE, "THNN_avg_pool2d: got x of dtype int32", THNN_avg_pool2d(&out, whole, &g));
    assert_fails(TH_E_SHAPE, "THNN_max_pool3d: got x of sizes [1, 4, 4], want [N, C, D, H, W] or [C, D, H, W]",
                 THNN_max_pool3d(&out, NULL, x, &(THNNPool){{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0}));
    assert_fails(TH_E_ARG, "THNN_max_pool1d: got kernel 2", THNN_max_pool1d(&out, NULL, x, &g));
    assert_fails(TH_E_SHAPE, "for x of sizes [1, 4]", THNN_max_pool2d_backward(&out, grad, index, sizes, 2));
    assert_fails(TH_E_SHAPE, "THNN_avg_pool2d: got x of sizes [4, 4], want [N, C, H, W] or [C, H, W]",
                 THNN_avg_pool2d(&out, flat, &g));
    assert_fails(TH_E_ARG, "THNN_avg_pool2d: got dilation 2, want 1", THNN_avg_pool2d(&out, x, &dilated));
    static const THNNPool bad[] = {{{1, 0, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, 1, 0}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, 1, 1}, {0, 2, 0}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, 1, 1}, {0, 0, -1}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 0, 1}, 0, 0, 0},
                                   {{1, 2, INT64_MAX}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, INT64_MAX, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0},
                                   {{1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, INT64_MAX, 1}, 0, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(TH_E_ARG, "THNN_max_pool2d: got kernel", THNN_max_pool2d(&out, NULL, x, &bad[i]));
    assert_fails(TH_E_SHAPE, "want a plane",
                 THNN_max_pool2d(&out, NULL, x, &(THNNPool){{1, 9, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0}));
    assert_fails(TH_E_ARG, "THNN_max_pool2d_backward: x_sizes is NULL",
                 THNN_max_pool2d_backward(&out, grad, index, NULL, 3));
    assert_fails(TH_E_TYPE, "THNN_max_pool2d_backward: got indices of dtype int32",
                 THNN_max_pool2d_backward(&out, grad, whole, sizes, 3));
    assert_fails(TH_E_SHAPE, "THNN_max_pool2d_backward: got indices of sizes [1, 2, 1], want [1, 2, 2]",
                 THNN_max_pool2d_backward(&out, grad, short_index, sizes, 3));
    assert_fails(TH_E_SHAPE, "THNN_max_pool2d_backward: got grad of sizes [1, 2, 2] for x of sizes [2, 4, 4]",
                 THNN_max_pool2d_backward(&out, grad, index, (int64_t[]){2, 4, 4}, 3));
    assert_fails(TH_E_SHAPE, "THNN_avg_pool2d_backward: got grad of sizes [1, 2, 2], want [1, 4, 2]",
                 THNN_avg_pool2d_backward(&out, grad, (int64_t[]){1, 8, 4}, 3, &g));
    assert_fails(TH_E_SHAPE, "THNN_avg_pool2d_backward: got grad of sizes [4, 4]",
                 THNN_avg_pool2d_backward(&out, flat, sizes, 3, &g));
    assert_fails(TH_E_SHAPE, "THNN_avg_pool2d_backward",
                 THNN_avg_pool2d_backward(&out, grad, (int64_t[]){1, INT64_MAX, 4}, 3, &g));
    assert_null(out);
    THTensor *same = THTensor_retain(x), *float_index = tensor_empty(TH_FLOAT32, LIST(1, 2, 2));
    assert_fails(TH_E_ARG, "THNN_max_pool2d: got out",
                 THNN_max_pool2d(&same, NULL, x, &(THNNPool){{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0}));
    assert_fails(TH_E_TYPE, "want int64", THNN_max_pool2d(&out, &float_index, x, &g));
    assert_null(out);
    THTensor *all[] = {x, flat, whole, truth, grad, index, short_index, same, float_index};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void exhaust(void *arg) {
    THDtype dtype = *(const THDtype *)arg;
    THNNPool g = {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0, 0, 0};
    THTensor *x = NULL, *xt = NULL, *y = NULL, *index = NULL, *dx = NULL, *mean = NULL, *given = NULL;
    THStatus status = TH_full(&x, LIST(2, 3, 4, 6), SCALAR_F(1), dtype);
    if (status == TH_OK) status = THTensor_transpose(&xt, x, 2, 3);
    if (status == TH_OK) status = TH_full(&given, LIST(2, 3, 3, 2), SCALAR_F(-1), dtype);
    if (status == TH_OK && (status = THNN_max_pool2d(&y, &index, xt, &g)) != TH_OK) assert_true(!y && !index);
    if (status == TH_OK && (status = THNN_avg_pool2d(&given, xt, &g)) != TH_OK) assert_element(given, 0, -1, 0);
    if (status == TH_OK &&
        (status = THNN_max_pool2d_backward(&dx, y, index, THTensor_sizes(xt), THTensor_ndim(xt))) != TH_OK)
        assert_null(dx);
    if (status == TH_OK &&
        (status = THNN_avg_pool2d_backward(&mean, y, THTensor_sizes(xt), THTensor_ndim(xt), &g)) != TH_OK)
        assert_null(mean);
    assert_true(status == TH_OK || status == TH_E_MEMORY);
    THTensor *all[] = {x, xt, y, index, dx, mean, given};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) oom_each(exhaust, &dtype);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max_pool),
        cmocka_unit_test(test_avg_pool),
        cmocka_unit_test(test_every_isa),
        cmocka_unit_test(test_zero_sizes),
        cmocka_unit_test(test_nan_and_infinities),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_ceil_mode),
        cmocka_unit_test(test_bits_do_not_depend_on_threads),
        cmocka_unit_test(test_huge_kernels),
        cmocka_unit_test(test_indices_are_checked),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
