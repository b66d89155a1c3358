// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/pool.hpp
#ifndef WICK_NN_POOL_HPP
#define WICK_NN_POOL_HPP

#include "wick/nn/module.hpp"
#include "wick/ops.hpp"

namespace wick {
WICK_API void store(Value *results, ValuesIndices &&r);
}

namespace wick::nn {

template <size_t N> struct MaxPoolOptions {
    Required<PerDim<N>> kernel_size;
    std::optional<PerDim<N>> stride = {}; ///< none: kernel_size
    PerDim<N> padding = 0;
    PerDim<N> dilation = 1;
    bool ceil_mode = false;
    WICK_OPTIONS(kernel_size, stride, padding, dilation, ceil_mode)
};

/// Pooling over N dimensions, of [N, C, ...] or [C, ...].
template <size_t N> class WICK_API MaxPoolNd : public Configured<MaxPoolOptions<N>> {
  public:
    explicit MaxPoolNd(MaxPoolOptions<N> given);
    Tensor forward(const Tensor &x) override;
    /// The same, and where in its plane each value lies, as a flat index: PyTorch's return_indices.
    ValuesIndices forward_with_indices(const Tensor &x);
};
WICK_DIMENSIONS(MaxPool, 1, 4)
WICK_DIMENSIONS(MaxPool, 2, 4)
WICK_DIMENSIONS(MaxPool, 3, 4)
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

template <size_t N> struct AvgPoolOptions {
    Required<PerDim<N>> kernel_size;
    std::optional<PerDim<N>> stride = {}; ///< none: kernel_size
    PerDim<N> padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    std::optional<int64_t> divisor_override = {};
    WICK_OPTIONS(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
};
template <> struct AvgPoolOptions<1> {
    Required<Single> kernel_size;
    std::optional<Single> stride = {}; ///< none: kernel_size
    Single padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    WICK_OPTIONS(kernel_size, stride, padding, ceil_mode, count_include_pad)
};

template <size_t N> class WICK_API AvgPoolNd : public Configured<AvgPoolOptions<N>> {
  public:
    explicit AvgPoolNd(AvgPoolOptions<N> given);
    Tensor forward(const Tensor &x) override;
};
WICK_DIMENSIONS(AvgPool, 1, 5)
WICK_DIMENSIONS(AvgPool, 2, 6)
WICK_DIMENSIONS(AvgPool, 3, 6)
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

} // namespace wick::nn
#endif
