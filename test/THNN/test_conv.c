/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolutions by both backends against the definition, summed in long double. */
#include "THNN/conv.h"
#include "support/check.h"
#include "support/limits.h"
#include "support/oom.h"
#include "support/tensors.h"

#include <dlfcn.h>
#include <pthread.h>

enum { X, WEIGHT, Y, BIAS, ARRAYS };

/* One convolution: its arrays in double, the three results, and the sums of the terms' magnitudes, which bound
 * rounding. Sizes are N, C, D, H, W and K, C / groups, Q, R, S, with leading ones where there are fewer dimensions. */
typedef struct reference {
    THNNConv g;
    int32_t spatial, batched;
    int64_t sizes[3][5];
    double *in[ARRAYS]; /* Y: the gradient that goes backward */
    long double *out[3], *magnitude[3];
    int64_t terms[3]; /* at most so many in one sum */
} reference;

static int64_t count(const int64_t *s) { return s[0] * s[1] * s[2] * s[3] * s[4]; }

static int64_t flat(const int64_t *s, const int64_t *i) {
    return (((i[0] * s[1] + i[1]) * s[2] + i[2]) * s[3] + i[3]) * s[4] + i[4];
}

/* The next index in row-major order; 0 behind the last. */
static int next(int64_t *i, const int64_t *sizes) {
    for (int d = 4; d >= 0; d--) {
        if (++i[d] < sizes[d]) return 1;
        i[d] = 0;
    }
    return 0;
}

/* Visits every product x weight -> y of the convolution. */
static void sum_products(reference *r) {
    const int64_t *x = r->sizes[X], *w = r->sizes[WEIGHT], *y = r->sizes[Y];
    int64_t per_group = w[0] / r->g.groups, at_y[5] = {0};
    if (count(y) == 0) return;
    do {
        int64_t window[5] = {1, w[1], w[2], w[3], w[4]}, tap[5] = {0};
        if (count(window) == 0) continue;
        do {
            int64_t at_x[5] = {at_y[0], at_y[1] / per_group * w[1] + tap[1]}, inside = 1;
            for (int d = 0; d < 3; d++) {
                at_x[2 + d] = at_y[2 + d] * r->g.stride[d] + tap[2 + d] * r->g.dilation[d] - r->g.padding[d];
                inside = inside && at_x[2 + d] >= 0 && at_x[2 + d] < x[2 + d];
            }
            if (!inside) continue;
            int64_t at_w[5] = {at_y[1], tap[1], tap[2], tap[3], tap[4]};
            int64_t at[] = {flat(x, at_x), flat(w, at_w), flat(y, at_y)};
            for (int t = 0; t < 3; t++) {
                long double term =
                    (long double)r->in[(t + 1) % 3][at[(t + 1) % 3]] * r->in[(t + 2) % 3][at[(t + 2) % 3]];
                r->out[t][at[t]] += term;
                r->magnitude[t][at[t]] += fabsl(term);
            }
        } while (next(tap, window));
    } while (next(at_y, y));
}

static int64_t windows(const reference *r, int d) {
    return (r->sizes[X][2 + d] + 2 * r->g.padding[d] - r->g.dilation[d] * (r->sizes[WEIGHT][2 + d] - 1) - 1) /
               r->g.stride[d] +
           1;
}

/* Sizes of x and weight and the geometry are set. Values are rounded to dtype. */
static void make_reference(reference *r, THDtype dtype, uint64_t seed) {
    int64_t *y = r->sizes[Y];
    y[0] = r->sizes[X][0];
    y[1] = r->sizes[WEIGHT][0];
    for (int d = 0; d < 3; d++) y[2 + d] = windows(r, d);
    for (int t = 0; t < ARRAYS; t++) {
        int64_t n = t == BIAS ? y[1] : count(r->sizes[t]);
        r->in[t] = test_calloc((size_t)n + 1, sizeof(double));
        for (int64_t i = 0; i < n; i++) r->in[t][i] = (double)round_to(dtype, 2 * random_unit(&seed) - 1);
        if (t == BIAS) continue;
        r->out[t] = test_calloc((size_t)n + 1, sizeof(long double));
        r->magnitude[t] = test_calloc((size_t)n + 1, sizeof(long double));
    }
    r->terms[Y] = count(r->sizes[WEIGHT]) / (y[1] ? y[1] : 1) + 1;
    r->terms[X] = count(r->sizes[WEIGHT]);
    r->terms[WEIGHT] = y[0] * y[2] * y[3] * y[4];
    sum_products(r);
}

static void free_reference(reference *r) {
    for (int t = 0; t < ARRAYS; t++) {
        test_free(r->in[t]);
        if (t == BIAS) continue;
        test_free(r->out[t]);
        test_free(r->magnitude[t]);
    }
}

/* The sizes as callers write them. */
static int32_t visible(const reference *r, int t, int64_t *sizes) {
    int32_t n = 0;
    if (t == BIAS) {
        sizes[0] = r->sizes[Y][1];
        return 1;
    }
    if (t == WEIGHT || r->batched) sizes[n++] = r->sizes[t][0];
    sizes[n++] = r->sizes[t][1];
    for (int d = 3 - r->spatial; d < 3; d++) sizes[n++] = r->sizes[t][2 + d];
    return n;
}

