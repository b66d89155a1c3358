// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/activation.hpp
/// The activations of wick/ops.hpp as modules.
#ifndef WICK_NN_ACTIVATION_HPP
#define WICK_NN_ACTIVATION_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

class WICK_API ReLU : public Module {
  public:
    Tensor forward(const Tensor &x) override;
};

class WICK_API Sigmoid : public Module {
  public:
    Tensor forward(const Tensor &x) override;
};

class WICK_API Tanh : public Module {
  public:
    Tensor forward(const Tensor &x) override;
};

struct LeakyReLUOptions {
    double negative_slope = 0.01;
    WICK_OPTIONS(negative_slope)
};

class WICK_API LeakyReLU : public Configured<LeakyReLUOptions> {
  public:
    explicit LeakyReLU(LeakyReLUOptions given = {});
    WICK_POSITIONAL(LeakyReLU, 1)
    Tensor forward(const Tensor &x) override;
};

struct GELUOptions {
    std::string approximate = "none"; ///< or "tanh"
    WICK_OPTIONS(approximate)
};

class WICK_API GELU : public Configured<GELUOptions> {
  public:
    explicit GELU(GELUOptions given = {});
    WICK_POSITIONAL(GELU, 1)
    Tensor forward(const Tensor &x) override;
};

struct SoftplusOptions {
    double beta = 1;
    double threshold = 20; ///< linear where beta x is larger
    WICK_OPTIONS(beta, threshold)
};

class WICK_API Softplus : public Configured<SoftplusOptions> {
  public:
    explicit Softplus(SoftplusOptions given = {});
    WICK_POSITIONAL(Softplus, 2)
    Tensor forward(const Tensor &x) override;
};

struct SoftmaxOptions {
    Required<int32_t> dim;
    WICK_OPTIONS(dim)
};

class WICK_API Softmax : public Configured<SoftmaxOptions> {
  public:
    explicit Softmax(SoftmaxOptions given);
    WICK_POSITIONAL(Softmax, 1)
    Tensor forward(const Tensor &x) override;
};

class WICK_API LogSoftmax : public Configured<SoftmaxOptions> {
  public:
    explicit LogSoftmax(SoftmaxOptions given);
    WICK_POSITIONAL(LogSoftmax, 1)
    Tensor forward(const Tensor &x) override;
};

} // namespace wick::nn
#endif
