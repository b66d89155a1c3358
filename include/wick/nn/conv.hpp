// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/conv.hpp
#ifndef WICK_NN_CONV_HPP
#define WICK_NN_CONV_HPP

#include "wick/nn/module.hpp"

namespace wick {

namespace nn {

/// Zeros on both sides of each dimension, as numbers or as "same" or "valid".
template <size_t N> struct ConvPadding {
    template <std::convertible_to<int64_t>... I>
    requires std::constructible_from<PerDim<N>, I...>
    constexpr ConvPadding(I... each) : zeros(each...) {}
    ConvPadding(const PerDim<N> &each) : zeros(each) {}
    template <std::convertible_to<std::string_view> T> ConvPadding(const T &text) : zeros(0), name(text) {}
    PerDim<N> zeros;
    std::string name; ///< empty: the zeros count
    friend std::string literal(const ConvPadding &p) {
        return p.name.empty() ? wick::literal(p.zeros) : wick::literal(p.name);
    }
};

template <size_t N> struct ConvOptions {
    Required<int64_t> in_channels, out_channels;
    Required<PerDim<N>> kernel_size;
    PerDim<N> stride = 1;
    ConvPadding<N> padding = 0;
    PerDim<N> dilation = 1;
    int64_t groups = 1;
    bool bias = true;
    WICK_OPTIONS(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
};

/// Convolution over N dimensions, of [N, C, ...] or [C, ...].
template <size_t N> class WICK_API ConvNd : public Configured<ConvOptions<N>> {
  public:
    explicit ConvNd(ConvOptions<N> given);
    Tensor forward(const Tensor &x) override;
    Parameter weight; ///< [out_channels, in_channels / groups, kernel_size ...]
    Parameter bias;   ///< [out_channels], or undefined
    WICK_FIELDS(weight, bias)
};
WICK_DIMENSIONS(Conv, 1, 8)
WICK_DIMENSIONS(Conv, 2, 8)
WICK_DIMENSIONS(Conv, 3, 8)
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

} // namespace nn

template <size_t N> struct Unbox<nn::ConvPadding<N>> {
    static nn::ConvPadding<N> get(const Value &v) {
        if (v.tag == WICK_TAG_STR || v.tag == WICK_TAG_STRING) return unbox<std::string_view>(v);
        return unbox<PerDim<N>>(v);
    }
    static std::string type() { return "any"; }
};

} // namespace wick
#endif
