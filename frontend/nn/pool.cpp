// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/pool.hpp"
#include "wick/ops.hpp"

namespace wick {
void store(Value *results, ValuesIndices &&r) { results[0] = box(r.values), results[1] = box(r.indices); }
} // namespace wick

namespace wick::nn {

namespace {
template <size_t N> constexpr const char *max_name = N == 1 ? "MaxPool1d" : N == 2 ? "MaxPool2d" : "MaxPool3d";
template <size_t N> constexpr const char *avg_name = N == 1 ? "AvgPool1d" : N == 2 ? "AvgPool2d" : "AvgPool3d";

template <class O> Sizes stride_of(const O &options) { return options.stride ? Sizes(*options.stride) : Sizes(); }
} // namespace

template <size_t N>
MaxPoolNd<N>::MaxPoolNd(MaxPoolOptions<N> given) : Configured<MaxPoolOptions<N>>(max_name<N>, std::move(given)) {}

template <size_t N> Tensor MaxPoolNd<N>::forward(const Tensor &x) {
    const MaxPoolOptions<N> &o = this->options;
    const PerDim<N> &kernel = o.kernel_size;
    if constexpr (N == 1) return max_pool1d(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
    if constexpr (N == 2) return max_pool2d(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
    if constexpr (N == 3) return max_pool3d(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
}

template <size_t N> ValuesIndices MaxPoolNd<N>::forward_with_indices(const Tensor &x) {
    const MaxPoolOptions<N> &o = this->options;
    const PerDim<N> &kernel = o.kernel_size;
    if constexpr (N == 1) return max_pool1d_with_indices(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
    if constexpr (N == 2) return max_pool2d_with_indices(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
    if constexpr (N == 3) return max_pool3d_with_indices(x, kernel, stride_of(o), o.padding, o.dilation, o.ceil_mode);
}

template <size_t N>
AvgPoolNd<N>::AvgPoolNd(AvgPoolOptions<N> given) : Configured<AvgPoolOptions<N>>(avg_name<N>, std::move(given)) {}

template <size_t N> Tensor AvgPoolNd<N>::forward(const Tensor &x) {
    const AvgPoolOptions<N> &o = this->options;
    const PerDim<N> &kernel = o.kernel_size;
    if constexpr (N == 1) return avg_pool1d(x, kernel, stride_of(o), o.padding, o.ceil_mode, o.count_include_pad);
    if constexpr (N == 2)
        return avg_pool2d(x, kernel, stride_of(o), o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override);
    if constexpr (N == 3)
        return avg_pool3d(x, kernel, stride_of(o), o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override);
}

template class MaxPoolNd<1>;
template class MaxPoolNd<2>;
template class MaxPoolNd<3>;
template class AvgPoolNd<1>;
template class AvgPoolNd<2>;
template class AvgPoolNd<3>;

} // namespace wick::nn
