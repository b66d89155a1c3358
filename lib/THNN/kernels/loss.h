/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_LOSS_H
#define THNN_KERNELS_LOSS_H

#include "TH/dtype.h"

/* log_prob is contiguous, [outer, classes, inner]; element i is the one at i / inner, i % inner. Targets were checked.
 */
typedef struct thnn_nll_args {
    const int64_t *target;
    const void *log_prob, *weight; /* weight may be NULL: all 1 */
    int64_t classes, inner, ignore_index;
    double smoothing;
    void *losses;     /* forward: each element's loss, or NULL */
    const void *grad; /* backward: element i's at i grad_step */
    int64_t grad_step;
    double divisor; /* of grad */
    void *grad_log_prob;
} thnn_nll_args;

/* Adds the losses and the weights of elements lo ... hi-1 to sums[0] and sums[1]. */
typedef void (*thnn_nll_forward)(const thnn_nll_args *a, int64_t lo, int64_t hi, double *sums);
/* Writes all classes of elements lo ... hi-1 of grad_log_prob. */
typedef void (*thnn_nll_backward)(const thnn_nll_args *a, int64_t lo, int64_t hi);

/* By the dtype computed in. */
typedef struct thnn_loss_table {
    thnn_nll_forward nll[TH_DTYPE_COUNT];
    thnn_nll_backward nll_backward[TH_DTYPE_COUNT];
} thnn_loss_table;

#endif
