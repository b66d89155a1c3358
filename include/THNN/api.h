/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/api.h
 * Conventions of THNN: neural-network kernels over TH's tensors.
 *
 * As in TH, outputs come first, `*out == NULL` makes a new tensor and otherwise the result goes into the given one
 * (right sizes and dtype, no partial overlap with an input); on error outputs are untouched and TH_error_message()
 * explains. All tensors of a call share one dtype (indices and masks apart): float32, float64, float16 or bfloat16;
 * halves compute in float32. `grad` is the gradient of the loss with respect to the forward function's result. Optional
 * tensors may be NULL. */
#ifndef THNN_API_H
#define THNN_API_H

#include "TH/tensor.h"

#define THNN_API TH_API

#endif
