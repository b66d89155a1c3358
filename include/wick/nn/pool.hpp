// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/pool.hpp
#ifndef WICK_NN_POOL_HPP
#define WICK_NN_POOL_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct MaxPool2dOptions {
    Required<Pair> kernel_size;
    std::optional<Pair> stride = {}; ///< none: kernel_size
    Pair padding = 0;
    Pair dilation = 1;
    bool ceil_mode = false;
    WICK_OPTIONS(kernel_size, stride, padding, dilation, ceil_mode)
};

class WICK_API MaxPool2d : public Configured<MaxPool2dOptions> {
  public:
    explicit MaxPool2d(MaxPool2dOptions given);
    WICK_POSITIONAL(MaxPool2d, 4)
    Tensor forward(const Tensor &x) override;
};

struct AvgPool2dOptions {
    Required<Pair> kernel_size;
    std::optional<Pair> stride = {}; ///< none: kernel_size
    Pair padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    WICK_OPTIONS(kernel_size, stride, padding, ceil_mode, count_include_pad)
};

class WICK_API AvgPool2d : public Configured<AvgPool2dOptions> {
  public:
    explicit AvgPool2d(AvgPool2dOptions given);
    WICK_POSITIONAL(AvgPool2d, 5)
    Tensor forward(const Tensor &x) override;
};

} // namespace wick::nn
#endif
