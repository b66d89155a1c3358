// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/conv.hpp"
#include "nn/layer.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

namespace {
template <size_t N> constexpr const char *name = N == 1 ? "Conv1d" : N == 2 ? "Conv2d" : "Conv3d";

template <size_t N, class... A> Tensor convolve(const A &...a) {
    if constexpr (N == 1)
        return conv1d(a...);
    else if constexpr (N == 2)
        return conv2d(a...);
    else
        return conv3d(a...);
}
} // namespace

template <size_t N> ConvNd<N>::ConvNd(ConvOptions<N> given) : Configured<ConvOptions<N>>(name<N>, std::move(given)) {
    const ConvOptions<N> &o = this->options;
    int64_t in = positive(name<N>, "in_channels", o.in_channels);
    int64_t out = positive(name<N>, "out_channels", o.out_channels);
    int64_t groups = positive(name<N>, "groups", o.groups);
    const std::string &padding = o.padding.name;
    std::vector<int64_t> sizes{out, in / groups};
    for (int64_t k : o.kernel_size.get().v) sizes.push_back(positive(name<N>, "kernel_size", k));
    if (in % groups || out % groups)
        throw Error(TH_E_ARG, std::string(name<N>) + ": got " + std::to_string(in) + " and " + std::to_string(out) +
                                  " channels in " + std::to_string(groups) + " groups, want multiples of the groups");
    if (!padding.empty() && padding != "same" && padding != "valid")
        throw Error(TH_E_ARG,
                    std::string(name<N>) + ": got padding " + literal(padding) + ", want 'same', 'valid' or numbers");
    weight = Parameter(wick::empty(sizes)); // not std::empty
    if (o.bias) bias = Parameter(empty({out}));
    reset_parameters(weight, bias);
}

template <size_t N> Tensor ConvNd<N>::forward(const Tensor &x) {
    const ConvOptions<N> &o = this->options;
    if (!o.padding.name.empty())
        return convolve<N>(x, weight, bias, o.stride, Text(o.padding.name), o.dilation, o.groups);
    return convolve<N>(x, weight, bias, o.stride, o.padding.zeros, o.dilation, o.groups);
}

template class ConvNd<1>;
template class ConvNd<2>;
template class ConvNd<3>;

} // namespace wick::nn
