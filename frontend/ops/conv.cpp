// SPDX-License-Identifier: BSD-3-Clause
// A convolution is linear in its input and in its weight, so that it and its two gradients are each other's gradients.
#include "expr/sizes.h"
#include "ops/op.hpp"

namespace wick {

namespace {
template <size_t N> struct Kernels;
WICK_KERNELS(Kernels, conv, 1)
WICK_KERNELS(Kernels, conv, 2)
WICK_KERNELS(Kernels, conv, 3)

constexpr THTensor **UNWANTED = nullptr;

template <size_t N> struct Convolution {
    using K = Kernels<N>;
    THNNConv c{{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};

    Convolution(PerDim<N> stride, PerDim<N> padding, PerDim<N> dilation, int64_t groups) {
        to_last(c.stride, stride);
        to_last(c.padding, padding);
        to_last(c.dilation, dilation);
        c.groups = groups;
    }

    Tensor forward(const Tensor &x, const Tensor &weight, const Tensor &bias) const {
        Tensor y = call<K::forward>(x, weight, bias, &c);
        if (!recording(x, weight, bias)) return y;
        const Saved sx(x), sw(weight);
        return record(K::name, y, wrt(x, [=, *this](const Tensor &g) { return backward_input(g, sx, sw); }),
                      wrt(weight, [=, *this](const Tensor &g) { return backward_weight(g, sx, sw); }),
                      wrt(bias, [](const Tensor &g) { return sum(g, all_but_channels(g)); }));
    }

    /// x and weight lend their sizes alone where they are what the gradient is for.
    Tensor backward_input(const Tensor &g, const Tensor &x, const Tensor &weight) const {
        Tensor y = call<K::backward>(UNWANTED, UNWANTED, g, x, weight, &c);
        if (!recording(g, weight)) return y;
        const Saved sg(g), sw(weight);
        return record(K::back, y, wrt(g, [=, *this](const Tensor &gg) { return forward(gg, sw, {}); }),
                      wrt(weight, [=, *this](const Tensor &gg) { return backward_weight(sg, gg, sw); }));
    }

    Tensor backward_weight(const Tensor &g, const Tensor &x, const Tensor &weight) const {
        Out out;
        call_rest<K::backward>(&out.th, UNWANTED, g, x, weight, &c);
        Tensor y = out.take();
        if (!recording(g, x)) return y;
        const Saved sg(g), sx(x);
        return record(K::back, y, wrt(g, [=, *this](const Tensor &gg) { return forward(sx, gg, {}); }),
                      wrt(x, [=, *this](const Tensor &gg) { return backward_input(sg, sx, gg); }));
    }

    static std::vector<int32_t> all_but_channels(const Tensor &g) {
        std::vector<int32_t> dims;
        for (int32_t d = 0; d < g.dim(); d++)
            if (d != g.dim() - static_cast<int32_t>(N) - 1) dims.push_back(d);
        return dims;
    }
};

/// Padding by name. "same" with an odd number of zeros pads one too many in front, whose window goes.
template <size_t N>
Tensor conv_named(const Tensor &x, const Tensor &weight, const Tensor &bias, PerDim<N> stride, std::string_view padding,
                  PerDim<N> dilation, int64_t groups) {
    const int32_t n = static_cast<int32_t>(N);
    PerDim<N> zeros = 0, odd = 0;
    if (padding != "valid" && padding != "same")
        fail(TH_E_ARG, "%s: got padding '%.*s', want 'same', 'valid' or numbers", Kernels<N>::name,
             static_cast<int>(padding.size()), padding.data());
    for (int32_t d = 0; padding == "same" && d < n && weight.dim() == n + 2; d++) {
        if (stride.v[d] != 1)
            fail(TH_E_ARG, "%s: got stride %lld with padding 'same', want 1", Kernels<N>::name,
                 static_cast<long long>(stride.v[d]));
        int64_t all = th_size_mul(dilation.v[d], weight.size(2 + d) - 1);
        zeros.v[d] = all / 2 + all % 2;
        odd.v[d] = all % 2;
    }
    Tensor y = Convolution<N>(stride, zeros, dilation, groups).forward(x, weight, bias);
    for (int32_t d = 0; d < n; d++)
        if (odd.v[d]) y = narrow(y, d - n, 1, y.size(d - n) - 1);
    return y;
}
} // namespace

#define WICK_CONV(N)                                                                                                   \
    Tensor conv##N##d(const Tensor &x, const Tensor &weight, const Tensor &bias, PerDim<N> stride, PerDim<N> padding,  \
                      PerDim<N> dilation, int64_t groups) {                                                            \
        return Convolution<N>(stride, padding, dilation, groups).forward(x, weight, bias);                             \
    }
#define WICK_CONV_NAMED(N)                                                                                             \
    Tensor conv##N##d(const Tensor &x, const Tensor &weight, const Tensor &bias, PerDim<N> stride, Text padding,       \
                      PerDim<N> dilation, int64_t groups) {                                                            \
        return conv_named<N>(x, weight, bias, stride, padding.v, dilation, groups);                                    \
    }
WICK_CONV(1)
WICK_CONV(2)
WICK_CONV(3)
WICK_CONV_NAMED(1)
WICK_CONV_NAMED(2)
WICK_CONV_NAMED(3)

} // namespace wick
