/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/matmul.h
 * Products of matrices. Both operands have the same dtype (else TH_E_TYPE); float32 and float64 run on BLAS, where
 * operands whose rows or columns are contiguous are passed without copies; halves accumulate in float32; integers wrap;
 * bool is TH_E_TYPE. An inner size of 0 gives zeros. `*out` given: right sizes and dtype, no overlap with the operands.
 */
#ifndef TH_MATMUL_H
#define TH_MATMUL_H

#include "TH/tensor.h"
TH_BEGIN

TH_API THStatus TH_dot(THTensor **out, const THTensor *a, const THTensor *b); /**< [n] [n] -> [] */
TH_API THStatus TH_mv(THTensor **out, const THTensor *a, const THTensor *x);  /**< [m, n] [n] -> [m] */
TH_API THStatus TH_mm(THTensor **out, const THTensor *a, const THTensor *b);  /**< [m, k] [k, n] -> [m, n] */
TH_API THStatus TH_bmm(THTensor **out, const THTensor *a, const THTensor *b); /**< [b, m, k] [b, k, n] -> [b, m, n] */

/** By the operands' dimensions as NumPy and PyTorch: 1-D operands are vectors, leading dimensions broadcast. */
TH_API THStatus TH_matmul(THTensor **out, const THTensor *a, const THTensor *b);

/** beta c + alpha a b for matrices; c broadcasts to [m, n]. alpha, beta NULL are 1; beta 0 does not read c.
 * *out may be c. */
TH_API THStatus TH_addmm(THTensor **out, const THTensor *c, const THTensor *a, const THTensor *b, const THScalar *beta,
                         const THScalar *alpha);

TH_END
#endif