static THStatus conv(const reference *r, THTensor **out, THTensor *const *in, const THTensor *bias) {
    return (r->spatial == 1   ? THNN_conv1d
            : r->spatial == 2 ? THNN_conv2d
                              : THNN_conv3d)(out, in[X], in[WEIGHT], bias, &r->g);
}

static THStatus backward(const reference *r, THTensor **dx, THTensor **dw, THTensor **db, THTensor *const *in) {
    return (r->spatial == 1   ? THNN_conv1d_backward
            : r->spatial == 2 ? THNN_conv2d_backward
                              : THNN_conv3d_backward)(dx, dw, db, in[Y], in[X], in[WEIGHT], &r->g);
}

static void assert_array(const THTensor *got, const reference *r, int t, int with_bias) {
    THDtype dtype = THTensor_dtype(got), computed = dtype == TH_FLOAT64 ? TH_FLOAT64 : TH_FLOAT32;
    int64_t sizes[5], plane = r->sizes[Y][2] * r->sizes[Y][3] * r->sizes[Y][4];
    int32_t ndim = visible(r, t, sizes);
    support_assert_is(got, dtype, sizes, ndim, __FILE__, __LINE__);
    for (int64_t i = 0; i < count(r->sizes[t]); i++) {
        long double bias = with_bias ? r->in[BIAS][i / plane % r->sizes[Y][1]] : 0;
        long double want = r->out[t][i] + bias, x = element(got, i);
        long double bound =
            (r->terms[t] + 2) * ulp_of(computed, 1) * (r->magnitude[t][i] + fabsl(bias)) + ulp_of(dtype, want);
        if (!(fabsl(x - want) <= bound))
            fail_msg("%s, array %d, element %d: got %Lg, want %Lg +- %Lg", THNN_conv_backend(), t, (int)i, x, want,
                     bound);
    }
}

/* The gradient of the bias is the sum of y's. */
static void assert_bias_gradient(const THTensor *got, const reference *r) {
    const int64_t *y = r->sizes[Y], plane = y[2] * y[3] * y[4];
    const THDtype dtype = THTensor_dtype(got), computed = dtype == TH_FLOAT64 ? TH_FLOAT64 : TH_FLOAT32;
    assert_is(got, dtype, y[1]);
    for (int64_t k = 0; k < y[1]; k++) {
        long double want = 0, magnitude = 0;
        for (int64_t i = 0; i < y[0] * plane; i++) {
            long double term = r->in[Y][(i / plane * y[1] + k) * plane + i % plane];
            want += term, magnitude += fabsl(term);
        }
        assert_within(got, k, want, (y[0] * plane + 2) * ulp_of(computed, 1) * magnitude + ulp_of(dtype, want));
    }
}

static THTensor *input(const reference *r, THDtype dtype, int t, int layout) {
    int64_t sizes[5];
    int32_t ndim = visible(r, t, sizes);
    THTensor *dense = tensor_of(dtype, sizes, ndim, r->in[t]), *made = tensor_as(dense, layout);
    THTensor_free(dense);
    return made;
}

/* All convolutions, into new and into given tensors, together and alone. */
static void check_conv(const reference *r, THDtype dtype, int layout) {
    THTensor *in[ARRAYS], *made[8] = {NULL};
    for (int t = 0; t < ARRAYS; t++) in[t] = input(r, dtype, t, (layout + t) % LAYOUT_COUNT);
    assert_ok(conv(r, &made[Y], in, in[BIAS]));
    assert_ok(conv(r, &made[4], in, NULL));
    assert_ok(backward(r, &made[X], NULL, NULL, in));
    assert_ok(backward(r, NULL, &made[WEIGHT], NULL, in));
    assert_ok(backward(r, NULL, NULL, &made[BIAS], in));
    assert_ok(backward(r, &made[5], &made[6], &made[7], in));
    assert_ok(backward(r, NULL, NULL, NULL, in));
    assert_array(made[Y], r, Y, 1);
    assert_array(made[4], r, Y, 0);
    assert_array(made[X], r, X, 0);
    assert_array(made[WEIGHT], r, WEIGHT, 0);
    assert_bias_gradient(made[BIAS], r);
    assert_same(made[5], made[X]);
    assert_same(made[6], made[WEIGHT]);
    assert_same(made[7], made[BIAS]);
    THTensor *given[ARRAYS];
    for (int t = 0; t < ARRAYS; t++) {
        int64_t sizes[5];
        int32_t ndim = visible(r, t, sizes);
        given[t] = tensor_in_layout(dtype, sizes, ndim, layout); /* full of NaN */
    }
    assert_ok(conv(r, &given[Y], in, in[BIAS]));
    assert_ok(backward(r, &given[X], &given[WEIGHT], &given[BIAS], in));
    for (int t = 0; t < ARRAYS; t++) {
        assert_same(given[t], made[t]);
        if (layout) assert_holes(given[t]);
        THTensor_free(given[t]);
    }
    for (int t = 0; t < ARRAYS; t++) THTensor_free(in[t]);
    for (int t = 0; t < 8; t++) THTensor_free(made[t]);
}

