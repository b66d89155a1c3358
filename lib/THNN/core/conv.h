/* SPDX-License-Identifier: BSD-3-Clause */
/* A convolution as its backends get it: checked sizes and contiguous arrays. */
#ifndef THNN_CORE_CONV_H
#define THNN_CORE_CONV_H

#include "TH/dtype.h"
#include "core/window.h"

enum { THNN_CONV_FORWARD, THNN_CONV_BACKWARD_INPUT, THNN_CONV_BACKWARD_WEIGHT };

typedef struct thnn_conv {
    int64_t kind, images, groups;
    int64_t c, k;                  /* input and output channels of a group */
    int64_t spatial;               /* dimensions that count, 1 to 3 */
    thnn_axis axes[THNN_AXES_MAX]; /* depth, rows, columns; those that do not count are ones */
} thnn_conv;

/* x [images, groups c, in], weight [groups k, c, kernel], y [images, groups k, out]; one of them is the result, by
   kind. bias [groups k] or NULL, forward alone. */
typedef struct thnn_conv_args {
    void *x, *weight, *y;
    const void *bias;
} thnn_conv_args;

/* A weight's gradient is summed over parts, each so many images, in their order: the same for every number of threads.
   `weights`: elements of the weight. */
static inline int64_t thnn_conv_part(int64_t images, int64_t weights) {
    enum { PARTS = 16, ELEMENTS = 1 << 24 }; /* parts at most, and elements that they may have together */
    int64_t parts = ELEMENTS / (weights > 1 ? weights : 1);
    if (parts > PARTS) parts = PARTS;
    if (parts < 1) parts = 1;
    return images > 0 ? (images - 1) / parts + 1 : 1;
}

/* By im2col and matrix products; float32 and float64, any sizes. */
THStatus thnn_conv_gemm(const char *fn, THDtype dtype, const thnn_conv *g, const thnn_conv_args *args);

/* By oneDNN; float32, no size 0. TH_E_UNSUPPORTED if it cannot. */
THStatus thnn_conv_onednn(const char *fn, const thnn_conv *g, const thnn_conv_args *args);

#endif
