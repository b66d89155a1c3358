/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/conv.h"

#include <inttypes.h>
#include <string.h>

#include "TH/copy.h"
#include "TH/reduce.h"
#include "core/check.h"
#include "core/conv.h"
#include "core/operand.h"

/* ---- backends ---- */

#ifdef THNN_HAVE_ONEDNN
enum { HAVE_ONEDNN = 1 };
#else
enum { HAVE_ONEDNN = 0 };
THStatus thnn_conv_onednn(const char *fn, const thnn_conv *g, const thnn_conv_args *args) {
    (void)fn, (void)g, (void)args;
    return TH_E_UNSUPPORTED;
}
#endif

static int32_t use_onednn = HAVE_ONEDNN; /* atomic */

const char *THNN_conv_backend(void) { return __atomic_load_n(&use_onednn, __ATOMIC_RELAXED) ? "onednn" : "gemm"; }

THStatus THNN_set_conv_backend(const char *name) {
    static const char fn[] = "THNN_set_conv_backend";
    if (!name) return TH_raisef(TH_E_ARG, "%s: name is NULL", fn);
    int onednn = strcmp(name, "onednn") == 0;
    if (!onednn && strcmp(name, "gemm") != 0)
        return TH_raisef(TH_E_NOTFOUND, "%s: got \"%.32s\", want \"onednn\" or \"gemm\"", fn, name);
    if (onednn && !HAVE_ONEDNN)
        return TH_raisef(TH_E_UNSUPPORTED, "%s: got \"onednn\", which this build lacks, want \"gemm\"", fn);
    __atomic_store_n(&use_onednn, onednn, __ATOMIC_RELAXED);
    return TH_OK;
}

static THStatus run(const char *fn, THDtype dtype, const thnn_conv *g, const thnn_conv_args *args) {
    int serves = dtype == TH_FLOAT32 && g->images > 0 && g->c > 0 && g->k > 0;
    for (int d = 0; d < THNN_AXES_MAX; d++) serves = serves && g->axes[d].in > 0 && g->axes[d].kernel > 0;
    if (serves && __atomic_load_n(&use_onednn, __ATOMIC_RELAXED)) {
        THStatus status = thnn_conv_onednn(fn, g, args);
        if (status != TH_E_UNSUPPORTED) return status;
    }
    return thnn_conv_gemm(fn, dtype, g, args);
}

/* ---- geometry ---- */

/* One call, over the last `spatial` axes. */
typedef struct conv_call {
    const char *fn;
    int32_t spatial, batched;
    THDtype dtype;
    thnn_conv conv;               /* without the taps that never lie inside */
    int64_t first[THNN_AXES_MAX]; /* the first tap kept */
    int clipped;                  /* whether there are others */
    int64_t y[2 + THNN_AXES_MAX]; /* the result's sizes */
} conv_call;

static THStatus check_geometry(const char *fn, const THNNConv *g, int32_t spatial) {
    if (!g) return TH_raisef(TH_E_ARG, "%s: geometry is NULL", fn);
    int fits = g->groups >= 1;
    char stride[THNN_SIZES_TEXT], padding[THNN_SIZES_TEXT], dilation[THNN_SIZES_TEXT];
    for (int d = 0; d < THNN_AXES_MAX; d++) {
        int64_t most = d < THNN_AXES_MAX - spatial ? 1 : THNN_WINDOW_MAX;
        fits = fits && g->stride[d] >= 1 && g->padding[d] >= 0 && g->dilation[d] >= 1;
        fits = fits && g->stride[d] <= most && g->padding[d] <= (most == 1 ? 0 : most) && g->dilation[d] <= most;
    }
    if (fits) return TH_OK;
    return TH_raisef(
        TH_E_ARG,
        "%s: got stride %s, padding %s, dilation %s, groups %" PRId64
        ", want at least 1 (padding 0), all below 2^31, with leading ones (padding 0) for fewer than three "
        "dimensions",
        fn, thnn_sizes_text(stride, g->stride, THNN_AXES_MAX), thnn_sizes_text(padding, g->padding, THNN_AXES_MAX),
        thnn_sizes_text(dilation, g->dilation, THNN_AXES_MAX), g->groups);
}

static THStatus check_sizes(const conv_call *c, const THTensor *x, const THTensor *weight, int64_t groups) {
    static const char *const layouts[] = {"L", "H, W", "D, H, W"}, *const kernels[] = {"R", "R, S", "Q, R, S"};
    const int64_t *xs = THTensor_sizes(x), *ws = THTensor_sizes(weight);
    int32_t nx = THTensor_ndim(x), nw = THTensor_ndim(weight), channel = nx - c->spatial - 1;
    int fits = (channel == 0 || channel == 1) && nw == c->spatial + 2;
    for (int32_t d = 0; fits && d < nx; d++) fits = xs[d] <= THNN_SIZE_MAX;
    for (int32_t d = 0; fits && d < nw; d++) fits = ws[d] >= (d < 2 ? 0 : 1) && ws[d] <= THNN_WINDOW_MAX;
    if (fits && ws[0] % groups == 0 && xs[channel] % groups == 0 && xs[channel] / groups == ws[1]) return TH_OK;
    char tx[THNN_SIZES_TEXT], tw[THNN_SIZES_TEXT];
    const char *layout = layouts[c->spatial - 1];
    return TH_raisef(TH_E_SHAPE,
                     "%s: got x of sizes %s and weight of sizes %s for groups %" PRId64
                     ", want [N, C, %s] or [C, %s] and [K, C / groups, %s] with K a multiple of groups",
                     c->fn, thnn_sizes_text(tx, xs, nx), thnn_sizes_text(tw, ws, nw), groups, layout, layout,
                     kernels[c->spatial - 1]);
}

