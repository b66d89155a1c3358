// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/dropout.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Dropout::Dropout(DropoutOptions given) : Configured("Dropout", std::move(given)) {
    if (!(options.p >= 0 && options.p <= 1))
        throw Error(TH_E_ARG, "Dropout: got p " + literal(options.p) + ", want 0 to 1");
}

Tensor Dropout::forward(const Tensor &x) { return dropout(x, options.p, is_training()); }

} // namespace wick::nn
