// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/loss.hpp
/// Losses: modules of an input and a target.
#ifndef WICK_NN_LOSS_HPP
#define WICK_NN_LOSS_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

class WICK_API Loss : public Module {
  public:
    virtual Tensor forward(const Tensor &input, const Tensor &target) = 0;
    Tensor operator()(const Tensor &input, const Tensor &target) { return forward(input, target); }
    using Module::forward;
};

struct NLLLossOptions {
    Tensor weight = {}; ///< of the classes
    int64_t ignore_index = -100;
    std::string reduction = "mean"; ///< or "sum" or "none"
    WICK_OPTIONS(weight, ignore_index, reduction)
};

/// Negative log-likelihood of int64 classes under log-probabilities [N, C, ...].
class WICK_API NLLLoss : public Configured<NLLLossOptions, Loss> {
  public:
    explicit NLLLoss(NLLLossOptions given = {});
    WICK_POSITIONAL(NLLLoss, 1)
    Tensor forward(const Tensor &input, const Tensor &target) override;
    using Loss::forward;
    Buffer weight;
    WICK_FIELDS(weight)
};

struct CrossEntropyLossOptions {
    Tensor weight = {}; ///< of the classes
    int64_t ignore_index = -100;
    std::string reduction = "mean"; ///< or "sum" or "none"
    double label_smoothing = 0;
    WICK_OPTIONS(weight, ignore_index, reduction, label_smoothing)
};

/// The same under logits, with label smoothing.
class WICK_API CrossEntropyLoss : public Configured<CrossEntropyLossOptions, Loss> {
  public:
    explicit CrossEntropyLoss(CrossEntropyLossOptions given = {});
    WICK_POSITIONAL(CrossEntropyLoss, 1)
    Tensor forward(const Tensor &input, const Tensor &target) override;
    using Loss::forward;
    Buffer weight;
    WICK_FIELDS(weight)
};

} // namespace wick::nn
#endif