/* Leaves out the taps of an axis that never lie inside. */
static void clip(conv_call *c, int d) {
    thnn_axis *a = &c->conv.axes[d];
    int64_t hi;
    thnn_axis_taps(a, 0, a->out - 1, &c->first[d], &hi);
    c->clipped |= hi - c->first[d] < a->kernel;
    a->padding -= c->first[d] * a->dilation;
    a->kernel = hi - c->first[d];
}

/* Checks x, weight and the geometry. */
static THStatus begin(conv_call *c, const char *fn, int32_t spatial, const THTensor *x, const THTensor *weight,
                      const THNNConv *g) {
    *c = (conv_call){.fn = fn, .spatial = spatial};
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "weight", weight, "x", THTensor_dtype(x));
    if (status == TH_OK) status = check_geometry(fn, g, spatial);
    if (status == TH_OK) status = check_sizes(c, x, weight, g->groups);
    if (status != TH_OK) return status;
    const int64_t *xs = THTensor_sizes(x), *ws = THTensor_sizes(weight);
    char tx[THNN_SIZES_TEXT], tw[THNN_SIZES_TEXT];
    c->dtype = THTensor_dtype(x);
    c->batched = THTensor_ndim(x) == spatial + 2;
    c->conv = (thnn_conv){
        .images = c->batched ? xs[0] : 1, .groups = g->groups, .c = ws[1], .k = ws[0] / g->groups, .spatial = spatial};
    c->y[0] = xs[0];
    c->y[c->batched] = ws[0];
    for (int d = 0; d < THNN_AXES_MAX; d++) {
        thnn_axis *a = &c->conv.axes[d];
        int32_t own = d - THNN_AXES_MAX + spatial; /* below 0: a leading one */
        *a = (thnn_axis){own < 0 ? 1 : xs[c->batched + 1 + own],
                         1,
                         own < 0 ? 1 : ws[2 + own],
                         g->stride[d],
                         g->padding[d],
                         g->dilation[d]};
        a->out = thnn_axis_windows(a, 0);
        if (a->out < 1)
            return TH_raisef(TH_E_SHAPE,
                             "%s: got x of sizes %s, want at least the window of weight %s (padding %" PRId64
                             ", dilation %" PRId64 ")",
                             fn, thnn_sizes_text(tx, xs, THTensor_ndim(x)),
                             thnn_sizes_text(tw, ws, THTensor_ndim(weight)), a->padding, a->dilation);
        if (own >= 0) c->y[c->batched + 1 + own] = a->out;
        clip(c, d);
    }
    return TH_OK;
}

/* ---- the three convolutions ---- */

/* A view of the taps that are kept of a tensor with weight's sizes. */
static THStatus kept_taps(THTensor **out, const conv_call *c, const THTensor *weight) {
    THStatus status = THTensor_alias(out, weight);
    for (int32_t own = 0; own < c->spatial && status == TH_OK; own++) {
        int d = THNN_AXES_MAX - c->spatial + own;
        THTensor *whole = *out;
        *out = NULL;
        status = THTensor_narrow(out, whole, 2 + own, c->first[d], c->conv.axes[d].kernel);
        THTensor_free(whole);
    }
    return status;
}

/* Makes the two inputs and the bias dense and runs the backend into `result`, which is dense. */
static THStatus convolve(conv_call *c, int64_t kind, THTensor *result, const THTensor *a, const THTensor *b,
                         const THTensor *bias) {
    const int to_weight = kind == THNN_CONV_BACKWARD_WEIGHT;
    const THDtype computed = thnn_compute_dtype(c->dtype);
    THTensor *kept = NULL, *part = NULL, *dense[3] = {NULL, NULL, NULL};
    THStatus status = kept_taps(&kept, c, to_weight ? result : b);
    if (status == TH_OK && to_weight && c->clipped)
        status = THTensor_new(&part, computed, THTensor_sizes(kept), THTensor_ndim(kept));
    const THTensor *inputs[] = {a, to_weight ? b : kept, bias};
    for (int i = 0; i < 3 && status == TH_OK; i++) status = thnn_dense(&dense[i], inputs[i], computed);
    if (status == TH_OK) {
        void *first = thnn_data(dense[0]), *second = thnn_data(dense[1]), *r = thnn_data(part ? part : result);
        thnn_conv_args args = {.bias = thnn_data(dense[2])};
        args.x = kind == THNN_CONV_BACKWARD_INPUT ? r : kind == THNN_CONV_FORWARD ? first : second;
        args.weight = to_weight ? r : second;
        args.y = kind == THNN_CONV_FORWARD ? r : first;
        c->conv.kind = kind;
        status = c->clipped ? thnn_conv_gemm(c->fn, computed, &c->conv, &args) : run(c->fn, computed, &c->conv, &args);
    }
    if (status == TH_OK && part) {
        memset(THTensor_data(result), 0, (size_t)(THTensor_numel(result) * TH_dtype_size(computed)));
        status = THTensor_copy(kept, part);
    }
    THTensor *owned[] = {kept, part, dense[0], dense[1], dense[2]};
    for (int i = 0; i < 5; i++) THTensor_free(owned[i]);
    return status;
}

