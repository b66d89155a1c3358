// SPDX-License-Identifier: BSD-3-Clause
#include "ops/derivative.hpp"

namespace wick {

namespace {
/// [C] as [1, C, 1, ...], to broadcast against x.
Tensor per_channel(const Tensor &t, const Tensor &x) {
    std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
    sizes[1] = x.size(1);
    return reshape(t, sizes);
}

std::vector<int32_t> all_but_channel(const Tensor &x) {
    std::vector<int32_t> dims;
    for (int32_t d = 0; d < x.dim(); d++)
        if (d != 1) dims.push_back(d);
    return dims;
}

struct BatchNorm {
    bool training;
    double eps;

    /// The same gradients out of differentiable ops, for when they are differentiated themselves; in float64, as the
    /// kernels sum.
    void composed(const Tensor &g, const Tensor &x, const Tensor &weight, const Tensor &mean_, const Tensor &invstd_,
                  std::span<Tensor> out) const {
        std::vector<int32_t> dims = all_but_channel(x);
        Tensor wide = x.to(kFLOAT64), d = training ? centered(wide, dims) : wide - per_channel(mean_, x);
        Tensor inv = training ? rsqrt(mean(square(d), dims, true) + eps) : per_channel(invstd_, x).to(kFLOAT64);
        Tensor normal = d * inv, gw = weight.defined() ? g * per_channel(weight, x).to(kFLOAT64) : g.to(kFLOAT64);
        out[0] = training ? inv * (centered(gw, dims) - normal * mean(gw * normal, dims, true)) : gw * inv;
        out[1] = sum(g * normal, dims);
        out[2] = sum(g, dims);
    }

    void kernel(const Tensor &g, const Tensor &x, const Tensor &weight, const Tensor &mean_, const Tensor &invstd_,
                std::span<Tensor> out) const {
        Out gw, gb;
        out[0] = call<THNN_batch_norm_backward>(weight.defined() ? &gw.th : nullptr, &gb.th, g, x, weight, mean_,
                                                invstd_, training);
        out[1] = gw.take();
        out[2] = gb.take();
    }
};
} // namespace

Tensor batch_norm(const Tensor &x, const Tensor &running_mean, const Tensor &running_var, const Tensor &weight,
                  const Tensor &bias, bool training, double momentum, double eps) {
    Out save_mean, save_invstd;
    Tensor y = call<THNN_batch_norm>(&save_mean.th, &save_invstd.th, x, weight, bias, Changed{running_mean},
                                     Changed{running_var}, training, momentum, eps);
    Tensor mean_ = save_mean.take(), invstd = save_invstd.take();
    if (!recording(x, weight, bias)) return y;
    const Tensor inputs[] = {x, weight, bias};
    const Saved sx(x), sw(weight);
    record_joint("batch_norm", {&y, 1}, inputs,
                 [=, norm = BatchNorm{training, eps}](std::span<const Tensor> g, std::span<Tensor> grads) {
                     Tensor at = sx, w = sw;
                     if (recording(g[0], at, w))
                         norm.composed(g[0], at, w, mean_, invstd, grads);
                     else
                         norm.kernel(g[0], at, w, mean_, invstd, grads);
                 });
    return y;
}

} // namespace wick
