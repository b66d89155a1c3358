// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"

namespace wick {

Tensor softmax(const Tensor &x, int32_t dim) {
    Tensor out = call<THNN_softmax>(x, dim);
    if (!recording(x)) return out;
    const Saved saved = Saved::output(out);
    return record("softmax", out, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor y = saved;
                      return recording(g, y) ? y * (g - sum(g * y, {dim}, true))
                                             : call<THNN_softmax_backward>(g, y, dim);
                  }));
}

Tensor log_softmax(const Tensor &x, int32_t dim) {
    Tensor out = call<THNN_log_softmax>(x, dim);
    if (!recording(x)) return out;
    const Saved saved = Saved::output(out);
    return record("log_softmax", out, wrt(x, [=](const Tensor &g) -> Tensor {
                      Tensor y = saved;
                      return recording(g, y) ? g - exp(y) * sum(g, {dim}, true)
                                             : call<THNN_log_softmax_backward>(g, y, dim);
                  }));
}

} // namespace wick
