/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_CONV_H
#define THNN_KERNELS_CONV_H

#include "TH/dtype.h"
#include "core/window.h"

/* Some windows over `channels` volumes, as columns of a matrix with one row per channel and tap: of the lines [lo, hi),
   counted over depth and rows, the windows [from, to) along the columns. */
typedef struct thnn_conv_strip {
    const thnn_axis *axes; /* depth, rows, columns */
    int64_t channels, lo, hi, from, to;
} thnn_conv_strip;

typedef struct thnn_conv_kernels {
    void (*unfold)(const thnn_conv_strip *s, const void *x, void *columns);
    void (*fold)(const thnn_conv_strip *s, const void *columns, void *x); /* adds each element to where it came from */
    void (*fill)(void *y, const void *value, int64_t n);
    void (*add)(void *y, const void *x, int64_t n); /* y += x */
} thnn_conv_kernels;

/* By the dtype computed in, a floating one. */
typedef struct thnn_conv_table {
    thnn_conv_kernels of[TH_DTYPE_COUNT];
} thnn_conv_table;

#endif
