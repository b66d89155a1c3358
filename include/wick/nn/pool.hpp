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
extern template class MaxPoolNd<1>;
extern template class MaxPoolNd<2>;
extern template class MaxPoolNd<3>;
class WICK_API MaxPool1d : public MaxPoolNd<1> {
  public:
    using MaxPoolNd::MaxPoolNd;
    WICK_POSITIONAL(MaxPool1d, 4)
};
class WICK_API MaxPool2d : public MaxPoolNd<2> {
  public:
    using MaxPoolNd::MaxPoolNd;
    WICK_POSITIONAL(MaxPool2d, 4)
};
class WICK_API MaxPool3d : public MaxPoolNd<3> {
  public:
    using MaxPoolNd::MaxPoolNd;
    WICK_POSITIONAL(MaxPool3d, 4)
};
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
extern template class AvgPoolNd<1>;
extern template class AvgPoolNd<2>;
extern template class AvgPoolNd<3>;
class WICK_API AvgPool1d : public AvgPoolNd<1> {
  public:
    using AvgPoolNd::AvgPoolNd;
    WICK_POSITIONAL(AvgPool1d, 5)
};
class WICK_API AvgPool2d : public AvgPoolNd<2> {
  public:
    using AvgPoolNd::AvgPoolNd;
    WICK_POSITIONAL(AvgPool2d, 6)
};
class WICK_API AvgPool3d : public AvgPoolNd<3> {
  public:
    using AvgPoolNd::AvgPoolNd;
    WICK_POSITIONAL(AvgPool3d, 6)
};
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

} // namespace wick::nn
#endif
