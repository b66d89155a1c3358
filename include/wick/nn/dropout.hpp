// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/dropout.hpp
#ifndef WICK_NN_DROPOUT_HPP
#define WICK_NN_DROPOUT_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct DropoutOptions {
    double p = 0.5;
    WICK_OPTIONS(p)
};

/// In training zeroes each element with probability p and scales the others by 1 / (1 - p).
class WICK_API Dropout : public Configured<DropoutOptions> {
  public:
    explicit Dropout(DropoutOptions given = {});
    WICK_POSITIONAL(Dropout, 1)
    Tensor forward(const Tensor &x) override;
};

} // namespace wick::nn
#endif
