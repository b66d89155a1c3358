/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/loss.h
 * Losses over class indices, computed and summed in double. */
#ifndef THNN_LOSS_H
#define THNN_LOSS_H

#include "THNN/api.h"
TH_BEGIN

enum { THNN_REDUCTION_NONE = 0, THNN_REDUCTION_MEAN = 1, THNN_REDUCTION_SUM = 2 };

/** Negative log-likelihood with label smoothing. log_prob is [N, C, d1, ...] (or [C]); target is int64, int32 or uint8
 * and [N, d1, ...] (or []); weight is [C] or NULL, of log_prob's dtype, or float32 beside a half.
 * Per element i with class t and weight w:
 *    (1 - s) (-w[t] log_prob[i, t]) + s / C sum_c (-w[c] log_prob[i, c]),   s = label_smoothing in [0, 1].
 * Elements with target == ignore_index count 0; this is tested first, and other targets outside [0, C) are TH_E_INDEX.
 * MEAN divides by the sum of w[t] over the elements that count (NaN if that is 0), the smoothed part too, as PyTorch
 * does. Result: [] or, for NONE, target's sizes.
 * total_weight (may be NULL): receives that divisor as a 0-dim tensor (float32 for halves), for backward.
 * out NULL: only checks the arguments, but for the targets' values, so that what makes log_prob can wait for it. */
THNN_API THStatus THNN_nll_loss(THTensor **out, THTensor **total_weight, const THTensor *log_prob,
                                const THTensor *target, const THTensor *weight, int64_t ignore_index,
                                double label_smoothing, int32_t reduction);

/** Gradient with respect to log_prob (of which only dtype and sizes are used); 0 for elements that do not count. grad
 * has the sizes of the loss. total_weight is needed for MEAN alone. */
THNN_API THStatus THNN_nll_loss_backward(THTensor **out, const THTensor *grad, const THTensor *log_prob,
                                         const THTensor *target, const THTensor *weight, const THTensor *total_weight,
                                         int64_t ignore_index, double label_smoothing, int32_t reduction);

TH_END
#endif
