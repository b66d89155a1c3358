// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/shape.hpp"

namespace wick::nn {

Flatten::Flatten(FlattenOptions given) : Configured("Flatten", std::move(given)) {}
Tensor Flatten::forward(const Tensor &x) { return x.flatten(options.start_dim, options.end_dim); }

Tensor Identity::forward(const Tensor &x) { return x; }

} // namespace wick::nn