static THStatus forward(const char *fn, int32_t spatial, THTensor **out, const THTensor *x, const THTensor *weight,
                        const THTensor *bias, const THNNConv *geometry) {
    conv_call c;
    thnn_output y = {NULL, NULL};
    THStatus status = begin(&c, fn, spatial, x, weight, geometry);
    if (status == TH_OK && bias) status = thnn_check_same_dtype(fn, "bias", bias, "x", c.dtype);
    if (status == TH_OK && bias) status = thnn_check_sizes(fn, "bias", bias, THTensor_sizes(weight), 1);
    if (status != TH_OK) return status;
    status = thnn_output_begin_apart(&y, fn, out, c.dtype, c.y, c.batched + 1 + spatial,
                                     (const THTensor *[]){x, weight, bias}, 3);
    if (status == TH_OK) status = convolve(&c, THNN_CONV_FORWARD, y.dense, x, weight, bias);
    return thnn_output_end(&y, out, status);
}

/* The sum of grad over all but the channels. */
static THStatus sum_channels(const conv_call *c, THTensor *result, const THTensor *grad) {
    int32_t dims[2 + THNN_AXES_MAX], n = 0;
    for (int32_t d = 0; d < THTensor_ndim(grad); d++)
        if (d != c->batched) dims[n++] = d;
    return TH_sum(&result, grad, dims, n, 0);
}

static THStatus backward(const char *fn, int32_t spatial, THTensor **const outs[3], const THTensor *grad,
                         const THTensor *x, const THTensor *weight, const THNNConv *geometry) {
    enum { TO_X, TO_WEIGHT, TO_BIAS };
    conv_call c;
    thnn_output o[3] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    THStatus status = begin(&c, fn, spatial, x, weight, geometry);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "grad", grad, "x", c.dtype);
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, c.y, c.batched + 1 + spatial);
    if (status != TH_OK) return status;
    const THTensor *like[] = {x, weight, weight}, *inputs[] = {grad, x, weight, NULL, NULL};
    for (int i = 0; i < 3 && status == TH_OK; i++) {
        if (!outs[i]) continue;
        status = thnn_output_begin_apart(&o[i], fn, outs[i], c.dtype, THTensor_sizes(like[i]),
                                         i == TO_BIAS ? 1 : THTensor_ndim(like[i]), inputs, 3 + i);
        if (i < TO_BIAS) inputs[3 + i] = o[i].result;
        if (status == TH_OK) status = thnn_output_apart(&o[i]);
    }
    if (status == TH_OK && o[TO_X].dense)
        status = convolve(&c, THNN_CONV_BACKWARD_INPUT, o[TO_X].dense, grad, weight, NULL);
    if (status == TH_OK && o[TO_WEIGHT].dense)
        status = convolve(&c, THNN_CONV_BACKWARD_WEIGHT, o[TO_WEIGHT].dense, grad, x, NULL);
    if (status == TH_OK && o[TO_BIAS].dense) status = sum_channels(&c, o[TO_BIAS].dense, grad);
    for (int i = 0; i < 3; i++) status = thnn_output_end(&o[i], outs[i], status);
    return status;
}

#define CONV(n, name)                                                                                                  \
    THStatus THNN_##name(THTensor **out, const THTensor *x, const THTensor *weight, const THTensor *bias,              \
                         const THNNConv *geometry) {                                                                   \
        return forward("THNN_" #name, n, out, x, weight, bias, geometry);                                              \
    }
#define CONV_BACKWARD(n, name)                                                                                         \
    THStatus THNN_##name(THTensor **grad_x, THTensor **grad_weight, THTensor **grad_bias, const THTensor *grad,        \
                         const THTensor *x, const THTensor *weight, const THNNConv *geometry) {                        \
        return backward("THNN_" #name, n, (THTensor * *const[]){grad_x, grad_weight, grad_bias}, grad, x, weight,      \
                        geometry);                                                                                     \
    }
CONV(1, conv1d)
CONV(2, conv2d)
CONV(3, conv3d)
CONV_BACKWARD(1, conv1d_backward)
CONV_BACKWARD(2, conv2d_backward)
CONV_BACKWARD(3, conv3d_backward)
