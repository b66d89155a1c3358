// SPDX-License-Identifier: BSD-3-Clause
// The functions of TH/ops/unary.def. A gradient is an expression in g (the result's gradient), x and y; what it does
// not name is not saved.
#include "ops/derivative.hpp"
#include <numbers>

namespace wick {

/// Of one rounding: halves are used as they are.
#define WICK_UNARY(fn, doc, gradient) WICK_UNARY_OF(fn, doc, Saved, gradient)

/// Halves are computed in float32.
#define WICK_UNARY_WIDE(fn, doc, gradient) WICK_UNARY_OF(fn, doc, Wide, gradient)

#define WICK_UNARY_OF(fn, doc, Kept, gradient)                                                                         \
    static Tensor fn##_into(const Tensor &in, Change *change) {                                                        \
        auto tape = [&](const Tensor &out) {                                                                           \
            const Kept x(in), y = Kept::output(out);                                                                   \
            record(#fn, out, wrt(in, [=](const Tensor &grad) -> Tensor {                                               \
                       const Tensor &g = seen<Kept>(grad);                                                             \
                       return gradient;                                                                                \
                   }));                                                                                                \
        };                                                                                                             \
        return compute<TH_##fn>(change, tape, in);                                                                     \
    }                                                                                                                  \
    Tensor fn(const Tensor &x) { return fn##_into(x, nullptr); }                                                       \
    Tensor &fn##_(Tensor &x) {                                                                                         \
        return in_place(#fn "_", x, [&](Change &change) { fn##_into(change.before(x), &change); });                    \
    }                                                                                                                  \
    WICK_DOC(fn, doc)

/// Results that no gradient passes.
#define WICK_UNARY_CONSTANT(fn, doc)                                                                                   \
    Tensor fn(const Tensor &x) { return call<TH_##fn>(x); }                                                            \
    Tensor &fn##_(Tensor &x) {                                                                                         \
        return overwrite(#fn "_", x, [&](THTensor *into) { call_into<TH_##fn>(into, x); });                            \
    }                                                                                                                  \
    WICK_DOC(fn, doc)

using std::numbers::ln2, std::numbers::log2e, std::numbers::log10e, std::numbers::inv_sqrtpi;

static Tensor over_square(const Tensor &g, const Tensor &x) { return g / x / x; }

// clang-format off
WICK_UNARY(neg, "-x.", -g)
WICK_UNARY(abs, "Magnitude. The gradient at 0 is 0.", g * sign(x))
WICK_UNARY(sign, "-1, 0 or 1; NaN for NaN.", zeros_like(g))
WICK_UNARY_WIDE(square, "x x.", g * x * 2)
WICK_UNARY(floor, "Largest integer not above x.", zeros_like(g))
WICK_UNARY(ceil, "Smallest integer not below x.", zeros_like(g))
WICK_UNARY(round, "Nearest integer, halves to even.", zeros_like(g))
WICK_UNARY(trunc, "x without its fraction.", zeros_like(g))
WICK_UNARY(frac, "x - trunc(x).", g)
WICK_UNARY_WIDE(reciprocal, "1 / x.", -g * y * y)
WICK_UNARY_WIDE(sqrt, "Square root; NaN below 0.", g / (y * 2))
WICK_UNARY_WIDE(rsqrt, "1 / sqrt(x).", g * y * y * y * -0.5)
WICK_UNARY(exp, "e to the x.", g * y)
WICK_UNARY_WIDE(exp2, "2 to the x.", g * y * ln2)
WICK_UNARY_WIDE(expm1, "exp(x) - 1, exact near 0.", g * exp(x))
WICK_UNARY(log, "Natural logarithm.", g / x)
WICK_UNARY_WIDE(log2, "Logarithm to base 2.", g * log2e / x)
WICK_UNARY_WIDE(log10, "Logarithm to base 10.", g * log10e / x)
WICK_UNARY_WIDE(log1p, "log(1 + x), exact near 0.", g / (x + 1))
WICK_UNARY_WIDE(sin, "Sine; x in radians.", g * cos(x))
WICK_UNARY_WIDE(cos, "Cosine; x in radians.", -g * sin(x))
WICK_UNARY_WIDE(tan, "Tangent; x in radians.", g * (1 + y * y))
WICK_UNARY_WIDE(asin, "Inverse sine.", g * rsqrt(complement(x)))
WICK_UNARY_WIDE(acos, "Inverse cosine.", -g * rsqrt(complement(x)))
WICK_UNARY_WIDE(atan, "Inverse tangent.", g * square(secant(x)))
WICK_UNARY_WIDE(sinh, "Hyperbolic sine.", g * cosh(x))
WICK_UNARY_WIDE(cosh, "Hyperbolic cosine.", g * sinh(x))
WICK_UNARY_WIDE(tanh, "Hyperbolic tangent.", g * square(sech(x)))
WICK_UNARY_WIDE(sech, "1 / cosh(x), without overflow.", -g * y * tanh(x))
WICK_UNARY_WIDE(asinh, "Inverse hyperbolic sine.", g * secant(x))
WICK_UNARY_WIDE(acosh, "Inverse hyperbolic cosine.", g * rsqrt(x - 1) * rsqrt(x + 1))
WICK_UNARY_WIDE(atanh, "Inverse hyperbolic tangent.", g / complement(x))
WICK_UNARY_WIDE(erf, "Error function.", g * gaussian(x) * (2 * inv_sqrtpi))
WICK_UNARY_WIDE(erfc, "1 - erf(x), exact for large x.", g * gaussian(x) * (-2 * inv_sqrtpi))
WICK_UNARY_WIDE(sigmoid, "1 / (1 + exp(-x)).", g * square(sech(x * 0.5)) * 0.25)
WICK_UNARY_WIDE(softsign, "x / (1 + |x|).", over_square(g, abs(x) + 1))
WICK_UNARY_CONSTANT(logical_not, "Whether x is zero.")
WICK_UNARY_CONSTANT(isnan, "Whether x is not a number.")
WICK_UNARY_CONSTANT(isinf, "Whether x is an infinity.")
WICK_UNARY_CONSTANT(isfinite, "Whether x is neither an infinity nor NaN.")
WICK_UNARY_CONSTANT(bitwise_not, "Every bit turned; for bool, not.")
// clang-format on

Tensor round(const Tensor &x, int32_t decimals) {
    Tensor y = call<TH_round_decimals>(x, decimals);
    if (!recording(x)) return y;
    return record("round", y, wrt(x, [](const Tensor &g) { return zeros_like(g); }));
}

} // namespace wick