static int64_t draw(uint64_t *state, int64_t lo, int64_t hi) {
    return lo + (int64_t)(random_bits(state) % (uint64_t)(hi - lo + 1));
}

/* A random convolution in which at least one window fits. */
static reference random_reference(THDtype dtype, uint64_t seed) {
    reference r = {.g = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, draw(&seed, 1, 3)}};
    int depthwise = draw(&seed, 0, 4) == 0;
    int64_t c = depthwise ? 1 : draw(&seed, 1, 9), k = depthwise ? draw(&seed, 1, 2) : draw(&seed, 1, 9);
    r.spatial = (int32_t)draw(&seed, 1, 3);
    r.batched = draw(&seed, 0, 3) > 0;
    int64_t x[5] = {r.batched ? draw(&seed, 1, 4) : 1, c * r.g.groups, 1, 1, 1}, w[5] = {k * r.g.groups, c, 1, 1, 1};
    for (int d = 3 - r.spatial; d < 3; d++) {
        r.g.stride[d] = draw(&seed, 1, 3);
        r.g.padding[d] = draw(&seed, 0, 3);
        r.g.dilation[d] = draw(&seed, 1, 3);
        w[2 + d] = draw(&seed, 1, r.spatial == 3 ? 3 : 4);
        int64_t least = r.g.dilation[d] * (w[2 + d] - 1) + 1 - 2 * r.g.padding[d];
        x[2 + d] = (least > 1 ? least : 1) + draw(&seed, 0, r.spatial == 1 ? 40 : r.spatial == 2 ? 9 : 4);
    }
    memcpy(r.sizes[X], x, sizeof x);
    memcpy(r.sizes[WEIGHT], w, sizeof w);
    make_reference(&r, dtype, seed);
    return r;
}

static int each_backend(int i) { return i < 2 && THNN_set_conv_backend(i ? "gemm" : "onednn") == TH_OK; }

/* onednn where the build has it, then gemm */
#define FOR_BACKENDS(i)                                                                                                \
    for (int i = 0; i < 2; i++)                                                                                        \
        if (each_backend(i))

/* ---- tests ---- */

static void test_random_geometries(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int i = 0; i < (dtype == TH_FLOAT32 ? 60 : 25); i++) {
            reference r = random_reference(dtype, (uint64_t)i);
            FOR_BACKENDS(b) check_conv(&r, dtype, i % LAYOUT_COUNT);
            free_reference(&r);
        }
}

static void test_common_geometries(void **state) {
    (void)state;
    static const int64_t cases[][9] = {/* N C H W K R stride padding groups */
                                       {8, 1, 8, 8, 16, 3, 1, 1, 1},   {2, 16, 8, 8, 32, 3, 1, 1, 1},
                                       {2, 3, 30, 30, 8, 7, 2, 3, 1},  {2, 32, 7, 7, 17, 1, 1, 0, 1},
                                       {2, 16, 9, 9, 16, 3, 1, 1, 16}, {2, 16, 9, 9, 32, 3, 2, 1, 4},
                                       {18, 4, 5, 5, 4, 5, 1, 0, 1},   {1, 1, 1, 1, 1, 1, 1, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *s = cases[i];
        reference r = {.g = {{1, s[6], s[6]}, {0, s[7], s[7]}, {1, 1, 1}, s[8]},
                       .spatial = 2,
                       .batched = 1,
                       .sizes = {{s[0], s[1], 1, s[2], s[3]}, {s[4], s[1] / s[8], 1, s[5], s[5]}}};
        make_reference(&r, TH_FLOAT32, i);
        FOR_BACKENDS(b) check_conv(&r, TH_FLOAT32, LAYOUT_CONTIGUOUS);
        free_reference(&r);
    }
}

static void test_zero_sizes(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++)
        for (int zero = 1; zero < 8; zero++) {
            reference r = {.g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 2},
                           .spatial = 2,
                           .batched = 1,
                           .sizes = {{zero & 1 ? 0 : 3, zero & 2 ? 0 : 4, 1, 5, 4},
                                     {zero & 4 ? 0 : 6, zero & 2 ? 0 : 2, 1, 3, 3}}};
            make_reference(&r, dtype, 1);
            FOR_BACKENDS(b) check_conv(&r, dtype, zero % LAYOUT_COUNT);
            free_reference(&r);
        }
}

/* Windows that are almost all padding, and windows that step over the input: only taps that lie inside cost anything.
 */
