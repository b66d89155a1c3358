/* SPDX-License-Identifier: BSD-3-Clause */
/* A convolution as its backends get it: checked sizes and contiguous arrays. */
#ifndef THNN_CORE_CONV_H
#define THNN_CORE_CONV_H

#include "TH/dtype.h"
#include "core/window.h"

enum { THNN_CONV_FORWARD, THNN_CONV_BACKWARD_INPUT, THNN_CONV_BACKWARD_WEIGHT };

typedef struct thnn_conv {
    int64_t kind, images, groups;
    int64_t c, k;         /* input and output channels of a group */
    thnn_axis rows, cols; /* in: H, W; out: P, Q; kernel: R, S */
} thnn_conv;

/* x [images, groups c, H, W], weight [groups k, c, R, S], y [images, groups k, P, Q]; one of them is the result, by
   kind. bias [groups k] or NULL, forward alone. */
typedef struct thnn_conv_args {
    void *x, *weight, *y;
    const void *bias;
} thnn_conv_args;

/* By im2col and matrix products; float32 and float64, any sizes. Bits do not depend on the number of threads. */
THStatus thnn_conv_gemm(const char *fn, THDtype dtype, const thnn_conv *g, const thnn_conv_args *args);

/* By oneDNN; float32, no size 0. TH_E_UNSUPPORTED if it cannot. */
THStatus thnn_conv_onednn(const char *fn, const thnn_conv *g, const thnn_conv_args *args);

#endif
