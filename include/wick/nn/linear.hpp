// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/linear.hpp
#ifndef WICK_NN_LINEAR_HPP
#define WICK_NN_LINEAR_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct LinearOptions {
    Required<int64_t> in_features, out_features;
    bool bias = true;
    WICK_OPTIONS(in_features, out_features, bias)
};

/// x weight^T + bias over the last dimension.
class WICK_API Linear : public Configured<LinearOptions> {
  public:
    explicit Linear(LinearOptions given);
    WICK_POSITIONAL(Linear, 3)
    Tensor forward(const Tensor &x) override;
    Parameter weight; ///< [out_features, in_features]
    Parameter bias;   ///< [out_features], or undefined
    WICK_FIELDS(weight, bias)
};

} // namespace wick::nn
#endif
