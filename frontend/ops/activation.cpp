// SPDX-License-Identifier: BSD-3-Clause
// THNN's activations. Their gradient is THNN's backward kernel, unless it is itself to be differentiated: then it is
// composed of ops.
#include "ops/op.hpp"
#include <numbers>

namespace wick {

namespace {
/// derivative(x): f'(x) out of differentiable ops.
template <auto Forward, auto Backward, class D>
Tensor activation(const char *name, const Tensor &x, double p, D derivative) {
    Tensor y = call<Forward>(x, p);
    if (!recording(x)) return y;
    const Saved saved(x);
    return record(name, y, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor at = saved;
                      return recording(g, at) ? g * derivative(at) : call<Backward>(g, at, p);
                  }));
}

Tensor step(const Tensor &x) { return gt(x, 0).to(x.dtype()); }
} // namespace

Tensor relu(const Tensor &x) { return activation<THNN_relu, THNN_relu_backward>("relu", x, 0, step); }

Tensor leaky_relu(const Tensor &x, double slope) {
    return activation<THNN_leaky_relu, THNN_leaky_relu_backward>("leaky_relu", x, slope, [slope](const Tensor &at) {
        return where(gt(at, 0), ones_like(at), full(at.sizes(), slope, at.dtype()));
    });
}

Tensor gelu(const Tensor &x, std::string_view approximate) {
    if (approximate == "none")
        return activation<THNN_gelu, THNN_gelu_backward>("gelu", x, 0, [](const Tensor &at) {
            Tensor cdf = (erf(at * (1 / std::numbers::sqrt2)) + 1) * 0.5;
            return cdf + at * exp(at * at * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
        });
    if (approximate != "tanh")
        fail(TH_E_ARG, "gelu: got approximate '%.*s', want 'none' or 'tanh'", static_cast<int>(approximate.size()),
             approximate.data());
    return activation<THNN_gelu_tanh, THNN_gelu_tanh_backward>("gelu", x, 0, [](const Tensor &at) {
        const double a = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, b = 0.044715; // as in THNN/activation.h
        Tensor th = tanh((at + at * at * at * b) * a);
        return (th + 1) * 0.5 + at * (1 - th * th) * (1 + at * at * (3 * b)) * (a / 2);
    });
}

Tensor silu(const Tensor &x) {
    return activation<THNN_silu, THNN_silu_backward>("silu", x, 0, [](const Tensor &at) {
        Tensor s = sigmoid(at);
        return s * (1 + at * (1 - s));
    });
}

Tensor elu(const Tensor &x, double alpha) {
    return activation<THNN_elu, THNN_elu_backward>("elu", x, alpha, [alpha](const Tensor &at) {
        return where(gt(at, 0), ones_like(at),
                     exp(clamp(at, {}, 0)) * alpha); // clamped: exp must not overflow where it is not chosen
    });
}

Tensor softplus(const Tensor &x, double beta) {
    return activation<THNN_softplus, THNN_softplus_backward>("softplus", x, beta,
                                                             [beta](const Tensor &at) { return sigmoid(at * beta); });
}

} // namespace wick
