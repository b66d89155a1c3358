// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/optim/sgd.hpp
/// Stochastic gradient descent with momentum.
#ifndef WICK_OPTIM_SGD_HPP
#define WICK_OPTIM_SGD_HPP

#include "wick/optim/optimizer.hpp"

namespace wick::optim {

struct SGDOptions {
    double lr = 1e-3;
    double momentum = 0;
    double dampening = 0;
    double weight_decay = 0;
    bool nesterov = false;
    WICK_OPTIONS(lr, momentum, dampening, weight_decay, nesterov)
};

struct SGDState {
    Tensor momentum_buffer = {};
    WICK_OPTIONS(momentum_buffer)
};

/// g = grad + weight_decay p;  buf = momentum buf + (1 - dampening) g, at first buf = g;  p -= lr buf, or lr (g +
/// momentum buf) with nesterov, or lr g without momentum. (The form of torch.optim.SGD's documentation.)
class WICK_API SGD final : public OptimizerOf<SGDOptions, SGDState> {
  public:
    explicit SGD(std::vector<Tensor> params, SGDOptions options = {});

  private:
    void check_options(const SGDOptions &options) const override;
    bool prepare(SGDState &state, const Tensor &p, const SGDOptions &options) const override;
    std::vector<Tensor> numbers(const SGDOptions &options) const override;
    void update(const Update &u) const override;
};

} // namespace wick::optim
#endif
