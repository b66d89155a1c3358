// SPDX-License-Identifier: BSD-3-Clause
// THNN's activations. Their gradient is THNN's backward kernel, unless it is itself to be differentiated: then it is
// composed of ops.
#include "ops/derivative.hpp"
#include "ops/options.hpp"
#include <numbers>

namespace wick {

namespace {
/// gradient(g, x): g f'(x) out of differentiable ops; p, q: the kernels' options.
template <auto Forward, auto Backward, class D>
Tensor activation(const char *name, const Tensor &x, D gradient, double p = 0, double q = 0) {
    Tensor y = call<Forward>(x, p, q);
    if (!recording(x)) return y;
    const Saved saved(x);
    return record(name, y, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor at = saved;
                      return recording(g, at) ? gradient(widened(g), widened(at)) : call<Backward>(g, at, p, q);
                  }));
}
} // namespace

Tensor relu(const Tensor &x) {
    return activation<THNN_relu, THNN_relu_backward>(
        "relu", x, [](const Tensor &g, const Tensor &at) { return where(le(at, 0), zeros_like(g), g); });
}

Tensor leaky_relu(const Tensor &x, double slope) {
    return activation<THNN_leaky_relu, THNN_leaky_relu_backward>(
        "leaky_relu", x, [slope](const Tensor &g, const Tensor &at) { return where(gt(at, 0), g, g * slope); }, slope);
}

Tensor gelu(const Tensor &x, std::string_view approximate) {
    const double a = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, b = 0.044715; // as in THNN/activation.h
    // Beyond 60 the slope is 0 or 1 in every dtype; the bound keeps infinities from meeting that 0.
    if (!read_approximate("gelu", approximate))
        return activation<THNN_gelu, THNN_gelu_backward>("gelu", x, [=](const Tensor &g, const Tensor &at) {
            Tensor u = clamp(at, -60, 60);
            Tensor cdf = erfc(u * (-1 / std::numbers::sqrt2)) * 0.5;
            return g * (cdf + u * gaussian(u, 0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2));
        });
    return activation<THNN_gelu_tanh, THNN_gelu_tanh_backward>("gelu", x, [=](const Tensor &g, const Tensor &at) {
        Tensor u = clamp(at, -60, 60), gate = u * (u * u * b + 1) * (2 * a), slope = (u * u * (3 * b) + 1) * (2 * a);
        return g * (sigmoid(gate) * (1 + u * sigmoid(-gate) * slope));
    });
}

Tensor silu(const Tensor &x) {
    return activation<THNN_silu, THNN_silu_backward>("silu", x, [](const Tensor &g, const Tensor &at) {
        Tensor u = clamp(at, -2000, 2000); // beyond, the slope is 0 or 1 in every dtype; infinity must not meet that 0
        return g * (sigmoid(u) * (1 + u * sigmoid(-u)));
    });
}

Tensor elu(const Tensor &x, double alpha) {
    return activation<THNN_elu, THNN_elu_backward>(
        "elu", x,
        [alpha](const Tensor &g, const Tensor &at) {
            // Below 0 alone: exp must not overflow where it is not chosen.
            return where(gt(at, 0), g, g * exp(where(lt(at, 0), at, 0)) * alpha);
        },
        alpha);
}

Tensor softplus(const Tensor &x, double beta, double threshold) {
    return activation<THNN_softplus, THNN_softplus_backward>(
        "softplus", x,
        [=](const Tensor &g, const Tensor &at) {
            Tensor scaled = at * beta;
            return where(gt(scaled, threshold), g, g * sigmoid(scaled));
        },
        beta, threshold);
}

} // namespace wick
