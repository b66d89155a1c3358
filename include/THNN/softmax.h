/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/softmax.h
 * Softmax along one dimension (negative: from the end; a 0-dim tensor counts as one of size 1), sums in double.
 * log_softmax is (x - max) - log(sum(exp(x - max))). Rows that are all -inf, or hold inf or NaN, give NaN. In place is
 * allowed. */
#ifndef THNN_SOFTMAX_H
#define THNN_SOFTMAX_H

#include "THNN/api.h"
TH_BEGIN

THNN_API THStatus THNN_softmax(THTensor **out, const THTensor *x, int32_t dim);
THNN_API THStatus THNN_log_softmax(THTensor **out, const THTensor *x, int32_t dim);

/** From the forward results y: y (grad - sum(grad y)), and grad - exp(y) sum(grad). */
THNN_API THStatus THNN_softmax_backward(THTensor **out, const THTensor *grad, const THTensor *y, int32_t dim);
THNN_API THStatus THNN_log_softmax_backward(THTensor **out, const THTensor *grad, const THTensor *y, int32_t dim);

TH_END
#endif
