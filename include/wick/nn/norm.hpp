// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/norm.hpp
#ifndef WICK_NN_NORM_HPP
#define WICK_NN_NORM_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct BatchNormOptions {
    Required<int64_t> num_features;
    double eps = 1e-5;
    std::optional<double> momentum = 0.1; ///< none: running statistics are averages over all batches
    bool affine = true;
    bool track_running_stats = true;
    WICK_OPTIONS(num_features, eps, momentum, affine, track_running_stats)
};

/// Batch normalisation over N dimensions, of [N, C, ...] (Ioffe and Szegedy, arXiv:1502.03167): by the batch's
/// statistics in training or without running ones, else by the running ones. BatchNorm1d takes [N, C] too.
template <size_t N> class WICK_API BatchNormNd : public Configured<BatchNormOptions> {
  public:
    explicit BatchNormNd(BatchNormOptions given);
    Tensor forward(const Tensor &x) override;
    Parameter weight, bias;                                ///< [C], undefined without affine
    Buffer running_mean, running_var, num_batches_tracked; ///< [C], [C], []; undefined without track_running_stats
    WICK_FIELDS(weight, bias, running_mean, running_var, num_batches_tracked)
};
WICK_DIMENSIONS(BatchNorm, 1, 5)
WICK_DIMENSIONS(BatchNorm, 2, 5)
WICK_DIMENSIONS(BatchNorm, 3, 5)
using BatchNorm2dOptions = BatchNormOptions;

} // namespace wick::nn
#endif
