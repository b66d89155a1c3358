/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that move and convert elements. */
#ifndef TH_KERNELS_COPY_H
#define TH_KERNELS_COPY_H

#include "TH/dtype.h"

/* n1 rows of n0 elements; strides in bytes, [0] within a row and [1] between rows. */
typedef struct th_move {
    char *dst;
    const char *src;
    int64_t n[2], dst_stride[2], src_stride[2];
} th_move;

typedef void (*th_move_kernel)(const th_move *m);
typedef void (*th_fill_kernel)(void *dst, const void *value, int64_t n);
typedef void (*th_cast_kernel)(void *dst, const void *src, int64_t n);

struct th_copy_table {
    th_move_kernel move[4]; /* by log2 of the element size */
    th_fill_kernel fill[4];
    th_cast_kernel cast[TH_DTYPE_COUNT][TH_DTYPE_COUNT]; /* [to][from]; NULL where the way leads through another type */
};

/* log2 of an element size. */
static inline int32_t th_log2_size(int64_t size) { return size == 8 ? 3 : (int32_t)(size >> 1); }

#endif
