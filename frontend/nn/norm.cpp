// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/norm.hpp"
#include "nn/layer.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

BatchNorm2d::BatchNorm2d(BatchNorm2dOptions given) : Configured("BatchNorm2d", std::move(given)) {
    int64_t c = positive("BatchNorm2d", "num_features", options.num_features);
    if (options.affine) {
        weight = Parameter(ones({c}));
        bias = Parameter(zeros({c}));
    }
    if (options.track_running_stats) {
        running_mean = Buffer(zeros({c}));
        running_var = Buffer(ones({c}));
        num_batches_tracked = Buffer(zeros({}, kINT64));
    }
}

Tensor BatchNorm2d::forward(const Tensor &x) {
    if (x.dim() != 4) throw Error(TH_E_SHAPE, "BatchNorm2d: got " + x.describe() + ", want 4 dimensions");
    bool tracks = running_mean.defined();
    double momentum = options.momentum.value_or(0);
    if (is_training() && tracks) {
        num_batches_tracked.add_(1);
        if (!options.momentum) momentum = 1 / num_batches_tracked.item<double>();
    }
    return batch_norm(x, running_mean, running_var, weight, bias, is_training() || !tracks, momentum, options.eps);
}

} // namespace wick::nn
