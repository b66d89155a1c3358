// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"

namespace wick {

namespace {
THNNPool2d geometry(const char *fn, Sizes kernel, Sizes stride, Sizes padding, Sizes dilation, bool ceil_mode,
                    bool count_include_pad) {
    THNNPool2d p{};
    to_pair(p.kernel, fn, "kernel_size", kernel);
    to_pair(p.stride, fn, "stride", stride.empty() ? kernel : stride);
    to_pair(p.padding, fn, "padding", padding);
    to_pair(p.dilation, fn, "dilation", dilation);
    p.ceil_mode = ceil_mode;
    p.count_include_pad = count_include_pad;
    return p;
}

/// Adds g to zeros at the indices; its gradient picks at them.
Tensor max_backward(const Tensor &g, const Tensor &indices, const std::vector<int64_t> &x_sizes) {
    Tensor y = call<THNN_max_pool2d_backward>(g, indices, x_sizes.data());
    if (!recording(g)) return y;
    return record("max_pool2d_backward", y, wrt(g, [=](const Tensor &gg) {
                      return reshape(gather(flatten(gg, -2), -1, flatten(indices, -2)), indices.sizes());
                  }));
}

struct AvgPool2d {
    THNNPool2d p;

    Tensor forward(const Tensor &x) const {
        Tensor y = call<THNN_avg_pool2d>(x, &p);
        if (!recording(x)) return y;
        return record("avg_pool2d", y,
                      wrt(x, [*this, sizes = sizes_of(x)](const Tensor &g) { return backward(g, sizes); }));
    }
    Tensor backward(const Tensor &g, const std::vector<int64_t> &x_sizes) const {
        Tensor y = call<THNN_avg_pool2d_backward>(g, x_sizes.data(), &p);
        if (!recording(g)) return y;
        return record("avg_pool2d_backward", y, wrt(g, [*this](const Tensor &gg) { return forward(gg); }));
    }
};
} // namespace

Tensor max_pool2d(const Tensor &x, Pair kernel, Sizes stride, Pair padding, Pair dilation, bool ceil_mode) {
    THNNPool2d p = geometry("max_pool2d", kernel, stride, padding, dilation, ceil_mode, false);
    if (!recording(x)) return call<THNN_max_pool2d>(static_cast<THTensor **>(nullptr), x, &p);
    Out positions;
    Tensor y = call<THNN_max_pool2d>(&positions.th, x, &p);
    Tensor indices = positions.take();
    return record("max_pool2d", y,
                  wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) { return max_backward(g, indices, sizes); }));
}

Tensor avg_pool2d(const Tensor &x, Pair kernel, Sizes stride, Pair padding, bool ceil_mode, bool count_include_pad) {
    return AvgPool2d{geometry("avg_pool2d", kernel, stride, padding, {1, 1}, ceil_mode, count_include_pad)}.forward(x);
}

} // namespace wick
