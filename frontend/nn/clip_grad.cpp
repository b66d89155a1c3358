// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/clip_grad.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <cmath>

namespace wick::nn::utils {

namespace {

std::vector<Tensor> gradients(ListView<Tensor> parameters) {
    std::vector<Tensor> out;
    for (const Tensor &p : parameters)
        if (Tensor g = p.grad(); g.defined()) out.push_back(g.detach());
    return out;
}

Tensor norm(const Tensor &x, double p) {
    if (x.numel() == 0) return zeros({}, x.dtype());
    if (std::isinf(p)) return max(abs(x));
    if (p == 2) return sqrt(sum(square(x)));
    return pow(sum(pow(abs(x), p)), 1 / p);
}

} // namespace

Tensor clip_grad_norm_(ListView<Tensor> parameters, double max_norm, double norm_type, bool error_if_nonfinite) {
    if (!(norm_type > 0))
        throw Error(TH_E_ARG, "clip_grad_norm_: got norm_type " + std::to_string(norm_type) + ", want above 0");
    NoGrad no_grad;
    std::vector<Tensor> grads = gradients(parameters);
    if (grads.empty()) return zeros({});
    std::vector<Tensor> norms;
    for (const Tensor &g : grads) norms.push_back(norm(g, norm_type));
    Tensor total = norm(stack(norms), norm_type);
    double value = total.item<double>();
    if (error_if_nonfinite && !std::isfinite(value))
        throw Error(TH_E_ARG,
                    "clip_grad_norm_: got gradients of norm " + std::to_string(value) + ", want a finite norm");
    double scale = max_norm / (value + 1e-6);
    if (!(scale >= 1)) // NaN too: it must reach the parameters
        for (Tensor &g : grads) g.mul_(scale);
    return total;
}

void clip_grad_value_(ListView<Tensor> parameters, double clip_value) {
    if (!(clip_value >= 0))
        throw Error(TH_E_ARG, "clip_grad_value_: got " + std::to_string(clip_value) + ", want at least 0");
    NoGrad no_grad;
    Tensor low(-clip_value), high(clip_value);
    for (const Tensor &g : gradients(parameters)) {
        THTensor *out = g.th();
        check(TH_clamp(&out, out, low.th(), high.th()));
    }
}

} // namespace wick::nn::utils
