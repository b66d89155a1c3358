/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/norm.h
 * Batch normalisation over dimension 1 of [N, C, ...] (Ioffe and Szegedy, arXiv:1502.03167). */
#ifndef THNN_NORM_H
#define THNN_NORM_H

#include "THNN/api.h"
TH_BEGIN

/** (x - mean) / sqrt(var + eps) * weight + bias per channel; weight and bias are [C] or NULL, eps >= 0.
 * training != 0: mean and biased variance of the batch (two-pass, wide accumulators; channels of one value give
 * exactly bias), and running <- (1 - momentum) running + momentum batch, with the unbiased variance, into running_mean
 * and running_var ([C], both or neither); more than one value per channel is needed (TH_E_SHAPE). training == 0: the
 * running statistics, required. Beside a half x, parameters and running statistics may be float32. save_mean and
 * save_invstd ([C], each may be NULL) receive what backward needs, in the dtype computed in (float32 for halves). */
THNN_API THStatus THNN_batch_norm(THTensor **out, THTensor **save_mean, THTensor **save_invstd, const THTensor *x,
                                  const THTensor *weight, const THTensor *bias, THTensor *running_mean,
                                  THTensor *running_var, int32_t training, double momentum, double eps);

/** Gradients with respect to x, weight and bias; each pointer may be NULL when that gradient is not wanted. mean and
 * invstd are the saved ones when training, otherwise those made from the running statistics. grad_weight and grad_bias
 * have weight's dtype, x's if it is NULL. */
THNN_API THStatus THNN_batch_norm_backward(THTensor **grad_x, THTensor **grad_weight, THTensor **grad_bias,
                                           const THTensor *grad, const THTensor *x, const THTensor *weight,
                                           const THTensor *mean, const THTensor *invstd, int32_t training);

TH_END
#endif
