/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/conv.h"

#include <inttypes.h>
#include <string.h>

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
    int empty = g->images == 0 || g->c == 0 || g->k == 0 || g->rows.in == 0 || g->cols.in == 0;
    if (dtype == TH_FLOAT32 && !empty && __atomic_load_n(&use_onednn, __ATOMIC_RELAXED)) {
        THStatus status = thnn_conv_onednn(fn, g, args);
        if (status != TH_E_UNSUPPORTED) return status;
    }
    return thnn_conv_gemm(fn, dtype, g, args);
}

/* ---- geometry ---- */

static THStatus check_geometry(const char *fn, const THNNConv2d *g) {
    if (!g) return TH_raisef(TH_E_ARG, "%s: geometry is NULL", fn);
    int fits = g->groups >= 1;
    for (int d = 0; d < 2; d++) {
        fits = fits && g->stride[d] >= 1 && g->padding[d] >= 0 && g->dilation[d] >= 1;
        fits = fits && g->stride[d] <= THNN_WINDOW_MAX && g->padding[d] <= THNN_WINDOW_MAX &&
               g->dilation[d] <= THNN_WINDOW_MAX;
    }
    if (fits) return TH_OK;
    return TH_raisef(TH_E_ARG,
                     "%s: got stride %" PRId64 " x %" PRId64 ", padding %" PRId64 " x %" PRId64 ", dilation %" PRId64
                     " x %" PRId64 ", groups %" PRId64 ", want at least 1 (padding 0), all below 2^31",
                     fn, g->stride[0], g->stride[1], g->padding[0], g->padding[1], g->dilation[0], g->dilation[1],
                     g->groups);
}

/* The convolution of x and weight of these sizes; y_sizes receives the result's. */
static THStatus make_conv(thnn_conv *conv, int64_t *y_sizes, const char *fn, const int64_t *x, int32_t nx,
                          const int64_t *weight, int32_t nw, const THNNConv2d *g) {
    char tx[THNN_SIZES_TEXT], tw[THNN_SIZES_TEXT];
    int fits = nx == 4 && nw == 4;
    for (int d = 0; fits && d < 4; d++)
        fits = x[d] >= 0 && x[d] <= THNN_SIZE_MAX && weight[d] >= (d < 2 ? 0 : 1) && weight[d] <= THNN_WINDOW_MAX;
    if (!fits || weight[0] % g->groups != 0 || x[1] % g->groups != 0 || x[1] / g->groups != weight[1])
        return TH_raisef(TH_E_SHAPE,
                         "%s: got x of sizes %s and weight of sizes %s for groups %" PRId64
                         ", want [N, C, H, W] and [K, C / groups, R, S] with K a multiple of groups",
                         fn, thnn_sizes_text(tx, x, nx), thnn_sizes_text(tw, weight, nw), g->groups);
    *conv = (thnn_conv){.images = x[0], .groups = g->groups, .c = weight[1], .k = weight[0] / g->groups};
    thnn_axis *axes[] = {&conv->rows, &conv->cols};
    y_sizes[0] = x[0];
    y_sizes[1] = weight[0];
    for (int d = 0; d < 2; d++) {
        thnn_axis *a = axes[d];
        *a = (thnn_axis){x[2 + d], 0, weight[2 + d], g->stride[d], g->padding[d], g->dilation[d]};
        a->out = thnn_axis_windows(a, 0);
        if (a->out < 1)
            return TH_raisef(TH_E_SHAPE,
                             "%s: got x of sizes %s, want at least the window of weight %s (padding %" PRId64
                             ", dilation %" PRId64 ")",
                             fn, thnn_sizes_text(tx, x, 4), thnn_sizes_text(tw, weight, 4), a->padding, a->dilation);
        y_sizes[2 + d] = a->out;
    }
    return TH_OK;
}

/* ---- the three convolutions ---- */

