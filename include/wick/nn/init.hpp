// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/init.hpp
/// Initialisation of parameters, in place and not recorded. Each returns its argument.
#ifndef WICK_NN_INIT_HPP
#define WICK_NN_INIT_HPP

#include "wick/tensor.hpp"

namespace wick::nn::init {

WICK_API const Tensor &uniform_(const Tensor &t, double low = 0, double high = 1);
WICK_API const Tensor &normal_(const Tensor &t, double mean = 0, double std = 1);
WICK_API const Tensor &constant_(const Tensor &t, const Scalar &value);
WICK_API const Tensor &zeros_(const Tensor &t);
WICK_API const Tensor &ones_(const Tensor &t);

/// Inputs and outputs of one unit: [out, in, kernel...] has in * prod(kernel) and out * prod(kernel). ShapeError below
/// two dimensions.
struct Fans {
    int64_t in, out;
};
WICK_API Fans fans(const Tensor &weight);

/// The factor for a nonlinearity: "linear", "sigmoid" 1; "tanh" 5/3; "relu" sqrt(2); "leaky_relu" sqrt(2 / (1 + a^2)).
WICK_API double calculate_gain(std::string_view nonlinearity, double a = 0.01);

/// Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.
WICK_API const Tensor &xavier_uniform_(const Tensor &t, double gain = 1);
WICK_API const Tensor &xavier_normal_(const Tensor &t, double gain = 1);

/// He et al., arXiv:1502.01852. mode: "fan_in" or "fan_out"; a: the negative slope of leaky_relu.
WICK_API const Tensor &kaiming_uniform_(const Tensor &t, double a = 0, std::string_view mode = "fan_in",
                                        std::string_view nonlinearity = "leaky_relu");
WICK_API const Tensor &kaiming_normal_(const Tensor &t, double a = 0, std::string_view mode = "fan_in",
                                       std::string_view nonlinearity = "leaky_relu");

} // namespace wick::nn::init
#endif
