// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"

namespace wick {

namespace {
template <size_t N> struct Max;
WICK_KERNELS(Max, max_pool, 1)
WICK_KERNELS(Max, max_pool, 2)
WICK_KERNELS(Max, max_pool, 3)
template <size_t N> struct Avg;
WICK_KERNELS(Avg, avg_pool, 1)
WICK_KERNELS(Avg, avg_pool, 2)
WICK_KERNELS(Avg, avg_pool, 3)

template <size_t N>
THNNPool geometry(const char *fn, PerDim<N> kernel, Sizes stride, PerDim<N> padding, PerDim<N> dilation,
                  bool ceil_mode) {
    THNNPool p{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 0, ceil_mode, 0};
    if (stride.size() > 1 && stride.size() != N)
        fail(TH_E_ARG, "%s: got %zu values for stride, want 1 or %zu", fn, stride.size(), N);
    PerDim<N> steps = stride.empty() ? kernel : PerDim<N>(stride.front());
    if (stride.size() == N) std::copy(stride.begin(), stride.end(), steps.v);
    to_last(p.kernel, kernel);
    to_last(p.stride, steps);
    to_last(p.padding, padding);
    to_last(p.dilation, dilation);
    return p;
}

/// Adds g to zeros at the indices; its gradient picks at them.
template <size_t N> Tensor max_backward(const Tensor &g, const Tensor &indices, const std::vector<int64_t> &x_sizes) {
    Tensor y = call<Max<N>::backward>(g, indices, x_sizes.data(), length(x_sizes));
    if (!recording(g)) return y;
    return record(Max<N>::back, y, wrt(g, [=](const Tensor &gg) {
                      const int32_t first = -static_cast<int32_t>(N);
                      return reshape(gather(flatten(gg, first), -1, flatten(indices, first)), indices.sizes());
                  }));
}

template <size_t N> ValuesIndices max_with_indices(const Tensor &x, const THNNPool &p) {
    Out positions;
    Tensor y = call<Max<N>::forward>(&positions.th, x, &p);
    Tensor indices = positions.take();
    if (recording(x))
        y = record(Max<N>::name, y,
                   wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) { return max_backward<N>(g, indices, sizes); }));
    return {y, indices};
}

template <size_t N> Tensor max_alone(const Tensor &x, const THNNPool &p) {
    if (recording(x)) return max_with_indices<N>(x, p).values;
    return call<Max<N>::forward>(static_cast<THTensor **>(nullptr), x, &p);
}

template <size_t N> struct AvgPool {
    THNNPool p;

    Tensor forward(const Tensor &x) const {
        Tensor y = call<Avg<N>::forward>(x, &p);
        if (!recording(x)) return y;
        return record(Avg<N>::name, y,
                      wrt(x, [*this, sizes = sizes_of(x)](const Tensor &g) { return backward(g, sizes); }));
    }
    Tensor backward(const Tensor &g, const std::vector<int64_t> &x_sizes) const {
        Tensor y = call<Avg<N>::backward>(g, x_sizes.data(), length(x_sizes), &p);
        if (!recording(g)) return y;
        return record(Avg<N>::back, y, wrt(g, [*this](const Tensor &gg) { return forward(gg); }));
    }
};

template <size_t N>
Tensor average(const Tensor &x, PerDim<N> kernel, Sizes stride, PerDim<N> padding, bool ceil_mode,
               bool count_include_pad, std::optional<int64_t> divisor) {
    THNNPool p = geometry<N>(Avg<N>::name, kernel, stride, padding, 1, ceil_mode);
    p.count_include_pad = count_include_pad;
    if (divisor == 0) fail(TH_E_ARG, "%s: got divisor_override 0, want another number", Avg<N>::name);
    p.divisor = divisor.value_or(0);
    return AvgPool<N>{p}.forward(x);
}
} // namespace

#define WICK_MAX(N)                                                                                                    \
    Tensor max_pool##N##d(const Tensor &x, PerDim<N> kernel, Sizes stride, PerDim<N> padding, PerDim<N> dilation,      \
                          bool ceil_mode) {                                                                            \
        return max_alone<N>(x, geometry<N>(Max<N>::name, kernel, stride, padding, dilation, ceil_mode));               \
    }
#define WICK_MAX_WITH_INDICES(N)                                                                                       \
    ValuesIndices max_pool##N##d_with_indices(const Tensor &x, PerDim<N> kernel, Sizes stride, PerDim<N> padding,      \
                                              PerDim<N> dilation, bool ceil_mode) {                                    \
        return max_with_indices<N>(x, geometry<N>(Max<N>::name, kernel, stride, padding, dilation, ceil_mode));        \
    }
WICK_MAX(1)
WICK_MAX(2)
WICK_MAX(3)
WICK_MAX_WITH_INDICES(1)
WICK_MAX_WITH_INDICES(2)
WICK_MAX_WITH_INDICES(3)

Tensor avg_pool1d(const Tensor &x, Single kernel, Sizes stride, Single padding, bool ceil_mode,
                  bool count_include_pad) {
    return average<1>(x, kernel, stride, padding, ceil_mode, count_include_pad, {});
}
Tensor avg_pool2d(const Tensor &x, Pair kernel, Sizes stride, Pair padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
    return average<2>(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override);
}
Tensor avg_pool3d(const Tensor &x, Triple kernel, Sizes stride, Triple padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
    return average<3>(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

} // namespace wick
