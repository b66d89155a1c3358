/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/tensor.h
 * The tensor: a typed, strided window on a storage. Descriptors never change after creation.
 *
 * Strides and offsets count elements. 0-dim tensors are scalars; sizes may be 0. `dim` arguments may be
 * negative, counting from the end. View functions make a new descriptor over the same storage, on every device. */
#ifndef TH_TENSOR_H
#define TH_TENSOR_H

#include "TH/dtype.h"
#include "TH/storage.h"
TH_BEGIN

typedef struct THTensor THTensor;

enum { TH_MAX_DIM = 64 };

/* ---- creation; on the CPU (on a device: TH/device.h) ---- */

/** A contiguous tensor, elements not initialised. TH_E_SHAPE if its bytes (with zero sizes counted as 1) do not fit
 * int64_t. */
TH_API THStatus THTensor_new(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim);

/** A window on `storage` (retained). `strides` NULL: contiguous. Every element must lie inside the storage, aligned to
 * its size, and strides must not be negative; several elements may share memory. */
TH_API THStatus THTensor_new_over(THTensor **out, THStorage *storage, THDtype dtype, const int64_t *sizes,
                                  const int64_t *strides, int32_t ndim, int64_t offset);

/** A contiguous tensor with a copy of `data` (elements of `dtype`, row-major). */
TH_API THStatus THTensor_new_copy(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim, const void *data);

/** A 0-dim tensor that is a number: bool, int64 or float64 by kind, weak in type promotion (TH_result_type),
 * so that `x + 2.5` keeps the dtype of x. */
TH_API THStatus THTensor_new_scalar(THTensor **out, const THScalar *value);

/** One more reference. Returns its argument; NULL is allowed, here and in THTensor_free. */
TH_API THTensor *THTensor_retain(THTensor *t);
TH_API void THTensor_free(THTensor *t);
TH_API int64_t THTensor_refcount(const THTensor *t); /**< a snapshot */

/* ---- reading the descriptor (borrowed pointers live as long as the tensor) ---- */

TH_API int32_t THTensor_ndim(const THTensor *t);
TH_API const int64_t *THTensor_sizes(const THTensor *t);
TH_API const int64_t *THTensor_strides(const THTensor *t);
TH_API int64_t THTensor_numel(const THTensor *t);
TH_API int64_t THTensor_offset(const THTensor *t);
TH_API THDtype THTensor_dtype(const THTensor *t);
TH_API THDevice THTensor_device(const THTensor *t);
TH_API THStorage *THTensor_storage(const THTensor *t);    /**< borrowed */
TH_API void *THTensor_data(const THTensor *t);            /**< first element */
TH_API int32_t THTensor_is_contiguous(const THTensor *t); /**< row-major without gaps */
TH_API int32_t THTensor_is_number(const THTensor *t);     /**< made by THTensor_new_scalar */

/** Writes "float32[2, 3]" ("float32[2, 3] on cuda:0" for one on a device) into buf, always ended by 0, cut at `cap`
 * bytes. Returns the length it wanted. t may be NULL.
 */
TH_API int64_t THTensor_describe(const THTensor *t, char *buf, int64_t cap);

/* ---- elements ---- */

/** Reads or writes the element at `index` (ndim numbers, negative from the end), on every device. TH_E_INDEX out of
 * range; TH_E_ARG for a value that the dtype does not hold, as TH_fill says. */
TH_API THStatus THTensor_get(THScalar *out, const THTensor *t, const int64_t *index);
TH_API THStatus THTensor_set(THTensor *t, const int64_t *index, const THScalar *value);

/** The only element of a tensor with one element, else TH_E_SHAPE. */
TH_API THStatus THTensor_item(THScalar *out, const THTensor *t);

/* ---- views ---- */

/** Another descriptor with the same geometry; a number becomes an ordinary 0-dim tensor. */
TH_API THStatus THTensor_alias(THTensor **out, const THTensor *t);

/** length elements from `start` along dim; start may be negative. 0 <= length <= size - start. */
TH_API THStatus THTensor_narrow(THTensor **out, const THTensor *t, int32_t dim, int64_t start, int64_t length);

/** Elements start, start+step, ... below end, bounds clamped as Python slices do; step >= 1. */
TH_API THStatus THTensor_slice(THTensor **out, const THTensor *t, int32_t dim, int64_t start, int64_t end,
                               int64_t step);

/** Removes dim at one index. */
TH_API THStatus THTensor_select(THTensor **out, const THTensor *t, int32_t dim, int64_t index);

/** Swaps two dimensions. */
TH_API THStatus THTensor_transpose(THTensor **out, const THTensor *t, int32_t dim0, int32_t dim1);

/** Reorders all dimensions; dims is a permutation of 0 ... ndim-1. */
TH_API THStatus THTensor_permute(THTensor **out, const THTensor *t, const int32_t *dims, int32_t ndims);

/** Broadcasts to `sizes` with stride 0; new dimensions come in front, -1 keeps a size. */
TH_API THStatus THTensor_expand(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim);

/** The same elements in other sizes, without copying; one size may be -1. TH_E_SHAPE if strides do not allow it. */
TH_API THStatus THTensor_view(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim);

/** As THTensor_view, or a contiguous copy where strides do not allow a view. */
TH_API THStatus THTensor_reshape(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim);

/** Merges dimensions start_dim ... end_dim (inclusive) into one. May copy, as THTensor_reshape. */
TH_API THStatus THTensor_flatten(THTensor **out, const THTensor *t, int32_t start_dim, int32_t end_dim);

/** Removes all dimensions of size 1, or only `dim` if its size is 1. */
TH_API THStatus THTensor_squeeze(THTensor **out, const THTensor *t);
TH_API THStatus THTensor_squeeze_dim(THTensor **out, const THTensor *t, int32_t dim);

/** Inserts a dimension of size 1 before dim, -(ndim+1) <= dim <= ndim. */
TH_API THStatus THTensor_unsqueeze(THTensor **out, const THTensor *t, int32_t dim);

/** Windows of `size`, `step` apart, along dim: dim becomes their number, a last dimension of `size` is added. The only
 * window of a 0-dim tensor, of size 0 or 1, is 1-D. */
TH_API THStatus THTensor_unfold(THTensor **out, const THTensor *t, int32_t dim, int64_t size, int64_t step);

/** The diagonal of dims (dim0, dim1), shifted by offset; removed dims are replaced by a last one. */
TH_API THStatus THTensor_diagonal(THTensor **out, const THTensor *t, int64_t offset, int32_t dim0, int32_t dim1);

/** Any geometry over the same storage; checked as THTensor_new_over. */
TH_API THStatus THTensor_as_strided(THTensor **out, const THTensor *t, const int64_t *sizes, const int64_t *strides,
                                    int32_t ndim, int64_t offset);

TH_END
#endif
