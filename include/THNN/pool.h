/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/pool.h
 * Pooling over one, two or three dimensions: [N, C, L], [N, C, H, W], [N, C, D, H, W], each also without N; N and C may
 * be 0. Every window must hold an element of the input (TH_E_SHAPE). Results share no memory with the inputs
 * (TH_E_ARG).
 */
#ifndef THNN_POOL_H
#define THNN_POOL_H

#include "THNN/api.h"
TH_BEGIN

/** Geometry: depth, height, width. Fewer dimensions use the last entries and have leading ones (padding: zeros). */
typedef struct THNNPool {
    int64_t kernel[3];   /**< >= 1 */
    int64_t stride[3];   /**< >= 1 */
    int64_t padding[3];  /**< >= 0, at most half the kernel */
    int64_t dilation[3]; /**< >= 1; 1 for average pooling */
    int64_t divisor;     /**< average pooling divides by it, if it is not 0 */
    int32_t ceil_mode;   /**< sizes round up; a window must still start inside the input or its left padding */
    int32_t
        count_include_pad; /**< average pooling divides by the window clipped to input and padding, not to the input */
} THNNPool;

/** THNN_max_pool2d: the largest value of each window, and (optional) its flat index h W + w, int64. The first of
 * equals; the first NaN wins; padding never does. Integers (uint8 ... int64) too. THNN_max_pool2d_backward: adds grad
 * to zeros of sizes x_sizes (x_ndim of them, as many as grad has) at the indices. An index outside the plane is
 * TH_E_INDEX. THNN_avg_pool2d: the mean of each window, computed in double; and its gradient. The others are the same
 * with one and with three dimensions. */
#define THNN_POOL(n)                                                                                                   \
    THNN_API THStatus THNN_max_pool##n(THTensor **out, THTensor **indices, const THTensor *x,                          \
                                       const THNNPool *geometry);                                                      \
    THNN_API THStatus THNN_max_pool##n##_backward(THTensor **grad_x, const THTensor *grad, const THTensor *indices,    \
                                                  const int64_t *x_sizes, int32_t x_ndim);
#define THNN_AVG_POOL(n)                                                                                               \
    THNN_API THStatus THNN_avg_pool##n(THTensor **out, const THTensor *x, const THNNPool *geometry);                   \
    THNN_API THStatus THNN_avg_pool##n##_backward(THTensor **grad_x, const THTensor *grad, const int64_t *x_sizes,     \
                                                  int32_t x_ndim, const THNNPool *geometry);
THNN_POOL(1d)
THNN_POOL(2d)
THNN_POOL(3d)
THNN_AVG_POOL(1d)
THNN_AVG_POOL(2d)
THNN_AVG_POOL(3d)
#undef THNN_POOL
#undef THNN_AVG_POOL

TH_END
#endif
