// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/activation.hpp"
#include "nn/layer.hpp"
#include "ops/options.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Tensor ReLU::forward(const Tensor &x) { return relu(x); }
Tensor Sigmoid::forward(const Tensor &x) { return sigmoid(x); }
Tensor Tanh::forward(const Tensor &x) { return tanh(x); }

LeakyReLU::LeakyReLU(LeakyReLUOptions given) : Configured("LeakyReLU", std::move(given)) {}
Tensor LeakyReLU::forward(const Tensor &x) { return applied(leaky_relu, x, options); }

GELU::GELU(GELUOptions given) : Configured("GELU", std::move(given)) { read_approximate("GELU", options.approximate); }
Tensor GELU::forward(const Tensor &x) { return applied(gelu, x, options); }

Softplus::Softplus(SoftplusOptions given) : Configured("Softplus", std::move(given)) {}
Tensor Softplus::forward(const Tensor &x) { return applied(softplus, x, options); }

Softmax::Softmax(SoftmaxOptions given) : Configured("Softmax", std::move(given)) {}
Tensor Softmax::forward(const Tensor &x) { return softmax(x, options.dim); }

LogSoftmax::LogSoftmax(SoftmaxOptions given) : Configured("LogSoftmax", std::move(given)) {}
Tensor LogSoftmax::forward(const Tensor &x) { return log_softmax(x, options.dim); }

} // namespace wick::nn
