/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that read, write, add, multiply or step at computed places. */
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

/* For k in 0 ... n-1, or back from the end: before[k] = *p, *p = a[k] * *p + b[k], with p at whole + offset[k]. step:
   of before, a and b. All in bytes. b may be NULL. */
typedef struct th_scan {
    char *before, *whole;
    const char *a, *b;
    const int64_t *offset;
    int64_t n, step[3];
    int32_t reverse;
} th_scan;

typedef void (*th_scan_kernel)(const th_scan *s);

struct th_index_table {
    th_pick_kernel get[4], put[4];                           /* by log2 of the element size */
    th_pick_kernel add[TH_DTYPE_COUNT], mul[TH_DTYPE_COUNT]; /* halves are joined in float32 */
    th_scan_kernel scan[TH_DTYPE_COUNT];                     /* float32 and float64 */
};

#endif