static void test_taps_outside(void **state) {
    (void)state;
    static const int64_t cases[][5] = {/* in, kernel, stride, padding, dilation */
                                       {1, 9, 1, 4, 1},
                                       {1, 2, 1, 1, 2},
                                       {2, 3, 1, 4, 4},
                                       {3, 5, 2, 6, 2},
                                       {2, 2, 3, 7, 5}};
    alarm(60); /* walking all taps of the last case takes hours */
    for (int spatial = 1; spatial <= 3; spatial++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            reference r = {.g = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 2},
                           .spatial = spatial,
                           .batched = 1,
                           .sizes = {{2, 4, 1, 1, 1}, {6, 2, 1, 1, 1}}};
            for (int d = 3 - spatial; d < 3; d++) {
                const int64_t *c = cases[(i + (size_t)d) % 5];
                r.sizes[X][2 + d] = c[0], r.sizes[WEIGHT][2 + d] = c[1];
                r.g.stride[d] = c[2], r.g.padding[d] = c[3], r.g.dilation[d] = c[4];
            }
            make_reference(&r, TH_FLOAT32, i);
            FOR_BACKENDS(b) check_conv(&r, TH_FLOAT32, (int)i % LAYOUT_COUNT);
            free_reference(&r);
        }
    enum { WIDE = 2000000 };
    THNNConv g = {{1, 1, WIDE}, {0, WIDE, WIDE}, {1, 1, 1}, 1};
    FOR_BACKENDS(b) {
        THTensor *one = tensor_of(TH_FLOAT32, LIST(1, 1, 1, 1), (double[]){1}), *w = NULL, *y = NULL, *row = NULL;
        assert_ok(THTensor_new(&row, TH_FLOAT32, LIST(1, 1, 1, WIDE)));
        for (int64_t i = 0; i < WIDE; i++) ((float *)THTensor_data(row))[i] = (float)i;
        g.padding[1] = 0;
        assert_ok(THNN_conv2d(&y, one, row, NULL, &g)); /* starts at -WIDE, 0 */
        assert_is(y, TH_FLOAT32, 1, 1, 1, 2);
        assert_element(y, 0, 0, 0);
        assert_element(y, 1, 0, 0);
        THTensor *all[] = {one, w, y, row};
        for (size_t t = 0; t < sizeof all / sizeof *all; t++) THTensor_free(all[t]);
    }
    alarm(0);
}

/* One line whose windows make a matrix too large for one strip. */
static void test_long_lines(void **state) {
    (void)state;
    reference r = {.g = {{1, 1, 2}, {0, 0, 7}, {1, 1, 1}, 1},
                   .spatial = 1,
                   .batched = 1,
                   .sizes = {{2, 16, 1, 1, 4001}, {3, 16, 1, 1, 20}}};
    make_reference(&r, TH_FLOAT32, 3);
    FOR_BACKENDS(b) check_conv(&r, TH_FLOAT32, LAYOUT_CONTIGUOUS);
    free_reference(&r);
}

