/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_NORM_H
#define THNN_KERNELS_NORM_H

#include "TH/dtype.h"

/* x, grad and out are contiguous, [n, channels, inner], and may be the same; all other arrays have one element per
   channel. */
typedef struct thnn_norm_args {
    int64_t n, channels, inner;
    const void *x, *grad;
    void *out;
    const void *weight, *bias;    /* NULL: 1 and 0 */
    double *mean, *var, *invstd;  /* stats makes them: of the batch, var biased, invstd = 1 / sqrt(var + eps) */
    double *sum_grad, *sum_cross; /* grad_sums makes them: of grad, and of grad (x - mean) */
    double eps;
    int32_t training;
} thnn_norm_args;

/* For the channels lo ... hi-1, at most THNN_NORM_CHANNELS of them. */
typedef void (*thnn_norm_kernel)(const thnn_norm_args *a, int64_t lo, int64_t hi);
enum { THNN_NORM_CHANNELS = 128 };

/* By the dtype computed in. */
typedef struct thnn_norm_table {
    thnn_norm_kernel stats[TH_DTYPE_COUNT], apply[TH_DTYPE_COUNT];
    thnn_norm_kernel grad_sums[TH_DTYPE_COUNT], grad_apply[TH_DTYPE_COUNT];
} thnn_norm_table;

#endif
