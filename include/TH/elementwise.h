/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/elementwise.h
 * Elementwise functions. All of them broadcast (sizes are compared from the last dimension on; 1 stretches),
 * promote dtypes (TH_result_type), and accept any strides and zero sizes.
 *
 * `*out == NULL`: a new tensor of the promoted dtype is made. Otherwise the result is cast into the given one,
 * whose sizes must be the broadcast sizes; it may be one of the inputs, but must not overlap an input partly, nor
 * itself (TH_E_ARG); a floating result into an integer tensor, or a number into a bool one, is TH_E_TYPE.
 * On error nothing is written.
 *
 * A 0-dim operand is cast to the dtype that the others decide. Where an integer dtype does not hold it, comparisons and
 * logical functions are exact all the same (uint8 255 is less than 300), as are bounds that change nothing (clamp to
 * -1000 ... 1000, maximum with -5); other functions are TH_E_ARG. Integers compare exactly with floating numbers too.
 */
#ifndef TH_ELEMENTWISE_H
#define TH_ELEMENTWISE_H

#include "TH/tensor.h"
TH_BEGIN

/** TH_<name>(out, x) for every row of TH/ops/unary.def. */
#define TH_UNARY(name, ...) TH_API THStatus TH_##name(THTensor **out, const THTensor *x);
#include "TH/ops/unary.def"
#undef TH_UNARY

/** TH_<name>(out, a, b) for every row of TH/ops/binary.def. Integer floor_divide, trunc_divide, remainder
 * and fmod by zero are TH_E_ARG; floor_divide goes with remainder, which has the divisor's sign, trunc_divide with
 * fmod; maximum and minimum hand NaN on, fmax and fmin prefer the other operand; a shift by the width or more, or by a
 * negative number, gives 0 (-1 for a negative right-shifted value); an integer to a negative integer power is TH_E_ARG.
 * Integers wrap around, the lowest one divided by -1 too. Floats divide and take remainders as Python's do, but x / 0
 * is IEEE's. */
#define TH_BINARY(name, ...) TH_API THStatus TH_##name(THTensor **out, const THTensor *a, const THTensor *b);
#include "TH/ops/binary.def"
#undef TH_BINARY

/** x rounded to decimals after the point, or before it if they are negative: round(x 10^decimals) / 10^decimals.
 * Integers take none below 0. */
TH_API THStatus TH_round_decimals(THTensor **out, const THTensor *x, int32_t decimals);

/** a + alpha b, and a - alpha b. alpha NULL is 1; a floating alpha needs a floating result. sub is not for bool. */
TH_API THStatus TH_add(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha);
TH_API THStatus TH_sub(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha);

/** a where condition (bool) is true, b elsewhere; three-way broadcasting. */
TH_API THStatus TH_where(THTensor **out, const THTensor *condition, const THTensor *a, const THTensor *b);

/** min(max(x, lo), hi); either bound may be NULL, not both. NaN of any operand stays NaN. lo > hi gives hi. Not for
 * bool. */
TH_API THStatus TH_clamp(THTensor **out, const THTensor *x, const THTensor *lo, const THTensor *hi);

/** x + value a b (not for bool), and x + value a / b (floating dtypes only). value NULL is 1; a floating value needs a
 * floating result. */
TH_API THStatus TH_addcmul(THTensor **out, const THTensor *x, const THTensor *a, const THTensor *b,
                           const THScalar *value);
TH_API THStatus TH_addcdiv(THTensor **out, const THTensor *x, const THTensor *a, const THTensor *b,
                           const THScalar *value);

/** a + weight (b - a), exact at weight 0 and 1; floating dtypes. */
TH_API THStatus TH_lerp(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *weight);

TH_END
#endif
