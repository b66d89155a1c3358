// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/loss.hpp"
#include "ops/options.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

NLLLoss::NLLLoss(NLLLossOptions given) : Configured("NLLLoss", std::move(given)), weight(options.weight) {
    read_reduction("NLLLoss", options.reduction);
}

Tensor NLLLoss::forward(const Tensor &input, const Tensor &target) {
    return nll_loss(input, target, weight, options.ignore_index, options.reduction);
}

CrossEntropyLoss::CrossEntropyLoss(CrossEntropyLossOptions given)
    : Configured("CrossEntropyLoss", std::move(given)), weight(options.weight) {
    read_reduction("CrossEntropyLoss", options.reduction);
    check_part("CrossEntropyLoss", "label_smoothing", options.label_smoothing);
}

Tensor CrossEntropyLoss::forward(const Tensor &input, const Tensor &target) {
    return cross_entropy(input, target, weight, options.ignore_index, options.reduction, options.label_smoothing);
}

} // namespace wick::nn
