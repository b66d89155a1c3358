// SPDX-License-Identifier: BSD-3-Clause
// Creation of tensors for callers of the registry; the functions are wick/tensor.hpp's.
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

Tensor &uniform_(Tensor &x, double low, double high) {
    return refill("uniform_", x, [=](THTensor *t) { return TH_uniform(t, low, high, nullptr); });
}
Tensor &normal_(Tensor &x, double mean, double std) {
    return refill("normal_", x, [=](THTensor *t) { return TH_normal(t, mean, std, nullptr); });
}
Tensor &bernoulli_(Tensor &x, double p) {
    return refill("bernoulli_", x, [=](THTensor *t) { return TH_bernoulli(t, p, nullptr); });
}
Tensor manual_seed_op(int64_t seed) {
    manual_seed(static_cast<uint64_t>(seed));
    return {};
}
} // namespace

WICK_OP(empty, "empty(int[] sizes, dtype dtype=float32) -> Tensor", "Elements not initialised.")
WICK_OP(zeros, "zeros(int[] sizes, dtype dtype=float32) -> Tensor", "Filled with 0.")
WICK_OP(ones, "ones(int[] sizes, dtype dtype=float32) -> Tensor", "Filled with 1.")
WICK_OP(full, "full(int[] sizes, Scalar value, dtype? dtype=None) -> Tensor",
        "Filled with value; dtype by the value's kind if None.")
WICK_OP(zeros_like, "zeros_like(Tensor x) -> Tensor", "Zeros in the sizes and dtype of x.")
WICK_OP(ones_like, "ones_like(Tensor x) -> Tensor", "Ones in the sizes and dtype of x.")
WICK_OP(empty_like, "empty_like(Tensor x) -> Tensor", "Not initialised, in the sizes and dtype of x.")
WICK_OP(arange, "arange(Scalar start, Scalar end, Scalar step=1, dtype? dtype=None) -> Tensor",
        "start, start + step, ... below end.")
WICK_OP(linspace, "linspace(Scalar start, Scalar end, int steps, dtype dtype=float32) -> Tensor",
        "`steps` values evenly from start to end.")
WICK_OP(eye, "eye(int n, dtype dtype=float32) -> Tensor", "The identity matrix.")
WICK_OP(rand, "rand(int[] sizes, dtype dtype=float32) -> Tensor", "Uniform in [0, 1).")
WICK_OP(randn, "randn(int[] sizes, dtype dtype=float32) -> Tensor", "Standard normal.")
WICK_OP(randint, "randint(int low, int high, int[] sizes, dtype dtype=int64) -> Tensor", "Integers in [low, high).")
WICK_OP(randperm, "randperm(int n) -> Tensor", "A permutation of 0 ... n-1.")
WICK_OP(uniform_, "uniform_(Tensor(a!) x, float low=0.0, float high=1.0) -> Tensor(a!)",
        "In place: uniform in [low, high).")
WICK_OP(normal_, "normal_(Tensor(a!) x, float mean=0.0, float std=1.0) -> Tensor(a!)", "In place: normal.")
WICK_OP(bernoulli_, "bernoulli_(Tensor(a!) x, float p=0.5) -> Tensor(a!)", "In place: 1 with probability p, else 0.")
WICK_OP(manual_seed_op, "manual_seed(int seed) -> any", "Seeds the process-wide generator; returns None.")

WICK_OPS(create)

} // namespace wick
