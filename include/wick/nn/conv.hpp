// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/conv.hpp
#ifndef WICK_NN_CONV_HPP
#define WICK_NN_CONV_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct Conv2dOptions {
    Required<int64_t> in_channels, out_channels;
    Required<Pair> kernel_size;
    Pair stride = 1;
    Pair padding = 0;
    Pair dilation = 1;
    int64_t groups = 1;
    bool bias = true;
    WICK_OPTIONS(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
};

/// Two-dimensional convolution of [N, C, H, W].
class WICK_API Conv2d : public Configured<Conv2dOptions> {
  public:
    explicit Conv2d(Conv2dOptions given);
    WICK_POSITIONAL(Conv2d, 8)
    Tensor forward(const Tensor &x) override;
    Parameter weight; ///< [out_channels, in_channels / groups, height, width]
    Parameter bias;   ///< [out_channels], or undefined
    WICK_FIELDS(weight, bias)
};

} // namespace wick::nn
#endif
