// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/activation.hpp"
#include "wick/ops.hpp"

namespace wick::nn {

Tensor ReLU::forward(const Tensor &x) { return relu(x); }
Tensor Sigmoid::forward(const Tensor &x) { return sigmoid(x); }
Tensor Tanh::forward(const Tensor &x) { return tanh(x); }

LeakyReLU::LeakyReLU(LeakyReLUOptions given) : Configured("LeakyReLU", std::move(given)) {}
Tensor LeakyReLU::forward(const Tensor &x) { return leaky_relu(x, options.negative_slope); }

GELU::GELU(GELUOptions given) : Configured("GELU", std::move(given)) {
    if (options.approximate != "none" && options.approximate != "tanh")
        throw Error(TH_E_ARG, "GELU: got approximate " + literal(options.approximate) + ", want 'none' or 'tanh'");
}
Tensor GELU::forward(const Tensor &x) { return gelu(x, options.approximate); }

Softplus::Softplus(SoftplusOptions given) : Configured("Softplus", std::move(given)) {}
Tensor Softplus::forward(const Tensor &x) { return softplus(x, options.beta, options.threshold); }

Softmax::Softmax(SoftmaxOptions given) : Configured("Softmax", std::move(given)) {}
Tensor Softmax::forward(const Tensor &x) { return softmax(x, options.dim); }

LogSoftmax::LogSoftmax(SoftmaxOptions given) : Configured("LogSoftmax", std::move(given)) {}
Tensor LogSoftmax::forward(const Tensor &x) { return log_softmax(x, options.dim); }

} // namespace wick::nn
