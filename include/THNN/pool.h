/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/pool.h
 * Two-dimensional pooling over [N, C, H, W] or [C, H, W]; N and C may be 0. Every window must hold an element of the
 * input (TH_E_SHAPE). Results share no memory with the inputs (TH_E_ARG). */
#ifndef THNN_POOL_H
#define THNN_POOL_H

#include "THNN/api.h"
TH_BEGIN

/** Geometry; every pair is height, width. */
typedef struct THNNPool2d {
    int64_t kernel[2];   /**< >= 1 */
    int64_t stride[2];   /**< >= 1 */
    int64_t padding[2];  /**< >= 0, at most half the kernel */
    int64_t dilation[2]; /**< >= 1; 1 for average pooling */
    int32_t ceil_mode;   /**< output size rounds up; a window must still start inside the input or its left padding */
    int32_t
        count_include_pad; /**< average pooling divides by the window clipped to input and padding, not to the input */
} THNNPool2d;

/** Largest value of each window, and (optional) its flat index h W + w, int64. The first of equals; the first NaN wins;
 * padding never does. */
THNN_API THStatus THNN_max_pool2d(THTensor **out, THTensor **indices, const THTensor *x, const THNNPool2d *geometry);

/** Adds grad to zeros of sizes x_sizes (as many as grad has) at the indices. An index outside the plane is TH_E_INDEX.
 */
THNN_API THStatus THNN_max_pool2d_backward(THTensor **out, const THTensor *grad, const THTensor *indices,
                                           const int64_t *x_sizes);

THNN_API THStatus THNN_avg_pool2d(THTensor **out, const THTensor *x, const THNNPool2d *geometry);
THNN_API THStatus THNN_avg_pool2d_backward(THTensor **out, const THTensor *grad, const int64_t *x_sizes,
                                           const THNNPool2d *geometry);

TH_END
#endif