static void test_every_isa(void **state) {
    (void)state;
    assert_ok(THNN_set_conv_backend("gemm"));
    for (int32_t i = 0; i < TH_isa_count(); i++) {
        assert_ok(TH_set_isa(TH_isa_name(i)));
        for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++) {
            reference r = random_reference(dtype, 100 + (uint64_t)i);
            check_conv(&r, dtype, LAYOUT_CONTIGUOUS);
            free_reference(&r);
        }
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* By hand: a 2 x 2 window over 3 x 3 numbers. */
static void test_by_hand(void **state) {
    (void)state;
    THNNConv g = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
    FOR_BACKENDS(b) {
        THTensor *x = tensor_of(TH_FLOAT32, LIST(1, 1, 3, 3), (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
        THTensor *w = tensor_of(TH_FLOAT32, LIST(1, 1, 2, 2), (double[]){1, 10, 100, 1000});
        THTensor *bias = tensor_of(TH_FLOAT32, LIST(1), (double[]){0.5}), *y = NULL, *dx = NULL, *dw = NULL;
        THTensor *grad = tensor_of(TH_FLOAT32, LIST(1, 1, 2, 2), (double[]){1, 0, 0, 2});
        assert_ok(THNN_conv2d(&y, x, w, bias, &g));
        const double want_y[] = {5421.5, 6532.5, 8754.5, 9865.5}, want_dx[] = {1, 10, 0, 100, 1002, 20, 0, 200, 2000};
        const double want_dw[] = {11, 14, 20, 23};
        for (int i = 0; i < 4; i++) assert_element(y, i, want_y[i], 0);
        assert_ok(THNN_conv2d_backward(&dx, NULL, NULL, grad, x, w, &g));
        for (int i = 0; i < 9; i++) assert_element(dx, i, want_dx[i], 0);
        assert_ok(THNN_conv2d_backward(NULL, &dw, NULL, grad, x, w, &g));
        for (int i = 0; i < 4; i++) assert_element(dw, i, want_dw[i], 0);
        THTensor *all[] = {x, w, bias, y, grad, dx, dw};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    }
}

/* The gradient of a sum is one number stretched over all of y. */
static void test_expanded_gradient(void **state) {
    (void)state;
    FOR_BACKENDS(b) for (uint64_t seed = 7; seed < 10; seed++) {
        reference r = random_reference(TH_FLOAT32, seed);
        int64_t sizes[5];
        int32_t ndim = visible(&r, Y, sizes);
        THTensor *one = tensor_of(TH_FLOAT32, LIST(1), (double[]){1}), *wide = NULL, *dense = NULL, *got[6] = {NULL};
        assert_ok(THTensor_expand(&wide, one, sizes, ndim));
        assert_ok(THTensor_clone(&dense, wide));
        THTensor *in[ARRAYS] = {input(&r, TH_FLOAT32, X, 0), input(&r, TH_FLOAT32, WEIGHT, 0), wide, NULL};
        assert_ok(backward(&r, &got[0], &got[1], &got[2], in));
        in[Y] = dense;
        assert_ok(backward(&r, &got[3], &got[4], &got[5], in));
        for (int i = 0; i < 3; i++) assert_same(got[i], got[3 + i]);
        THTensor *all[] = {one, wide, dense, in[X], in[WEIGHT], got[0], got[1], got[2], got[3], got[4], got[5]};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
        free_reference(&r);
    }
}

static void test_nan_travels_to_its_windows_alone(void **state) {
    (void)state;
    THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
    FOR_BACKENDS(b) {
        THTensor *x = tensor_random(TH_FLOAT32, LIST(1, 1, 6, 6), -1, 1, 1), *y = NULL;
        THTensor *w = tensor_random(TH_FLOAT32, LIST(3, 1, 3, 3), -1, 1, 2);
        set_element(x, 0, NAN);
        assert_ok(THNN_conv2d(&y, x, w, NULL, &g));
        for (int64_t i = 0; i < THTensor_numel(y); i++)
            assert_int_equal(isnan(element(y, i)) != 0, i / 6 % 6 < 2 && i % 6 < 2);
        THTensor_free(x);
        THTensor_free(w);
        THTensor_free(y);
    }
}

static void test_bits_do_not_depend_on_threads(void **state) {
    (void)state;
    static const THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 2};
    static const int64_t cases[][2] = {{21, 8}, {64, 32}, {1, 64}};
    int32_t threads = TH_num_threads();
    FOR_BACKENDS(b) for (int i = 0; i < 3; i++) {
        int64_t n = cases[i][0], c = cases[i][1];
        THTensor *x = tensor_random(TH_FLOAT32, LIST(n, c, 12, 12), -1, 1, 1),
                 *w = tensor_random(TH_FLOAT32, LIST(c, c / 2, 3, 3), -1, 1, 2);
        THTensor *grad = tensor_random(TH_FLOAT32, LIST(n, c, 12, 12), -1, 1, 3), *got[5][3];
        memset(got, 0, sizeof got);
        for (int32_t k = 1; k <= 4; k++) {
            assert_ok(TH_set_num_threads(k));
            assert_ok(THNN_conv2d(&got[k][0], x, w, NULL, &g));
            assert_ok(THNN_conv2d_backward(&got[k][1], &got[k][2], NULL, grad, x, w, &g));
            for (int t = 0; t < 3; t++)
                assert_memory_equal(THTensor_data(got[1][t]), THTensor_data(got[k][t]),
                                    (size_t)THTensor_numel(got[1][t]) * 4);
        }
        for (int k = 1; k <= 4; k++)
            for (int t = 0; t < 3; t++) THTensor_free(got[k][t]);
        THTensor_free(x);
        THTensor_free(w);
        THTensor_free(grad);
    }
    FOR_BACKENDS(b) for (uint64_t seed = 200; seed < 230; seed++) {
        reference r = random_reference(TH_FLOAT32, seed);
        THTensor *in[ARRAYS], *got[5][3];
        memset(got, 0, sizeof got);
        for (int t = 0; t < ARRAYS; t++) in[t] = input(&r, TH_FLOAT32, t, 0);
        for (int32_t k = 1; k <= 4; k++) {
            assert_ok(TH_set_num_threads(k));
            assert_ok(conv(&r, &got[k][0], in, NULL));
            assert_ok(backward(&r, &got[k][1], &got[k][2], NULL, in));
            for (int t = 0; t < 3; t++) assert_same(got[k][t], got[1][t]);
        }
        for (int k = 1; k <= 4; k++)
            for (int t = 0; t < 3; t++) THTensor_free(got[k][t]);
        for (int t = 0; t < ARRAYS; t++) THTensor_free(in[t]);
        free_reference(&r);
    }
    assert_ok(TH_set_num_threads(threads));
}

/* More geometries than the cache of prepared convolutions holds, twice. */
static void test_many_geometries(void **state) {
    (void)state;
    FOR_BACKENDS(b) for (int round = 0; round < 2; round++) for (int64_t h = 1; h <= 150; h++) {
        THTensor *x = NULL, *w = NULL, *y = NULL;
        assert_ok(TH_full(&x, LIST(1, 1, h, 1), SCALAR_F(1), TH_FLOAT32));
        assert_ok(TH_full(&w, LIST(1, 1, 1, 1), SCALAR_F((double)h), TH_FLOAT32));
        assert_ok(THNN_conv2d(&y, x, w, NULL, &(THNNConv){{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1}));
        for (int64_t i = 0; i < h; i++) assert_element(y, i, h, 0);
        THTensor_free(x);
        THTensor_free(w);
        THTensor_free(y);
    }
}

typedef struct caller {
    THTensor *x, *w, *want;
    int64_t wrong;
} caller;

static void *call_repeatedly(void *arg) {
    caller *c = arg;
    THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
    for (int i = 0; i < 50; i++) {
        THTensor *y = NULL;
        if (THNN_conv2d(&y, c->x, c->w, NULL, &g) != TH_OK ||
            memcmp(THTensor_data(y), THTensor_data(c->want), (size_t)THTensor_numel(y) * 4) != 0)
            c->wrong++;
        THTensor_free(y);
    }
    return NULL;
}

static void test_calls_from_several_threads(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    FOR_BACKENDS(b) {
        pthread_t threads[CALLERS];
        caller callers[CALLERS];
        for (int i = 0; i < CALLERS; i++) { /* different data, one geometry */
            callers[i] = (caller){tensor_random(TH_FLOAT32, LIST(2, 8, 9, 9), -1, 1, (uint64_t)i),
                                  tensor_random(TH_FLOAT32, LIST(16, 8, 3, 3), -1, 1, 50 + (uint64_t)i), NULL, 0};
            assert_ok(THNN_conv2d(&callers[i].want, callers[i].x, callers[i].w, NULL,
                                  &(THNNConv){{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1}));
        }
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, call_repeatedly, &callers[i]), 0);
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(callers[i].wrong, 0);
            THTensor_free(callers[i].x);
            THTensor_free(callers[i].w);
            THTensor_free(callers[i].want);
        }
    }
}

static void test_backend_names(void **state) {
    (void)state;
    assert_ok(THNN_set_conv_backend("gemm"));
    assert_string_equal(THNN_conv_backend(), "gemm");
    assert_fails(TH_E_NOTFOUND, "THNN_set_conv_backend: got \"cudnn\"", THNN_set_conv_backend("cudnn"));
    assert_fails(TH_E_ARG, "THNN_set_conv_backend: name is NULL", THNN_set_conv_backend(NULL));
    assert_string_equal(THNN_conv_backend(), "gemm");
    if (THNN_set_conv_backend("onednn") == TH_OK)
        assert_string_equal(THNN_conv_backend(), "onednn");
    else
        assert_fails(TH_E_UNSUPPORTED, "which this build lacks", THNN_set_conv_backend("onednn"));
}

static void test_errors(void **state) {
    (void)state;
    THNNConv g = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1}, two = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 2};
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 4, 5, 5), -1, 1, 1),
             *w = tensor_random(TH_FLOAT32, LIST(6, 4, 3, 3), -1, 1, 2);
    THTensor *b = tensor_random(TH_FLOAT32, LIST(5), -1, 1, 3),
             *wd = tensor_random(TH_FLOAT64, LIST(6, 4, 3, 3), -1, 1, 4);
    THTensor *whole = tensor_random(TH_INT32, LIST(2, 4, 5, 5), 0, 9, 5), *out = NULL, *flat2 = NULL;
    THTensor *small = tensor_random(TH_FLOAT32, LIST(2, 4, 2, 5), -1, 1, 6),
             *grad = tensor_random(TH_FLOAT32, LIST(2, 6, 3, 3), -1, 1, 7);
    assert_ok(THTensor_new(&flat2, TH_FLOAT32, LIST(5, 5)));
    assert_fails(TH_E_ARG, "THNN_conv2d: x is NULL", THNN_conv2d(&out, NULL, w, NULL, &g));
    assert_fails(TH_E_ARG, "THNN_conv2d: weight is NULL", THNN_conv2d(&out, x, NULL, NULL, &g));
    assert_fails(TH_E_ARG, "THNN_conv2d: geometry is NULL", THNN_conv2d(&out, x, w, NULL, NULL));
    assert_fails(TH_E_ARG, "THNN_conv2d: out is NULL", THNN_conv2d(NULL, x, w, NULL, &g));
    assert_fails(TH_E_TYPE, "THNN_conv2d: got x of dtype int32", THNN_conv2d(&out, whole, w, NULL, &g));
    assert_fails(TH_E_TYPE, "THNN_conv2d: got weight of dtype float64, want float32",
                 THNN_conv2d(&out, x, wd, NULL, &g));
    assert_fails(TH_E_SHAPE, "THNN_conv2d: got bias of sizes [5], want [6]", THNN_conv2d(&out, x, w, b, &g));
    assert_fails(TH_E_SHAPE, "got x of sizes [2, 4, 5, 5] and weight of sizes [6, 4, 3, 3] for groups 2",
                 THNN_conv2d(&out, x, w, NULL, &two));
    assert_fails(TH_E_SHAPE,
                 "got x of sizes [5, 5] and weight of sizes [6, 4, 3, 3] for groups 1, want [N, C, H, W] or",
                 THNN_conv2d(&out, flat2, w, NULL, &g));
    assert_fails(TH_E_SHAPE, "THNN_conv1d: got x of sizes [2, 4, 5, 5]", THNN_conv1d(&out, x, w, NULL, &g));
    assert_fails(TH_E_SHAPE, "want [N, C, D, H, W] or [C, D, H, W] and [K, C / groups, Q, R, S]",
                 THNN_conv3d(&out, x, w, NULL, &g));
    assert_fails(TH_E_SHAPE, "got x of sizes [2, 4, 2, 5], want at least the window",
                 THNN_conv2d(&out, small, w, NULL, &g));
    static const THNNConv bad[] = {
        {{1, 0, 1}, {0, 0, 0}, {1, 1, 1}, 1},         {{1, 1, 1}, {0, 0, -1}, {1, 1, 1}, 1},
        {{1, 1, 1}, {0, 0, 0}, {1, 1, 0}, 1},         {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0},
        {{1, 1, INT64_MAX}, {0, 0, 0}, {1, 1, 1}, 1}, {{1, 1, 1}, {0, INT64_MAX, 0}, {1, 1, 1}, 1},
        {{1, 1, 1}, {0, 0, 0}, {1, INT64_MAX, 1}, 1}, {{2, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1},
        {{1, 1, 1}, {1, 0, 0}, {1, 1, 1}, 1},         {{0, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1},
        {{1, 1, 1}, {0, 0, 0}, {2, 1, 1}, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(TH_E_ARG, "THNN_conv2d: got stride", THNN_conv2d(&out, x, w, NULL, &bad[i]));
    assert_fails(TH_E_ARG, "THNN_conv2d_backward: x is NULL",
                 THNN_conv2d_backward(&out, NULL, NULL, grad, NULL, w, &g));
    assert_fails(TH_E_ARG, "THNN_conv2d_backward: grad is NULL",
                 THNN_conv2d_backward(&out, NULL, NULL, NULL, x, w, &g));
    assert_fails(TH_E_SHAPE, "THNN_conv2d_backward: got grad of sizes [2, 6, 3, 3], want [2, 6, 5, 5]",
                 THNN_conv2d_backward(&out, NULL, NULL, grad, x, w, &(THNNConv){{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1}));
    assert_null(out);
    THTensor *same = THTensor_retain(x);
    THNNConv padded = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
    THTensor *square = tensor_random(TH_FLOAT32, LIST(4, 4, 3, 3), -1, 1, 8);
    assert_fails(TH_E_ARG, "THNN_conv2d: got out", THNN_conv2d(&same, x, square, NULL, &padded));
    THTensor *all[] = {x, w, b, wd, whole, flat2, small, grad, same, square};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

/* Sizes whose products do not fit: results without elements are made all the same, others are out of memory. */
static void test_products_of_sizes_overflow(void **state) {
    (void)state;
    const int64_t wide = INT64_C(1) << 30, kernels[][2] = {{1, wide}, {wide, 1}, {3037000500, 1}};
    FOR_BACKENDS(b) for (int i = 0; i < 3; i++) for (int64_t k = 0; k < 2; k++) {
        const int64_t *r = kernels[i];
        THNNConv g = {{1, 1, 1}, {0, r[0] > 1 ? wide : 0, r[1] > 1 ? wide : 0}, {1, 1, 1}, 1};
        THTensor *one = tensor_of(TH_FLOAT64, LIST(1, 1, 1, 1), (double[]){1}), *x = NULL, *w = NULL, *y = NULL;
        assert_ok(THTensor_expand(&x, one, LIST(k ? 1 << 20 : 1, 1, 1, 1)));
        if (k == 0) assert_ok(THTensor_new(&w, TH_FLOAT64, LIST(0, 1, r[0], r[1])));
        if (k == 1) assert_ok(THTensor_expand(&w, one, LIST(1, 1, r[0], r[1])));
        THStatus status = THNN_conv2d(&y, x, w, NULL, &g);
        if (r[0] > INT32_MAX)
            assert_fails(TH_E_SHAPE, "THNN_conv2d: got x of sizes [", status);
        else if (k == 0)
            assert_ok(status), assert_int_equal(THTensor_numel(y), 0);
        else
            assert_int_equal(status, TH_E_MEMORY);
        THTensor *all[] = {one, x, w, y};
        for (size_t t = 0; t < sizeof all / sizeof *all; t++) THTensor_free(all[t]);
    }
}

/* Sums of ones: exact in every order. */
static int convolve_ones(void) {
    THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
    THTensor *x = NULL, *w = NULL, *y = NULL, *dx = NULL, *dw = NULL;
    if (TH_full(&x, LIST(20, 16, 16, 16), SCALAR_F(1), TH_FLOAT32) != TH_OK) return 2;
    if (TH_full(&w, LIST(16, 16, 3, 3), SCALAR_F(1), TH_FLOAT32) != TH_OK) return 3;
    for (int b = 0; b < 2; b++) {
        if (!each_backend(b)) continue;
        if (THNN_conv2d(&y, x, w, NULL, &g) != TH_OK || element(y, 17) != 144) return 4;
        if (THNN_conv2d_backward(&dx, NULL, NULL, x, x, w, &g) != TH_OK || element(dx, 17) != 144) return 5;
        if (THNN_conv2d_backward(NULL, &dw, NULL, x, x, w, &g) != TH_OK || element(dw, 4) != 5120) return 6;
    }
    THTensor *all[] = {x, w, y, dx, dw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
    return 0;
}

/* oneDNN is C++ and may throw; here, at the k-th call of a function of its that computes or prepares. */
static int64_t throw_at = -1;

static void maybe_throw(void) {
    if (throw_at < 0 || throw_at-- > 0) return;
    void (*throw_bad_alloc)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv"); /* std::__throw_bad_alloc() */
    memcpy(&throw_bad_alloc, &found, sizeof found);
    if (throw_bad_alloc) throw_bad_alloc();
}

TH_API int dnnl_primitive_execute(const void *primitive, void *stream, int n, const void *args);
int dnnl_primitive_execute(const void *primitive, void *stream, int n, const void *args) {
    static int (*real)(const void *, void *, int, const void *);
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "dnnl_primitive_execute");
        memcpy(&real, &found, sizeof found);
    }
    maybe_throw();
    return real(primitive, stream, n, args);
}

TH_API int dnnl_primitive_create(void **primitive, const void *descriptor);
int dnnl_primitive_create(void **primitive, const void *descriptor) {
    static int (*real)(void **, const void *);
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "dnnl_primitive_create");
        memcpy(&real, &found, sizeof found);
    }
    maybe_throw();
    return real(primitive, descriptor);
}

/* An exception is an error like others: outputs untouched, no memory lost, as many threads as before. */
static void test_exceptions_of_onednn(void **state) {
    (void)state;
    if (THNN_set_conv_backend("onednn") != TH_OK) return;
    int (*max_threads)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    memcpy(&max_threads, &found, sizeof found);
    const int before = max_threads();
    int32_t threads = TH_num_threads(), thrown = 0;
    assert_ok(TH_set_num_threads(3));
    for (int64_t k = 0; k < 12; k++) {
        THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
        THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 16, 9, 10 + k), -1, 1, 1), *y = NULL, *dx = NULL, *dw = NULL;
        THTensor *w = tensor_random(TH_FLOAT32, LIST(16, 16, 3, 3), -1, 1, 2);
        int64_t used = support_allocated();
        throw_at = k;
        THStatus forward = THNN_conv2d(&y, x, w, NULL, &g);
        THStatus back = THNN_conv2d_backward(&dx, &dw, NULL, x, x, w, &g);
        throw_at = -1;
        assert_true(forward == TH_OK ? !!y : forward == TH_E_MEMORY && !y);
        assert_true(back == TH_OK ? dx && dw : back == TH_E_MEMORY && !dx && !dw);
        thrown += forward != TH_OK || back != TH_OK;
        assert_int_equal(max_threads(), before);
        THTensor *all[] = {y, dx, dw};
        for (size_t i = 0; i < 3; i++) THTensor_free(all[i]);
        assert_int_equal(support_allocated(), used);
        y = NULL;
        assert_ok(THNN_conv2d(&y, x, w, NULL, &g)); /* and the next call works */
        THTensor *rest[] = {x, w, y};
        for (size_t i = 0; i < 3; i++) THTensor_free(rest[i]);
    }
    assert_in_range(thrown, 6, 12);
    assert_ok(TH_set_num_threads(threads));
}

