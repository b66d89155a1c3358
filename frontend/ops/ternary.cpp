// SPDX-License-Identifier: BSD-3-Clause
#include "ops/derivative.hpp"

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
    const Saved sx(x), lo(min), hi(max);
    // min(max(x, lo), hi), each of the two as minimum and maximum do it: who ties shares. NaN passes as x.
    auto raised = [=] { return lo.get().defined() ? maximum(sx, lo) : sx.get(); };
    auto to_raised = [=](const Tensor &g) -> Tensor {
        if (!hi.get().defined()) return g;
        Tensor m = raised();
        return share(g, gt(m, hi), m, hi);
    };
    return record("clamp", y,
                  wrt(x,
                      [=](const Tensor &g) {
                          Tensor gm = to_raised(g);
                          return lo.get().defined() ? share(gm, lt(sx, lo), sx, lo) : gm;
                      }),
                  wrt(min, [=](const Tensor &g) { return share(to_raised(g), logical_not(le(sx, lo)), sx, lo); }),
                  wrt(max, [=](const Tensor &g) {
                      Tensor m = raised();
                      return share(g, logical_not(ge(m, hi)), m, hi);
                  }));
}

Tensor addcmul(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value) {
    Tensor y = call<TH_addcmul>(x, a, b, value);
    if (!recording(x, a, b)) return y;
    const Wide sa(a), sb(b);
    return record("addcmul", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(a, [=](const Tensor &g) { return widened(g) * sb * Tensor(value); }),
                  wrt(b, [=](const Tensor &g) { return widened(g) * sa * Tensor(value); }));
}

Tensor addcdiv(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value) {
    Tensor y = call<TH_addcdiv>(x, a, b, value);
    if (!recording(x, a, b)) return y;
    const Wide sa(a), sb(b);
    return record("addcdiv", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(a, [=](const Tensor &g) { return widened(g) * Tensor(value) / sb; }),
                  wrt(b, [=](const Tensor &g) { return -(widened(g) * Tensor(value) * (sa / Tensor(sb))) / sb; }));
}

Tensor lerp(const Tensor &a, const Tensor &b, const Tensor &weight) {
    Tensor y = call<TH_lerp>(a, b, weight);
    if (!recording(a, b, weight)) return y;
    const Wide sa(a), sb(b), w(weight);
    return record("lerp", y, wrt(a, [=](const Tensor &g) { return widened(g) * (1 - Tensor(w)); }),
                  wrt(b, [=](const Tensor &g) { return widened(g) * w; }),
                  wrt(weight, [=](const Tensor &g) { return widened(g) * (Tensor(sb) - sa); }));
}

} // namespace wick
