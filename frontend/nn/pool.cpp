// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/pool.hpp"
#include "nn/layer.hpp"

namespace wick {
void store(Value *results, ValuesIndices &&r) { results[0] = box(r.values), results[1] = box(r.indices); }
} // namespace wick

namespace wick::nn {

namespace {
template <size_t N> constexpr const char *max_name = N == 1 ? "MaxPool1d" : N == 2 ? "MaxPool2d" : "MaxPool3d";
template <size_t N> constexpr const char *avg_name = N == 1 ? "AvgPool1d" : N == 2 ? "AvgPool2d" : "AvgPool3d";

/// The one of three ops that is for N dimensions.
template <size_t N, class... F> constexpr auto pick(F... ops) { return std::get<N - 1>(std::tuple(ops...)); }
} // namespace

template <size_t N>
MaxPoolNd<N>::MaxPoolNd(MaxPoolOptions<N> given) : Configured<MaxPoolOptions<N>>(max_name<N>, std::move(given)) {}

template <size_t N> Tensor MaxPoolNd<N>::forward(const Tensor &x) {
    return applied(pick<N>(max_pool1d, max_pool2d, max_pool3d), x, this->options);
}

template <size_t N> ValuesIndices MaxPoolNd<N>::forward_with_indices(const Tensor &x) {
    const auto op = pick<N>(max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices);
    return applied(op, x, this->options);
}

template <size_t N>
AvgPoolNd<N>::AvgPoolNd(AvgPoolOptions<N> given) : Configured<AvgPoolOptions<N>>(avg_name<N>, std::move(given)) {}

template <size_t N> Tensor AvgPoolNd<N>::forward(const Tensor &x) {
    return applied(pick<N>(avg_pool1d, avg_pool2d, avg_pool3d), x, this->options);
}

template class MaxPoolNd<1>;
template class MaxPoolNd<2>;
template class MaxPoolNd<3>;
template class AvgPoolNd<1>;
template class AvgPoolNd<2>;
template class AvgPoolNd<3>;

} // namespace wick::nn
