/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that read, write, add or multiply at computed places. */
#ifndef TH_KERNELS_INDEX_H
#define TH_KERNELS_INDEX_H

#include "TH/dtype.h"

/* For k in 0 ... n-1, in order, between dst + k dst_step and src + k src_step; offset[k] moves the side that is
   indexed: src for get, dst for the others. All in bytes. offset NULL (add and mul only): none. */
typedef struct th_pick {
    char *dst;
    const char *src;
    const int64_t *offset;
    int64_t n, dst_step, src_step;
} th_pick;

typedef void (*th_pick_kernel)(const th_pick *p);

struct th_index_table {
    th_pick_kernel get[4], put[4];                           /* by log2 of the element size */
    th_pick_kernel add[TH_DTYPE_COUNT], mul[TH_DTYPE_COUNT]; /* halves are joined in float32 */
};

#endif
