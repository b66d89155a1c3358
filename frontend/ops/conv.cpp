// SPDX-License-Identifier: BSD-3-Clause
// A convolution is linear in its input and in its weight, so the three kernels are each other's gradients.
#include "ops/op.hpp"

namespace wick {

namespace {
THNNConv2d geometry(Sizes stride, Sizes padding, Sizes dilation, int64_t groups) {
    THNNConv2d c{};
    to_pair(c.stride, "conv2d", "stride", stride);
    to_pair(c.padding, "conv2d", "padding", padding);
    to_pair(c.dilation, "conv2d", "dilation", dilation);
    c.groups = groups;
    return c;
}

struct Conv2d {
    THNNConv2d c;

    Tensor forward(const Tensor &x, const Tensor &weight, const Tensor &bias) const {
        Tensor y = call<THNN_conv2d>(x, weight, bias, &c);
        if (!recording(x, weight, bias)) return y;
        const Saved sx(x), sw(weight);
        return record("conv2d", y,
                      wrt(x, [=, *this](const Tensor &g) { return backward_input(g, sw, sx.get().sizes()); }),
                      wrt(weight, [=, *this](const Tensor &g) { return backward_weight(g, sx, sw.get().sizes()); }),
                      wrt(bias, [](const Tensor &g) {
                          return sum(g, {0, 2, 3});
                      }));
    }

    Tensor backward_input(const Tensor &g, const Tensor &weight, Sizes x_sizes) const {
        Tensor y = call<THNN_conv2d_backward_input>(g, weight, x_sizes.data(), &c);
        if (!recording(g, weight)) return y;
        const Saved sg(g), sw(weight);
        return record("conv2d_backward_input", y, wrt(g, [=, *this](const Tensor &gg) { return forward(gg, sw, {}); }),
                      wrt(weight, [=, *this](const Tensor &gg) { return backward_weight(sg, gg, sw.get().sizes()); }));
    }

    Tensor backward_weight(const Tensor &g, const Tensor &x, Sizes weight_sizes) const {
        Tensor y = call<THNN_conv2d_backward_weight>(g, x, weight_sizes.data(), &c);
        if (!recording(g, x)) return y;
        const Saved sg(g), sx(x);
        return record("conv2d_backward_weight", y, wrt(g, [=, *this](const Tensor &gg) { return forward(sx, gg, {}); }),
                      wrt(x, [=, *this](const Tensor &gg) { return backward_input(sg, gg, sx.get().sizes()); }));
    }
};
} // namespace

Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias, Pair stride, Pair padding, Pair dilation,
              int64_t groups) {
    return Conv2d{geometry(stride, padding, dilation, groups)}.forward(x, weight, bias);
}

} // namespace wick
