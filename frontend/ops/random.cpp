// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of the process-wide generator.
#include "expr/sizes.h"
#include "ops/op.hpp"

namespace wick {

namespace {
THGenerator *const COMMON = nullptr; // TH's default one, on the CPU, serves all devices

/// Overwrites x by Fn; what x was before gets no gradient.
template <auto Fn, class... A> Tensor &refill(const char *name, Tensor &x, A... a) {
    return overwrite(name, x, [=](THTensor *into) { change<Fn>(into, a..., COMMON); });
}

/// A new tensor that Fn fills. What Fn refuses, it refuses of nothing, before room for many elements is made.
template <auto Fn, class... A> Tensor drawn(Sizes sizes, DType dtype, Device device, A... a) {
    if (th_size_product(sizes.data(), length(sizes)) > 4096) change<Fn>(empty({0}, dtype, device).th(), a..., COMMON);
    Tensor t = empty(sizes, dtype, device);
    change<Fn>(t.th(), a..., COMMON);
    return t;
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
    Tensor bytes = state.detach().to(Device()).contiguous();
    check(THGenerator_set_state(nullptr, bytes.data<uint8_t>()));
}

Tensor rand(Sizes sizes, DType dtype, Device device) { return drawn<TH_uniform>(sizes, dtype, device, 0.0, 1.0); }
Tensor randn(Sizes sizes, DType dtype, Device device) { return drawn<TH_normal>(sizes, dtype, device, 0.0, 1.0); }
Tensor normal(const Tensor &mean, const Tensor &std) {
    const Tensor like = add(mean.detach(), std.detach()); // their sizes, dtype and device
    if (any(lt(std.detach(), 0)).item<bool>())
        fail(TH_E_ARG, "normal: got a negative std in %s, want at least 0", std.describe().c_str());
    DType dtype = like.is_floating_point() ? like.dtype() : kFLOAT32;
    return addcmul(mean, std, randn(like.sizes(), dtype, like.device()));
}
Tensor randint(int64_t low, int64_t high, Sizes sizes, DType dtype, Device device) {
    return drawn<TH_randint>(sizes, dtype, device, low, high);
}
Tensor randperm(int64_t n, Device device) { return call_on<TH_randperm>(device, n, COMMON); }

Tensor &uniform_(Tensor &x, double low, double high) { return refill<TH_uniform>("uniform_", x, low, high); }
Tensor &normal_(Tensor &x, double mean, double std) { return refill<TH_normal>("normal_", x, mean, std); }
Tensor &bernoulli_(Tensor &x, double p) { return refill<TH_bernoulli>("bernoulli_", x, p); }

} // namespace wick
