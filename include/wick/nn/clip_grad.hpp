// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/clip_grad.hpp
/// Bounds on gradients, between backward and step.
#ifndef WICK_NN_CLIP_GRAD_HPP
#define WICK_NN_CLIP_GRAD_HPP

#include "wick/tensor.hpp"

namespace wick::nn::utils {

/// Scales all gradients so that their joint norm is at most max_norm (by max_norm / (norm + 1e-6), as PyTorch does),
/// and returns the norm before that, computed in float64 without overflow or underflow, as float64 if a gradient is,
/// else float32. norm_type: p > 0, or infinity. ArgumentError with error_if_nonfinite for a norm that is not finite;
/// gradients are then untouched.
WICK_API Tensor clip_grad_norm_(ListView<Tensor> parameters, double max_norm, double norm_type = 2,
                                bool error_if_nonfinite = false);

/// Clamps every element of every gradient to [-clip_value, clip_value].
WICK_API void clip_grad_value_(ListView<Tensor> parameters, double clip_value);

} // namespace wick::nn::utils
#endif
