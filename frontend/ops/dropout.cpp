// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"
#include "ops/options.hpp"

namespace wick {

namespace {
/// x / (1 - p) where mask. It is its own gradient.
Tensor masked(const Tensor &x, const Tensor &mask, double p) {
    Tensor y = call<THNN_dropout_backward>(x, mask, p);
    if (!recording(x)) return y;
    return record("dropout_backward", y, wrt(x, [=](const Tensor &g) { return masked(g, mask, p); }));
}
} // namespace

Tensor dropout(const Tensor &x, double p, bool training) {
    check_part("dropout", "p", p);
    if (!training || p == 0) return x;
    Out kept;
    Tensor y = call<THNN_dropout>(&kept.th, x, p, static_cast<THGenerator *>(nullptr));
    Tensor mask = kept.take();
    if (!recording(x)) return y;
    return record("dropout", y, wrt(x, [=](const Tensor &g) { return masked(g, mask, p); }));
}

} // namespace wick