static void test_few_threads_allowed(void **state) {
    (void)state;
    under_every_limit(convolve_ones);
}

static void exhaust(void *arg) {
    THDtype dtype = *(const THDtype *)arg;
    THNNConv g = {{1, 1, 1}, {0, 1, 1}, {1, 1, 1}, 1};
    THTensor *x = NULL, *xt = NULL, *w = NULL, *b = NULL, *y = NULL, *dx = NULL, *dw = NULL, *db = NULL, *given = NULL;
    THStatus status = TH_full(&x, LIST(3, 8, 4, 5), SCALAR_F(1), dtype);
    if (status == TH_OK) status = THTensor_transpose(&xt, x, 2, 3);
    if (status == TH_OK) status = TH_full(&w, LIST(8, 8, 3, 3), SCALAR_F(1), dtype);
    if (status == TH_OK) status = TH_full(&b, LIST(8), SCALAR_F(1), dtype);
    if (status == TH_OK) status = TH_full(&given, LIST(3, 8, 5, 4), SCALAR_F(-1), dtype);
    if (status == TH_OK && (status = THNN_conv2d(&y, xt, w, b, &g)) != TH_OK) assert_null(y);
    if (status == TH_OK && (status = THNN_conv2d(&given, xt, w, b, &g)) != TH_OK) assert_element(given, 0, -1, 0);
    if (status == TH_OK) assert_element(given, 0, 33, 0);
    if (status == TH_OK) status = TH_full(&db, LIST(8), SCALAR_F(-1), dtype);
    if (status == TH_OK && (status = THNN_conv2d_backward(&dx, &dw, &db, y, xt, w, &g)) != TH_OK) {
        assert_true(!dx && !dw);
        assert_element(db, 0, -1, 0);
    }
    assert_true(status == TH_OK || status == TH_E_MEMORY);
    THTensor *all[] = {x, xt, w, b, y, dx, dw, db, given};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) THTensor_free(all[i]);
}

static void test_out_of_memory(void **state) {
    (void)state;
    THDtype dtypes[] = {TH_FLOAT32, TH_FLOAT16};
    FOR_BACKENDS(b) for (int i = 0; i < 2; i++) oom_each(exhaust, &dtypes[i]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_threads_allowed), /* first: see support/limits.h */
        cmocka_unit_test(test_random_geometries),
        cmocka_unit_test(test_common_geometries),
        cmocka_unit_test(test_zero_sizes),
        cmocka_unit_test(test_taps_outside),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_every_isa),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_expanded_gradient),
        cmocka_unit_test(test_nan_travels_to_its_windows_alone),
        cmocka_unit_test(test_bits_do_not_depend_on_threads),
        cmocka_unit_test(test_many_geometries),
        cmocka_unit_test(test_calls_from_several_threads),
        cmocka_unit_test(test_backend_names),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_products_of_sizes_overflow),
        cmocka_unit_test(test_exceptions_of_onednn),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
