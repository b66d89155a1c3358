/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tensors share memory. The answers are exact for a "no"; a "yes" is given when the cheap tests cannot exclude
 * it. */
#ifndef TH_CORE_OVERLAP_H
#define TH_CORE_OVERLAP_H

#include "TH/overlap.h"

/* 1 if a and b may share memory. Told apart are disjoint ranges and windows that interleave along common strides, such
   as different columns, column blocks, or even and odd elements; refused though disjoint: views whose strides do not
   divide each other, such as a diagonal and a row beside it. */
int th_overlap(const THTensor *a, const THTensor *b);

/* 1 if a and b have the same elements at the same addresses: the same dtype, first byte, sizes and strides (the stride
   of a dimension of size 1 does not count). */
int th_same_geometry(const THTensor *a, const THTensor *b);

#endif
