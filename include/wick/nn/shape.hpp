// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/shape.hpp
/// Modules that compute nothing.
#ifndef WICK_NN_SHAPE_HPP
#define WICK_NN_SHAPE_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct FlattenOptions {
    int32_t start_dim = 1;
    int32_t end_dim = -1;
    WICK_OPTIONS(start_dim, end_dim)
};

/// Merges dimensions start_dim ... end_dim into one.
class WICK_API Flatten : public Configured<FlattenOptions> {
  public:
    explicit Flatten(FlattenOptions given = {});
    WICK_POSITIONAL(Flatten, 2)
    Tensor forward(const Tensor &x) override;
};

/// Hands its argument on.
class WICK_API Identity : public Module {
  public:
    Tensor forward(const Tensor &x) override;
};

} // namespace wick::nn
#endif
