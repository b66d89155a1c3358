// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/optim/adam.hpp
/// Adam and AdamW.
#ifndef WICK_OPTIM_ADAM_HPP
#define WICK_OPTIM_ADAM_HPP

#include "wick/optim/optimizer.hpp"

namespace wick::optim {

struct WICK_API AdamOptions { // visible, as AdamOf<AdamOptions> is no more than its arguments
    double lr = 1e-3;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    double weight_decay = 0;
    bool amsgrad = false;
    WICK_OPTIONS(lr, betas, eps, weight_decay, amsgrad)
};

struct WICK_API AdamWOptions {
    double lr = 1e-3;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    double weight_decay = 1e-2;
    bool amsgrad = false;
    WICK_OPTIONS(lr, betas, eps, weight_decay, amsgrad)
};

struct AdamState {
    int64_t step = 0;
    Tensor exp_avg = {}, exp_avg_sq = {}, max_exp_avg_sq = {};
    WICK_OPTIONS(step, exp_avg, exp_avg_sq, max_exp_avg_sq)
};

/// What Adam and AdamW share: with g = grad (Adam: + weight_decay p; AdamW: p shrinks by lr weight_decay first),
///     m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
///     p -= lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps),
/// where amsgrad takes the largest v so far. (Kingma and Ba, arXiv:1412.6980; Loshchilov and Hutter, arXiv:1711.05101;
/// Reddi et al., arXiv:1904.09237.)
template <class O> class WICK_API AdamOf : public OptimizerOf<O, AdamState> {
  protected:
    AdamOf(const char *what, O options) : OptimizerOf<O, AdamState>(what, options), what_(what) {}

  private:
    using Update = typename OptimizerOf<O, AdamState>::Update;
    void check_options(const O &options) const override;
    bool prepare(AdamState &state, const Tensor &p, const O &options) const override;
    std::vector<Tensor> numbers(const O &options) const override;
    size_t scratch(const O &options) const override;
    void update(const Update &u) const override;
    const char *what_;
};

class WICK_API Adam final : public AdamOf<AdamOptions> {
  public:
    explicit Adam(std::vector<Tensor> params, AdamOptions options = {});
};

class WICK_API AdamW final : public AdamOf<AdamWOptions> {
  public:
    explicit AdamW(std::vector<Tensor> params, AdamWOptions options = {});
};

} // namespace wick::optim
#endif
