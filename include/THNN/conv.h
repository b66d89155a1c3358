/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/conv.h
 * Two-dimensional convolution (cross-correlation, as the field calls it). oneDNN where the library was built with it
 * and it serves the dtype (float32); otherwise im2col and matrix products. Results share no memory with the inputs
 * (TH_E_ARG). With "gemm" bits do not depend on the number of threads; oneDNN sums the gradient of the weight in an
 * order that does. */
#ifndef THNN_CONV_H
#define THNN_CONV_H

#include "THNN/api.h"
TH_BEGIN

/** Geometry; every pair is height, width. Padding is zeros on both sides. */
typedef struct THNNConv2d {
    int64_t stride[2];   /**< >= 1 */
    int64_t padding[2];  /**< >= 0 */
    int64_t dilation[2]; /**< >= 1 */
    int64_t groups;      /**< divides input and output channels */
} THNNConv2d;

/** x [N, C, H, W], weight [K, C / groups, R, S], bias [K] or NULL -> [N, K, P, Q] with
 * P = floor((H + 2 padding - dilation (R - 1) - 1) / stride) + 1; P and Q below 1 are TH_E_SHAPE. N and C may be 0. */
THNN_API THStatus THNN_conv2d(THTensor **out, const THTensor *x, const THTensor *weight, const THTensor *bias,
                              const THNNConv2d *geometry);

/** Gradient with respect to the input, whose sizes are given. */
THNN_API THStatus THNN_conv2d_backward_input(THTensor **out, const THTensor *grad, const THTensor *weight,
                                             const int64_t *x_sizes, const THNNConv2d *geometry);

/** Gradient with respect to the weight, whose sizes are given. (The bias's is the sum of grad over N, P, Q.) */
THNN_API THStatus THNN_conv2d_backward_weight(THTensor **out, const THTensor *grad, const THTensor *x,
                                              const int64_t *weight_sizes, const THNNConv2d *geometry);

/** "onednn" or "gemm": what convolutions use; and a switch for the process. TH_E_UNSUPPORTED if the build lacks it. */
THNN_API const char *THNN_conv_backend(void);
THNN_API THStatus THNN_set_conv_backend(const char *name);

TH_END
#endif
