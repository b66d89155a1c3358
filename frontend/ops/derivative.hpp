// SPDX-License-Identifier: BSD-3-Clause
// What gradients are made of. Formulas with squares overflow, underflow or cancel long before the gradient itself does;
// the functions here do not, and their derivatives are closed forms again, so that every order is as exact as the dtype
// can show.
#ifndef WICK_OPS_DERIVATIVE_HPP
#define WICK_OPS_DERIVATIVE_HPP

#include "ops/op.hpp"

namespace wick {

/// Halves as float32, so that a formula rounds once, at its end, where the engine casts; others as they are.
inline Tensor widened(const Tensor &t) {
    return t.defined() && (t.dtype() == kFLOAT16 || t.dtype() == kBFLOAT16) ? t.to(kFLOAT32) : t;
}

/// A saved tensor that is read widened.
class Wide {
  public:
    explicit Wide(const Tensor &input) : saved_(input) {}
    static Wide output(const Tensor &y) { return Wide(Saved::output(y)); }
    operator Tensor() const { return widened(saved_); }

  private:
    explicit Wide(const Saved &saved) : saved_(saved) {}
    Saved saved_;
};

/// The result's gradient as a formula over Saved or Wide tensors sees it.
template <class Kept> decltype(auto) seen(const Tensor &g) {
    if constexpr (std::same_as<Kept, Wide>)
        return widened(g);
    else
        return (g);
}

/// g for the operand that a choice took, half of it where operands a and b are equal, nothing where it lost.
Tensor share(const Tensor &g, const Tensor &lost, const Tensor &a, const Tensor &b);

/// x less its mean along dims, and less what rounding left of that.
Tensor centered(const Tensor &x, Dims dims);

Tensor gaussian(const Tensor &x, double scale = 1); ///< exp(-scale x x); scale is 1 or 0.5
Tensor secant(const Tensor &x);                     ///< 1 / sqrt(1 + x x)
Tensor complement(const Tensor &x);                 ///< 1 - x x, exact near 1
Tensor cosine(const Tensor &a, const Tensor &b);    ///< a / sqrt(a a + b b); 0 at the origin
Tensor inversion(const Tensor &a, const Tensor &b); ///< a / (a a + b b); 0 at the origin

} // namespace wick
#endif
