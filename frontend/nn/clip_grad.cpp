// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/clip_grad.hpp"
#include "core/call.hpp"
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

/// (sum |x|^p)^(1/p): from x's own squares where none of them overflows and none that counts underflows, else in
/// float64, of elements scaled to about 1.
double norm(const Tensor &x, double p) {
    if (x.numel() == 0) return 0;
    Tensor flat = reshape(x.dtype() == kFLOAT64 ? x : x.to(kFLOAT32), {-1});
    if (p == 2) {
        // Squares that underflowed are lost in a sum of this size.
        const double least = std::ldexp(static_cast<double>(x.numel()), flat.dtype() == kFLOAT64 ? -960 : -100);
        const double sum = dot(flat, flat).item<double>();
        if (sum >= least && std::isfinite(sum)) return std::sqrt(sum);
    }
    Tensor wide = abs(flat.to(kFLOAT64));
    double largest = max(wide).item<double>();
    if (std::isinf(p) || largest == 0 || !std::isfinite(largest)) return largest;
    const int exponent = std::ilogb(largest) / 2; // twice, as 2^-exponent may overflow
    for (int i = 0; i < 2; i++) wide = wide * std::ldexp(1.0, i ? exponent - std::ilogb(largest) : -exponent);
    double sum_of_powers = p == 2 ? dot(wide, wide).item<double>() : sum(pow(wide, p)).item<double>();
    return std::ldexp(std::pow(sum_of_powers, 1 / p), std::ilogb(largest));
}

} // namespace

Tensor clip_grad_norm_(ListView<Tensor> parameters, double max_norm, double norm_type, bool error_if_nonfinite) {
    if (!(norm_type > 0))
        throw Error(TH_E_ARG, "clip_grad_norm_: got norm_type " + std::to_string(norm_type) + ", want above 0");
    NoGrad no_grad;
    std::vector<Tensor> grads = gradients(parameters);
    if (grads.empty()) return zeros({});
    std::vector<double> norms;
    DType dtype = kFLOAT32; // halves could not hold the norm
    for (const Tensor &g : grads) {
        norms.push_back(norm(g, norm_type));
        if (g.dtype() == kFLOAT64) dtype = kFLOAT64;
    }
    double value = norm(from_data(norms.data(), {static_cast<int64_t>(norms.size())}, kFLOAT64), norm_type);
    if (error_if_nonfinite && !std::isfinite(value))
        throw Error(TH_E_ARG,
                    "clip_grad_norm_: got gradients of norm " + std::to_string(value) + ", want a finite norm");
    double scale = max_norm / (value + 1e-6);
    if (!(scale >= 1)) // NaN too: it must reach the parameters
        for (Tensor &g : grads) g.mul_(scale);
    return full({}, value, dtype);
}

void clip_grad_value_(ListView<Tensor> parameters, double clip_value) {
    if (!(clip_value >= 0))
        throw Error(TH_E_ARG, "clip_grad_value_: got " + std::to_string(clip_value) + ", want at least 0");
    NoGrad no_grad;
    Tensor low(-clip_value), high(clip_value);
    for (const Tensor &g : gradients(parameters)) overwrite<TH_clamp>(g.th(), g, low, high);
}

} // namespace wick::nn::utils
