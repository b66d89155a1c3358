// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/dropout.hpp"
#include "ops/options.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Dropout::Dropout(DropoutOptions given) : Configured("Dropout", std::move(given)) {
    check_part("Dropout", "p", options.p);
}

Tensor Dropout::forward(const Tensor &x) { return dropout(x, options.p, is_training()); }

} // namespace wick::nn
