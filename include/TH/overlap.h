/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/overlap.h
 * Which elements share memory. */
#ifndef TH_OVERLAP_H
#define TH_OVERLAP_H

#include "TH/tensor.h"
TH_BEGIN

/** 1 if two elements of t may share memory, so that it cannot be written; 0 for NULL. */
TH_API int32_t THTensor_overlaps_itself(const THTensor *t);

TH_END
#endif
