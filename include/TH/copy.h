/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/copy.h
 * Copies, casts and filling. */
#ifndef TH_COPY_H
#define TH_COPY_H

#include "TH/tensor.h"
TH_BEGIN

/** Copies src, broadcast and cast, into dst. Floating to integer truncates toward zero and goes through int64 (so that
 * -1.0 to uint8 is 255); out of int64's range, infinities and NaN give INT64_MIN before narrowing; anything but 0 is
 * true. Integers wrap; floating values round to nearest even. Partial overlap is TH_E_ARG. The functions of this
 * group serve every device, THTensor_copy also between two. */
TH_API THStatus THTensor_copy(THTensor *dst, const THTensor *src);

/** A contiguous copy of the same dtype. */
TH_API THStatus THTensor_clone(THTensor **out, const THTensor *t);

/** t itself (retained) if it is contiguous, else a contiguous copy. */
TH_API THStatus THTensor_contiguous(THTensor **out, const THTensor *t);

/** t itself (retained) if it has that dtype and is not a number, else a copy cast to it. */
TH_API THStatus THTensor_to(THTensor **out, const THTensor *t, THDtype dtype);

/** Sets every element to value. TH_E_ARG, here and wherever a number becomes an element, for one that the dtype does
 * not hold: out of an integer dtype's range (a floating number counts truncated), NaN and infinities included. Floating
 * dtypes round to nearest even, beyond their range to infinity; anything but 0 is true. */
TH_API THStatus TH_fill(THTensor *t, const THScalar *value);

/** A new tensor filled with value. dtype TH_DTYPE_DEFAULT: bool, int64 or TH_default_dtype() by the
 * value's kind. */
TH_API THStatus TH_full(THTensor **out, const int64_t *sizes, int32_t ndim, const THScalar *value, THDtype dtype);

/** start, start + step, ... as long as below end (above, for a negative step); ceil((end - start) / step) elements,
 * each computed as start + i step and then cast (truncated to integers). dtype default: int64 if all three are
 * integers, else
 * TH_default_dtype(). TH_E_ARG for a zero step, a step of the wrong sign, bounds that are not finite and values
 * that the dtype does not hold. */
TH_API THStatus TH_arange(THTensor **out, const THScalar *start, const THScalar *end, const THScalar *step,
                          THDtype dtype);

/** `steps` values evenly from start to end, both hit exactly (1: start alone); truncated to integers, between integers
 * without rounding before. dtype default: TH_default_dtype(). TH_E_ARG for bounds that are not finite or that the dtype
 * does not hold, and steps < 0. */
TH_API THStatus TH_linspace(THTensor **out, const THScalar *start, const THScalar *end, int64_t steps, THDtype dtype);

/** n by m with ones on the diagonal. dtype default: TH_default_dtype(). */
TH_API THStatus TH_eye(THTensor **out, int64_t n, int64_t m, THDtype dtype);

TH_END
#endif
