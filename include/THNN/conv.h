/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/conv.h
 * Convolution (cross-correlation, as the field calls it) over one, two or three dimensions. oneDNN where the library
 * was built with it and it serves the dtype (float32); otherwise im2col and matrix products. Results share no memory
 * with the inputs (TH_E_ARG), and their bits do not depend on the number of threads. */
#ifndef THNN_CONV_H
#define THNN_CONV_H

#include "THNN/api.h"
TH_BEGIN

/** Geometry: depth, height, width. Fewer dimensions use the last entries and have leading ones (padding: zeros).
 * Padding is zeros on both sides. */
typedef struct THNNConv {
    int64_t stride[3];   /**< >= 1 */
    int64_t padding[3];  /**< >= 0 */
    int64_t dilation[3]; /**< >= 1 */
    int64_t groups;      /**< divides input and output channels */
} THNNConv;

/** THNN_conv2d: x [N, C, H, W] or [C, H, W], weight [K, C / groups, R, S], bias [K] or NULL -> [N, K, P, Q] or
 * [K, P, Q] with P = floor((H + 2 padding - dilation (R - 1) - 1) / stride) + 1; P and Q below 1 are TH_E_SHAPE. N and
 * C may be 0. THNN_conv1d and THNN_conv3d are the same with one and with three dimensions.
 * THNN_conv2d_backward: gradients with respect to x, weight and bias; each pointer may be NULL when that gradient is
 * not wanted. Of x only the sizes are used for grad_x, of weight only the sizes for grad_weight. */
#define THNN_CONV(n)                                                                                                   \
    THNN_API THStatus THNN_conv##n(THTensor **out, const THTensor *x, const THTensor *weight, const THTensor *bias,    \
                                   const THNNConv *geometry);                                                          \
    THNN_API THStatus THNN_conv##n##_backward(THTensor **grad_x, THTensor **grad_weight, THTensor **grad_bias,         \
                                              const THTensor *grad, const THTensor *x, const THTensor *weight,         \
                                              const THNNConv *geometry);
THNN_CONV(1d)
THNN_CONV(2d)
THNN_CONV(3d)
#undef THNN_CONV

/** "onednn" or "gemm": what convolutions use; and a switch for the process. TH_E_UNSUPPORTED if the build lacks it. */
THNN_API const char *THNN_conv_backend(void);
THNN_API THStatus THNN_set_conv_backend(const char *name);

TH_END
#endif
