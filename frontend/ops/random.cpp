// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of the process-wide generator.
#include "ops/op.hpp"

namespace wick {

namespace {
/// Overwrites x by fill(th); what x was before gets no gradient.
template <class F> Tensor &refill(const char *fn, Tensor &x, F fill) {
    return in_place(fn, x, [&](const Tensor &old, THTensor *into) {
        check(fill(into));
        Tensor y = Tensor::adopt(THTensor_retain(into));
        if (!recording(old)) return y;
        return record(fn, y, wrt(old, [](const Tensor &g) { return zeros_like(g); }));
    });
}
} // namespace

void manual_seed(uint64_t seed) { THGenerator_seed(nullptr, seed); }

Tensor get_rng_state() {
    Tensor state = empty({TH_GENERATOR_STATE_BYTES}, kUINT8);
    THGenerator_get_state(nullptr, state.data<uint8_t>());
    return state;
}
void set_rng_state(const Tensor &state) {
    if (!state.defined() || state.dtype() != kUINT8 || state.numel() != TH_GENERATOR_STATE_BYTES)
        fail(TH_E_ARG, "set_rng_state: got %s, want uint8[%d]", state.describe().c_str(), TH_GENERATOR_STATE_BYTES);
    Tensor bytes = state.detach().contiguous();
    check(THGenerator_set_state(nullptr, bytes.data<uint8_t>()));
}

Tensor rand(Sizes sizes, DType dtype) {
    Tensor t = empty(sizes, dtype);
    check(TH_uniform(t.th(), 0, 1, nullptr));
    return t;
}
Tensor randn(Sizes sizes, DType dtype) {
    Tensor t = empty(sizes, dtype);
    check(TH_normal(t.th(), 0, 1, nullptr));
    return t;
}
Tensor normal(const Tensor &mean, const Tensor &std) {
    if (any(lt(std.detach(), 0)).item<bool>())
        fail(TH_E_ARG, "normal: got a negative std in %s, want at least 0", std.describe().c_str());
    const Tensor like = add(mean.detach(), std.detach()); // their sizes and dtype
    return addcmul(mean, std, randn(like.sizes(), like.is_floating_point() ? like.dtype() : kFLOAT32));
}
Tensor randint(int64_t low, int64_t high, Sizes sizes, DType dtype) {
    Tensor t = empty(sizes, dtype);
    check(TH_randint(t.th(), low, high, nullptr));
    return t;
}
Tensor randperm(int64_t n) { return call<TH_randperm>(n, static_cast<THGenerator *>(nullptr)); }

Tensor &uniform_(Tensor &x, double low, double high) {
    return refill("uniform_", x, [=](THTensor *t) { return TH_uniform(t, low, high, nullptr); });
}
Tensor &normal_(Tensor &x, double mean, double std) {
    return refill("normal_", x, [=](THTensor *t) { return TH_normal(t, mean, std, nullptr); });
}
Tensor &bernoulli_(Tensor &x, double p) {
    return refill("bernoulli_", x, [=](THTensor *t) { return TH_bernoulli(t, p, nullptr); });
}

} // namespace wick
