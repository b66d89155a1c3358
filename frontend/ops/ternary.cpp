// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"

namespace wick {

Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b) {
    Tensor y = call<TH_where>(condition, a, b);
    if (!recording(a, b)) return y;
    const Saved c(condition);
    return record("where", y, wrt(a, [=](const Tensor &g) { return where(c, g, zeros_like(g)); }),
                  wrt(b, [=](const Tensor &g) { return where(c, zeros_like(g), g); }));
}

Tensor clamp(const Tensor &x, const Tensor &min, const Tensor &max) {
    Tensor y = call<TH_clamp>(x, min, max);
    if (!recording(x, min, max)) return y;
    const Saved s(x), lo(min), hi(max);
    // Where x passes, its gradient does; where a bound is the result, the bound's does (max, where both are crossed).
    auto above = [=] { return hi.get().defined() ? gt(s, hi) : Tensor(false); };
    auto below = [=] { return lo.get().defined() ? lt(s, lo) : Tensor(false); };
    auto crossed = [=] { return hi.get().defined() && lo.get().defined() ? gt(lo, hi) : Tensor(false); };
    return record(
        "clamp", y,
        wrt(x,
            [=](const Tensor &g) {
                return where(logical_or(logical_or(above(), below()), crossed()), zeros_like(g), g);
            }),
        wrt(min,
            [=](const Tensor &g) { return where(logical_and(below(), logical_not(crossed())), g, zeros_like(g)); }),
        wrt(max, [=](const Tensor &g) { return where(logical_or(above(), crossed()), g, zeros_like(g)); }));
}

Tensor addcmul(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value) {
    Tensor y = call<TH_addcmul>(x, a, b, value);
    if (!recording(x, a, b)) return y;
    const Saved sa(a), sb(b);
    return record("addcmul", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(a, [=](const Tensor &g) { return g * sb * Tensor(value); }),
                  wrt(b, [=](const Tensor &g) { return g * sa * Tensor(value); }));
}

Tensor addcdiv(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value) {
    Tensor y = call<TH_addcdiv>(x, a, b, value);
    if (!recording(x, a, b)) return y;
    const Saved sa(a), sb(b);
    return record("addcdiv", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(a, [=](const Tensor &g) { return g / sb * Tensor(value); }),
                  wrt(b, [=](const Tensor &g) { return -g * sa / (sb * Tensor(sb)) * Tensor(value); }));
}

Tensor lerp(const Tensor &a, const Tensor &b, const Tensor &weight) {
    Tensor y = call<TH_lerp>(a, b, weight);
    if (!recording(a, b, weight)) return y;
    const Saved sa(a), sb(b), w(weight);
    return record("lerp", y, wrt(a, [=](const Tensor &g) { return g * (1 - Tensor(w)); }),
                  wrt(b, [=](const Tensor &g) { return g * w; }),
                  wrt(weight, [=](const Tensor &g) { return g * (Tensor(sb) - sa); }));
}

} // namespace wick
