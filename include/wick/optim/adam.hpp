// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/optim/adam.hpp
/// Adam and AdamW.
#ifndef WICK_OPTIM_ADAM_HPP
#define WICK_OPTIM_ADAM_HPP

#include "wick/optim/optimizer.hpp"

namespace wick::optim {

struct AdamOptions {
    double lr = 1e-3;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    double weight_decay = 0;
    bool amsgrad = false;
    WICK_OPTIONS(lr, betas, eps, weight_decay, amsgrad)
};

struct AdamWOptions : AdamOptions {
    AdamWOptions() { weight_decay = 1e-2; }
};

struct AdamState {
    int64_t step = 0;
    Tensor exp_avg = {}, exp_avg_sq = {}, max_exp_avg_sq = {};
    WICK_OPTIONS(step, exp_avg, exp_avg_sq, max_exp_avg_sq)
};

} // namespace wick::optim
#endif
