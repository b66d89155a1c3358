/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_SOFTMAX_H
#define THNN_KERNELS_SOFTMAX_H

#include "TH/dtype.h"

/* x is contiguous, [outer, n, inner], normalised along n. Row i of [lo, hi) is the one at outer index i / inner and
   inner index i % inner; n >= 1. y may be x; grad_x may be grad or y. */
typedef void (*thnn_softmax_forward)(void *y, const void *x, int64_t n, int64_t inner, int64_t lo, int64_t hi);
typedef void (*thnn_softmax_backward)(void *grad_x, const void *grad, const void *y, int64_t n, int64_t inner,
                                      int64_t lo, int64_t hi);

/* By the dtype computed in; softmax, log_softmax. */
typedef struct thnn_softmax_table {
    thnn_softmax_forward forward[TH_DTYPE_COUNT][2];
    thnn_softmax_backward backward[TH_DTYPE_COUNT][2];
} thnn_softmax_table;

#endif
