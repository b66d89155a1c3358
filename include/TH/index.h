/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/index.h
 * Reading and writing by index, and joining. Index tensors are int64 or int32; an index out of [-size, size) is
 * TH_E_INDEX and found before anything is written. Source and result have the same dtype. */
#ifndef TH_INDEX_H
#define TH_INDEX_H

#include "TH/tensor.h"
TH_BEGIN

/** The entries of x along dim that the 1-D (or 0-dim) index names. */
TH_API THStatus TH_index_select(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index);

/** out[i][j] = x[index[i][j]][j] for dim 0, and so on; index has x's dimensions, each (but dim) at most x's. */
TH_API THStatus TH_gather(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index);

/** x with x[index[i][j]][j] = src[i][j] (dim 0), with += and with *= . In place for *out == x. With repeated indices
 * scatter keeps one of the values, the others take them in logical order; halves add and multiply in float32. src may
 * be a 0-dim tensor of any dtype (no floating one for integers): its element, which x's dtype must hold, for every
 * index. */
TH_API THStatus TH_scatter(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index, const THTensor *src);
TH_API THStatus TH_scatter_add(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index,
                               const THTensor *src);
TH_API THStatus TH_scatter_mul(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index,
                               const THTensor *src);

/** The steps of x[index[i][j]][j] = a[i][j] x[index[i][j]][j] + b[i][j] (dim 0), one after the other along dim, from
 * its end with reverse != 0. steps[i][j]: what stood there before the step; last: x after all of them. a and b have
 * index's sizes; b NULL: 0. Floating dtypes; halves in float32. The gradient of scatter_mul is made of it, and of
 * itself. */
TH_API THStatus TH_scatter_scan(THTensor **steps, THTensor **last, const THTensor *x, int32_t dim,
                                const THTensor *index, const THTensor *a, const THTensor *b, int32_t reverse);

/** x with the slices of src added at the 1-D index along dim, in logical order. */
TH_API THStatus TH_index_add(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index,
                             const THTensor *src);

/** Joins n >= 1 tensors along an existing dimension; other sizes must agree; dtypes promote. 1-D tensors of size 0
 * are skipped whatever the others' dimensions. */
TH_API THStatus TH_cat(THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim);

/** Joins n >= 1 tensors of equal sizes along a new dimension. */
TH_API THStatus TH_stack(THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim);

TH_END
#endif