/* Loads the two inputs, runs the backend into the output, and hands that over. */
static THStatus compute(const char *fn, thnn_conv *conv, THTensor **out, const int64_t *sizes,
                        const THTensor *inputs[3]) {
    THDtype dtype = THTensor_dtype(inputs[0]), computed = thnn_compute_dtype(dtype);
    THTensor *dense[3] = {NULL, NULL, NULL};
    thnn_output result;
    THStatus status = thnn_output_begin_apart(&result, fn, out, dtype, sizes, 4, inputs, 3);
    for (int i = 0; i < 3 && status == TH_OK; i++) status = thnn_dense(&dense[i], inputs[i], computed);
    if (status == TH_OK) {
        void *a = thnn_data(dense[0]), *b = thnn_data(dense[1]), *r = thnn_data(result.dense);
        thnn_conv_args args = {.bias = thnn_data(dense[2])};
        args.x = conv->kind == THNN_CONV_BACKWARD_INPUT ? r : conv->kind == THNN_CONV_FORWARD ? a : b;
        args.weight = conv->kind == THNN_CONV_BACKWARD_WEIGHT ? r : b;
        args.y = conv->kind == THNN_CONV_FORWARD ? r : a;
        status = run(fn, computed, conv, &args);
    }
    for (int i = 0; i < 3; i++) THTensor_free(dense[i]);
    return thnn_output_end(&result, out, status);
}

THStatus THNN_conv2d(THTensor **out, const THTensor *x, const THTensor *weight, const THTensor *bias,
                     const THNNConv2d *geometry) {
    static const char fn[] = "THNN_conv2d";
    thnn_conv conv;
    int64_t sizes[4];
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "weight", weight, "x", THTensor_dtype(x));
    if (status == TH_OK && bias) status = thnn_check_same_dtype(fn, "bias", bias, "x", THTensor_dtype(x));
    if (status == TH_OK) status = check_geometry(fn, geometry);
    if (status == TH_OK)
        status = make_conv(&conv, sizes, fn, THTensor_sizes(x), THTensor_ndim(x), THTensor_sizes(weight),
                           THTensor_ndim(weight), geometry);
    if (status == TH_OK && bias) status = thnn_check_sizes(fn, "bias", bias, sizes + 1, 1);
    if (status != TH_OK) return status;
    conv.kind = THNN_CONV_FORWARD;
    return compute(fn, &conv, out, sizes, (const THTensor *[]){x, weight, bias});
}

THStatus THNN_conv2d_backward_input(THTensor **out, const THTensor *grad, const THTensor *weight,
                                    const int64_t *x_sizes, const THNNConv2d *geometry) {
    static const char fn[] = "THNN_conv2d_backward_input";
    thnn_conv conv;
    int64_t sizes[4];
    THStatus status = thnn_check_floating(fn, "grad", grad);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "weight", weight, "grad", THTensor_dtype(grad));
    if (status == TH_OK && !x_sizes) status = TH_raisef(TH_E_ARG, "%s: x_sizes is NULL", fn);
    if (status == TH_OK) status = check_geometry(fn, geometry);
    if (status == TH_OK)
        status = make_conv(&conv, sizes, fn, x_sizes, 4, THTensor_sizes(weight), THTensor_ndim(weight), geometry);
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, sizes, 4);
    if (status != TH_OK) return status;
    conv.kind = THNN_CONV_BACKWARD_INPUT;
    return compute(fn, &conv, out, x_sizes, (const THTensor *[]){grad, weight, NULL});
}

THStatus THNN_conv2d_backward_weight(THTensor **out, const THTensor *grad, const THTensor *x,
                                     const int64_t *weight_sizes, const THNNConv2d *geometry) {
    static const char fn[] = "THNN_conv2d_backward_weight";
    thnn_conv conv;
    int64_t sizes[4];
    THStatus status = thnn_check_floating(fn, "grad", grad);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "x", x, "grad", THTensor_dtype(grad));
    if (status == TH_OK && !weight_sizes) status = TH_raisef(TH_E_ARG, "%s: weight_sizes is NULL", fn);
    if (status == TH_OK) status = check_geometry(fn, geometry);
    if (status == TH_OK)
        status = make_conv(&conv, sizes, fn, THTensor_sizes(x), THTensor_ndim(x), weight_sizes, 4, geometry);
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, sizes, 4);
    if (status != TH_OK) return status;
    conv.kind = THNN_CONV_BACKWARD_WEIGHT;
    return compute(fn, &conv, out, weight_sizes, (const THTensor *[]){grad, x, NULL});
}
