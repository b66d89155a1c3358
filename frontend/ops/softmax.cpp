// SPDX-License-Identifier: BSD-3-Clause
#include "ops/derivative.hpp"

namespace wick {

// The gradients out of differentiable ops, for when they are differentiated themselves. Both stay exact where a
// probability is so near to 1 that 1 less it would be 0: differences from the gradient at the largest one in place of
// g, and exp(y) - 1 in place of exp(y).
namespace {
Tensor softmax_backward(const Tensor &g, const Tensor &y, int32_t dim) {
    Tensor d = g - gather(g, dim, argmax(y, dim, true));
    return y * (d - sum(d * y, {dim}, true));
}

Tensor log_softmax_backward(const Tensor &g, const Tensor &y, int32_t dim) {
    Tensor total = sum(g, {dim}, true), likely = gt(y, -0.5);
    return where(likely, g - total, g) - where(likely, expm1(y), exp(y)) * total;
}
} // namespace

Tensor softmax(const Tensor &x, int32_t dim, DType dtype) {
    if (dtype != DType::none) return softmax(cast_first("softmax", x, {dim}, dtype, true), dim);
    Tensor out = call<THNN_softmax>(x, dim);
    if (!recording(x)) return out;
    const Saved saved = Saved::output(out);
    return record("softmax", out, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor y = saved;
                      return recording(g, y) ? softmax_backward(widened(g), widened(y), dim)
                                             : call<THNN_softmax_backward>(g, y, dim);
                  }));
}

Tensor log_softmax(const Tensor &x, int32_t dim, DType dtype) {
    if (dtype != DType::none) return log_softmax(cast_first("log_softmax", x, {dim}, dtype, true), dim);
    Tensor out = call<THNN_log_softmax>(x, dim);
    if (!recording(x)) return out;
    const Saved saved = Saved::output(out);
    return record("log_softmax", out, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor y = saved;
                      return recording(g, y) ? log_softmax_backward(widened(g), widened(y), dim)
                                             : call<THNN_log_softmax_backward>(g, y, dim);
                  }));
}

} // namespace wick
