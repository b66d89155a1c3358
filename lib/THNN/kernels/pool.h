/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_POOL_H
#define THNN_KERNELS_POOL_H

#include "TH/dtype.h"
#include "core/window.h"

/* One plane [rows.in, cols.in] and its windows [rows.out, cols.out], both contiguous. */
typedef struct thnn_pool_plane {
    thnn_axis rows, cols;
    int32_t include_padding; /* the divisor of averages counts padding */
} thnn_pool_plane;

/* Every window has a tap inside. max: index may be NULL. max_backward: every index lies in the plane; dx starts as
   zeros, here and in avg_backward. */
typedef struct thnn_pool_kernels {
    void (*max)(const thnn_pool_plane *g, const void *x, void *y, int64_t *index);
    void (*max_backward)(const void *dy, const int64_t *index, void *dx, int64_t n);
    void (*avg)(const thnn_pool_plane *g, const void *x, void *y);
    void (*avg_backward)(const thnn_pool_plane *g, const void *dy, void *dx);
} thnn_pool_kernels;

/* By the dtype computed in. */
typedef struct thnn_pool_table {
    thnn_pool_kernels of[TH_DTYPE_COUNT];
    int (*outside)(const int64_t *index, int64_t n, int64_t size); /* 1 if any index is not in [0, size) */
} thnn_pool_table;

#endif
