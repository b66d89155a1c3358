// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/pool.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

MaxPool2d::MaxPool2d(MaxPool2dOptions given) : Configured("MaxPool2d", std::move(given)) {}

Tensor MaxPool2d::forward(const Tensor &x) {
    const Pair &kernel = options.kernel_size;
    const Pair &stride = options.stride ? *options.stride : kernel;
    return max_pool2d(x, kernel, stride, options.padding, options.dilation, options.ceil_mode);
}

AvgPool2d::AvgPool2d(AvgPool2dOptions given) : Configured("AvgPool2d", std::move(given)) {}

Tensor AvgPool2d::forward(const Tensor &x) {
    const Pair &kernel = options.kernel_size;
    const Pair &stride = options.stride ? *options.stride : kernel;
    return avg_pool2d(x, kernel, stride, options.padding, options.ceil_mode, options.count_include_pad);
}

} // namespace wick::nn
