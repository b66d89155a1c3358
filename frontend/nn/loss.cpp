// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/loss.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

namespace {

void check_reduction(const char *what, const std::string &reduction) {
    if (reduction != "mean" && reduction != "sum" && reduction != "none")
        throw Error(TH_E_ARG,
                    std::string(what) + ": got reduction " + literal(reduction) + ", want 'mean', 'sum' or 'none'");
}

} // namespace

NLLLoss::NLLLoss(NLLLossOptions given) : Configured("NLLLoss", std::move(given)), weight(options.weight) {
    check_reduction("NLLLoss", options.reduction);
}

Tensor NLLLoss::forward(const Tensor &input, const Tensor &target) {
    return nll_loss(input, target, weight, options.ignore_index, options.reduction);
}

CrossEntropyLoss::CrossEntropyLoss(CrossEntropyLossOptions given)
    : Configured("CrossEntropyLoss", std::move(given)), weight(options.weight) {
    check_reduction("CrossEntropyLoss", options.reduction);
    if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
        throw Error(TH_E_ARG,
                    "CrossEntropyLoss: got label_smoothing " + literal(options.label_smoothing) + ", want 0 to 1");
}

Tensor CrossEntropyLoss::forward(const Tensor &input, const Tensor &target) {
    return cross_entropy(input, target, weight, options.ignore_index, options.reduction, options.label_smoothing);
}

} // namespace wick::nn
