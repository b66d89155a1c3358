/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/dropout.h
 * Inverted dropout. */
#ifndef THNN_DROPOUT_H
#define THNN_DROPOUT_H

#include "TH/random.h"
#include "THNN/api.h"
TH_BEGIN

/** Zeroes each element with probability p in [0, 1] (NaN and infinities too) and scales the others by 1 / (1 - p). mask
 * (bool, made or given) says which were kept; it is what TH_bernoulli(mask, 1 - p, g) draws. g NULL: the default
 * generator. */
THNN_API THStatus THNN_dropout(THTensor **out, THTensor **mask, const THTensor *x, double p, THGenerator *g);

/** grad / (1 - p) where mask, 0 elsewhere and for p = 1. */
THNN_API THStatus THNN_dropout_backward(THTensor **out, const THTensor *grad, const THTensor *mask, double p);

TH_END
#endif
