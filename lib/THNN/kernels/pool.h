/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_POOL_H
#define THNN_KERNELS_POOL_H

#include "TH/dtype.h"
#include "core/window.h"

/* One volume, `in` by depth, rows and columns, and its windows, `out`; both contiguous. */
typedef struct thnn_pool_volume {
    thnn_axis axes[THNN_AXES_MAX];
    int64_t divisor;         /* of averages; 0: the window's own size */
    int32_t include_padding; /* which then counts padding */
} thnn_pool_volume;

/* Every window has a tap inside. index may be NULL. */
typedef void (*thnn_pool_max)(const thnn_pool_volume *g, const void *x, void *y, int64_t *index);

/* max_backward: every index lies in the volume; dx starts as zeros, here and in avg_backward. */
typedef struct thnn_pool_kernels {
    void (*max_backward)(const void *dy, const int64_t *index, void *dx, int64_t n);
    void (*avg)(const thnn_pool_volume *g, const void *x, void *y);
    void (*avg_backward)(const thnn_pool_volume *g, const void *dy, void *dx);
} thnn_pool_kernels;

/* By the dtype computed in. */
typedef struct thnn_pool_table {
    thnn_pool_max max[TH_DTYPE_COUNT];                             /* floating, int64 */
    thnn_pool_kernels of[TH_DTYPE_COUNT];                          /* floating */
    int (*outside)(const int64_t *index, int64_t n, int64_t size); /* 1 if any index is not in [0, size) */
} thnn_pool_table;

#endif
