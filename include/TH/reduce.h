/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/reduce.h
 *  Reductions. Bits do not depend on the number of threads: work is split into fixed blocks, each summed pairwise. */
#ifndef TH_REDUCE_H
#define TH_REDUCE_H

#include "TH/tensor.h"
TH_BEGIN

/** TH_<name>(out, x, dims, ndims, keepdim) for every row of TH/ops/reduce.def: over the given dimensions (each once;
 *  ndims 0: over all), which disappear or, with keepdim, become 1. `*out` given: right sizes, any dtype the result casts to
 *  (a float64 `*out` makes a float32 sum accumulate and round in float64). */
#define TH_REDUCE(name, ...)                                                                                           \
    TH_API THStatus TH_##name(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim);
#include "TH/ops/reduce.def"
#undef TH_REDUCE

/** int64 index of the first largest or smallest element along dim (NaN counts as both); dim TH_DIM_ALL: of the
 *  flattened tensor. An empty reduction is TH_E_SHAPE. */
enum { TH_DIM_ALL = -65 };
TH_API THStatus TH_argmax(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim);
TH_API THStatus TH_argmin(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim);

/** Variance with divisor n - correction, two-pass in a wide accumulator; floating x. NaN where n <= correction. */
TH_API THStatus TH_var(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim, double correction);

TH_END
#endif
