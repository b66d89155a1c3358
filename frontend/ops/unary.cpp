// SPDX-License-Identifier: BSD-3-Clause
// The functions of TH/ops/unary.def. A gradient is an expression in g (the result's gradient), x and y; what it does
// not name is not saved.
#include "ops/op.hpp"
#include <numbers>

namespace wick {

#define WICK_UNARY(fn, doc, gradient)                                                                                  \
    static Tensor fn##_into(const Tensor &in, THTensor *into) {                                                        \
        Tensor out = call_into<TH_##fn>(into, in);                                                                     \
        if (!recording(in)) return out;                                                                                \
        const Saved x(in), y = Saved::output(out);                                                                     \
        return record(#fn, out, wrt(in, [=](const Tensor &g) -> Tensor { return gradient; }));                         \
    }                                                                                                                  \
    WICK_UNARY_FORMS(fn, doc)

/// Results that no gradient passes.
#define WICK_UNARY_CONSTANT(fn, doc)                                                                                   \
    static Tensor fn##_into(const Tensor &in, THTensor *into) { return call_into<TH_##fn>(into, in); }                 \
    WICK_UNARY_FORMS(fn, doc)

#define WICK_UNARY_FORMS(fn, doc)                                                                                      \
    Tensor fn(const Tensor &x) { return fn##_into(x, nullptr); }                                                       \
    Tensor &fn##_(Tensor &x) { return in_place(#fn "_", x, fn##_into); }                                               \
    WICK_DOC(fn, doc)

using std::numbers::ln10, std::numbers::ln2, std::numbers::inv_sqrtpi;

// clang-format off
WICK_UNARY(neg, "-x.", -g)
WICK_UNARY(abs, "Magnitude.", g * sign(x))
WICK_UNARY(sign, "-1, 0 or 1; NaN for NaN.", zeros_like(g))
WICK_UNARY(square, "x x.", g * x * 2)
WICK_UNARY(floor, "Largest integer not above x.", zeros_like(g))
WICK_UNARY(ceil, "Smallest integer not below x.", zeros_like(g))
WICK_UNARY(round, "Nearest integer, halves to even.", zeros_like(g))
WICK_UNARY(trunc, "x without its fraction.", zeros_like(g))
WICK_UNARY(frac, "x - trunc(x).", g)
WICK_UNARY(reciprocal, "1 / x.", -g * y * y)
WICK_UNARY(sqrt, "Square root; NaN below 0.", g / (y * 2))
WICK_UNARY(rsqrt, "1 / sqrt(x).", g * y * y * y * -0.5)
WICK_UNARY(exp, "e to the x.", g * y)
WICK_UNARY(exp2, "2 to the x.", g * y * ln2)
WICK_UNARY(expm1, "exp(x) - 1, exact near 0.", g * (y + 1))
WICK_UNARY(log, "Natural logarithm.", g / x)
WICK_UNARY(log2, "Logarithm to base 2.", g / (x * ln2))
WICK_UNARY(log10, "Logarithm to base 10.", g / (x * ln10))
WICK_UNARY(log1p, "log(1 + x), exact near 0.", g / (x + 1))
WICK_UNARY(sin, "Sine; x in radians.", g * cos(x))
WICK_UNARY(cos, "Cosine; x in radians.", -g * sin(x))
WICK_UNARY(tan, "Tangent; x in radians.", g * (1 + y * y))
WICK_UNARY(asin, "Inverse sine.", g * rsqrt(1 - x * x))
WICK_UNARY(acos, "Inverse cosine.", -g * rsqrt(1 - x * x))
WICK_UNARY(atan, "Inverse tangent.", g / (1 + x * x))
WICK_UNARY(sinh, "Hyperbolic sine.", g * cosh(x))
WICK_UNARY(cosh, "Hyperbolic cosine.", g * sinh(x))
WICK_UNARY(tanh, "Hyperbolic tangent.", g * (1 - y * y))
WICK_UNARY(asinh, "Inverse hyperbolic sine.", g * rsqrt(x * x + 1))
WICK_UNARY(acosh, "Inverse hyperbolic cosine.", g * rsqrt(x * x - 1))
WICK_UNARY(atanh, "Inverse hyperbolic tangent.", g / (1 - x * x))
WICK_UNARY(erf, "Error function.", g * exp(-(x * x)) * (2 * inv_sqrtpi))
WICK_UNARY(erfc, "1 - erf(x), exact for large x.", g * exp(-(x * x)) * (-2 * inv_sqrtpi))
WICK_UNARY(sigmoid, "1 / (1 + exp(-x)).", g * y * (1 - y))
WICK_UNARY(softsign, "x / (1 + |x|).", g * square(1 - abs(y)))
WICK_UNARY_CONSTANT(logical_not, "Whether x is zero.")
WICK_UNARY_CONSTANT(isnan, "Whether x is not a number.")
WICK_UNARY_CONSTANT(isinf, "Whether x is an infinity.")
WICK_UNARY_CONSTANT(isfinite, "Whether x is neither an infinity nor NaN.")
WICK_UNARY_CONSTANT(bitwise_not, "Every bit turned; for bool, not.")
// clang-format on

} // namespace wick
