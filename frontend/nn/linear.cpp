// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/linear.hpp"
#include "nn/layer.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Linear::Linear(LinearOptions given) : Configured("Linear", std::move(given)) {
    int64_t in = positive("Linear", "in_features", options.in_features);
    int64_t out = positive("Linear", "out_features", options.out_features);
    weight = Parameter(empty({out, in}));
    if (options.bias) bias = Parameter(empty({out}));
    reset_parameters(weight, bias);
}

Tensor Linear::forward(const Tensor &x) { return linear(x, weight, bias); }

} // namespace wick::nn
