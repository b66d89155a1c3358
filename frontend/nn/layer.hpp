// SPDX-License-Identifier: BSD-3-Clause
/// What the layers share.
#ifndef WICK_NN_LAYER_HPP
#define WICK_NN_LAYER_HPP

#include "wick/nn/init.hpp"
#include "wick/nn/module.hpp"
#include <cmath>

namespace wick::nn {

/// An option as an op takes it.
template <class T> const T &argument(const T &option) { return option; }
template <class T> const T &argument(const Required<T> &option) { return option; }
template <size_t N> Sizes argument(const std::optional<PerDim<N>> &option) { return option ? Sizes(*option) : Sizes(); }

/// op(x, options...) for a module whose options are the op's further arguments, all of them and in order.
template <class R, class... P, class O> R applied(R (*op)(const Tensor &, P...), const Tensor &x, const O &options) {
    return std::apply([&](const auto &...each) { return op(x, argument(each)...); }, options.option_refs());
}

/// ArgumentError unless value >= 1.
inline int64_t positive(const char *what, const char *name, int64_t value) {
    if (value >= 1) return value;
    throw Error(TH_E_ARG, std::string(what) + ": got " + name + " " + std::to_string(value) + ", want at least 1");
}

/// The defaults of PyTorch's linear and convolutional layers: weight and bias uniform within 1 / sqrt(fan_in).
inline void reset_parameters(const Tensor &weight, const Tensor &bias) {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    double bound = 1 / std::sqrt(static_cast<double>(init::fans(weight).in));
    if (bias.defined()) init::uniform_(bias, -bound, bound);
}

} // namespace wick::nn
#endif
