// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/norm.hpp
#ifndef WICK_NN_NORM_HPP
#define WICK_NN_NORM_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct BatchNorm2dOptions {
    Required<int64_t> num_features;
    double eps = 1e-5;
    std::optional<double> momentum = 0.1; ///< none: running statistics are averages over all batches
    bool affine = true;
    bool track_running_stats = true;
    WICK_OPTIONS(num_features, eps, momentum, affine, track_running_stats)
};

/// Batch normalisation of [N, C, H, W] (Ioffe and Szegedy, arXiv:1502.03167): by the batch's statistics in training or
/// without running ones, else by the running ones.
class WICK_API BatchNorm2d : public Configured<BatchNorm2dOptions> {
  public:
    explicit BatchNorm2d(BatchNorm2dOptions given);
    WICK_POSITIONAL(BatchNorm2d, 5)
    Tensor forward(const Tensor &x) override;
    Parameter weight, bias;                                ///< [C], undefined without affine
    Buffer running_mean, running_var, num_batches_tracked; ///< [C], [C], []; undefined without track_running_stats
    WICK_FIELDS(weight, bias, running_mean, running_var, num_batches_tracked)
};

} // namespace wick::nn
#endif
