// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/conv.hpp"
#include "nn/layer.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Conv2d::Conv2d(Conv2dOptions given) : Configured("Conv2d", std::move(given)) {
    int64_t in = positive("Conv2d", "in_channels", options.in_channels);
    int64_t out = positive("Conv2d", "out_channels", options.out_channels);
    int64_t groups = positive("Conv2d", "groups", options.groups);
    Pair kernel = options.kernel_size;
    for (int64_t k : kernel.v) positive("Conv2d", "kernel_size", k);
    if (in % groups || out % groups)
        throw Error(TH_E_ARG, "Conv2d: got " + std::to_string(in) + " and " + std::to_string(out) + " channels in " +
                                  std::to_string(groups) + " groups, want multiples of the groups");
    weight = Parameter(empty({out, in / groups, kernel.v[0], kernel.v[1]}));
    if (options.bias) bias = Parameter(empty({out}));
    reset_parameters(weight, bias);
}

Tensor Conv2d::forward(const Tensor &x) {
    return conv2d(x, weight, bias, options.stride, options.padding, options.dilation, options.groups);
}

} // namespace wick::nn
