// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/norm.hpp"
#include "nn/layer.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

namespace {
template <size_t N> constexpr const char *name = N == 1 ? "BatchNorm1d" : N == 2 ? "BatchNorm2d" : "BatchNorm3d";
} // namespace

template <size_t N> BatchNormNd<N>::BatchNormNd(BatchNormOptions given) : Configured(name<N>, std::move(given)) {
    int64_t c = positive(name<N>, "num_features", options.num_features);
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

template <size_t N> Tensor BatchNormNd<N>::forward(const Tensor &x) {
    if (x.dim() != N + 2 && (N > 1 || x.dim() != 2))
        throw Error(TH_E_SHAPE, std::string(name<N>) + ": got " + x.describe() + ", want " + (N == 1 ? "2 or " : "") +
                                    std::to_string(N + 2) + " dimensions");
    bool tracks = running_mean.defined();
    const bool counts = is_training() && tracks;
    double momentum = options.momentum.value_or(0);
    if (counts && !options.momentum) momentum = 1 / (num_batches_tracked.item<double>() + 1);
    Tensor y = batch_norm(x, running_mean, running_var, weight, bias, is_training() || !tracks, momentum, options.eps);
    if (counts) num_batches_tracked.add_(1); // a batch that was refused does not count
    return y;
}

template class BatchNormNd<1>;
template class BatchNormNd<2>;
template class BatchNormNd<3>;

} // namespace wick::nn
