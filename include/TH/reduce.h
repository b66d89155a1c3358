/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/reduce.h
 * Reductions. Bits do not depend on the number of threads: work is split into fixed blocks, each summed pairwise. */
#ifndef TH_REDUCE_H
#define TH_REDUCE_H

#include "TH/tensor.h"
TH_BEGIN

/** Sums of floating numbers are kept in float64 (a float32 or half sum adds four elements at a time in float32 before,
 * unless they overflow or the output is float64) and rounded once. The sum of nothing is 0, the product 1, the mean
 * NaN, any false, all true; max and min of nothing are TH_E_SHAPE. NaN wins in max and min and counts as true.
 * TH_<name>(out, x, dims, ndims, keepdim) for every row of TH/ops/reduce.def: over the given dimensions (each once;
 * ndims 0: over all), which disappear or, with keepdim, become 1. `*out` given: right sizes, any dtype the result
 * casts to (a float64 `*out` makes a float32 sum accumulate and round in float64). */
#define TH_REDUCE(name, ...)                                                                                           \
    TH_API THStatus TH_##name(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim);
#include "TH/ops/reduce.def"
#undef TH_REDUCE

/** int64 index of the first largest or smallest element along dim (NaN counts as both); dim TH_DIM_ALL: of the
 * flattened tensor. An empty reduction is TH_E_SHAPE. */
enum { TH_DIM_ALL = INT32_MIN };
TH_API THStatus TH_argmax(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim);
TH_API THStatus TH_argmin(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim);

/** Variance with divisor n - correction, floating x: two passes over each block in float64, blocks
 * combined by Chan's formula. A divisor is at least 0: where n <= correction the result is NaN for squares that sum to
 * 0, else infinite. */
TH_API THStatus TH_var(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim,
                       double correction);

TH_END
#endif
