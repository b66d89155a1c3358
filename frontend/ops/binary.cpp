// SPDX-License-Identifier: BSD-3-Clause
// The functions of TH/ops/binary.def, and add and sub. Gradients are expressions in g, a, b and the result y, one per
// operand; the engine sums them over broadcast dimensions.
#include "ops/op.hpp"

namespace wick {

#define WICK_BINARY(fn, doc, gradient_a, gradient_b)                                                                   \
    static Tensor fn##_into(const Tensor &left, const Tensor &right, THTensor *into) {                                 \
        Tensor out = call_into<TH_##fn>(into, left, right);                                                            \
        if (!recording(left, right)) return out;                                                                       \
        const Saved a(left), b(right), y = Saved::output(out);                                                         \
        return record(#fn, out, wrt(left, [=](const Tensor &g) -> Tensor { return gradient_a; }),                      \
                      wrt(right, [=](const Tensor &g) -> Tensor { return gradient_b; }));                              \
    }                                                                                                                  \
    WICK_BINARY_FORMS(fn, doc)

/// Results that no gradient passes.
#define WICK_BINARY_CONSTANT(fn, doc)                                                                                  \
    static Tensor fn##_into(const Tensor &a, const Tensor &b, THTensor *into) {                                        \
        return call_into<TH_##fn>(into, a, b);                                                                         \
    }                                                                                                                  \
    WICK_BINARY_FORMS(fn, doc)

#define WICK_BINARY_FORMS(fn, doc)                                                                                     \
    Tensor fn(const Tensor &a, const Tensor &b) { return fn##_into(a, b, nullptr); }                                   \
    Tensor &fn##_(Tensor &a, const Tensor &b) {                                                                        \
        return in_place(                                                                                               \
            #fn "_", a, [&](const Tensor &old, THTensor *into) { return fn##_into(old, before(b, a, old), into); },    \
            b);                                                                                                        \
    }                                                                                                                  \
    WICK_DOC(fn, doc)

/// g where the condition holds, half of it where the operands are equal, as PyTorch does.
static Tensor choose(const Tensor &g, const Tensor &chosen, const Tensor &a, const Tensor &b) {
    return where(eq(a, b), g * 0.5, where(chosen, g, zeros_like(g)));
}

// clang-format off
WICK_BINARY(mul, "a b.", g * b, g * a)
WICK_BINARY(div, "a / b; integers give floating results.", g / b, -g * a / (b * b))
WICK_BINARY(floor_divide, "floor(a / b).", zeros_like(g), zeros_like(g))
WICK_BINARY(remainder, "a - b floor(a / b), with the sign of b.", g, -g * floor(a / b))
WICK_BINARY(fmod, "a - b trunc(a / b), with the sign of a.", g, -g * trunc(a / b))
WICK_BINARY(pow, "a to the b.", where(eq(b, 0), zeros_like(y), g * b * pow(a, Tensor(b) - 1)),
            g * where(eq(a, 0), zeros_like(y), y * log(a)))
WICK_BINARY(maximum, "The larger operand; NaN if either is.", choose(g, gt(a, b), a, b), choose(g, gt(b, a), a, b))
WICK_BINARY(minimum, "The smaller operand; NaN if either is.", choose(g, lt(a, b), a, b), choose(g, lt(b, a), a, b))
WICK_BINARY(fmax, "The larger operand; a number rather than NaN.", where(logical_or(ge(a, b), isnan(b)), g, zeros_like(g)),
            where(logical_or(ge(a, b), isnan(b)), zeros_like(g), g))
WICK_BINARY(fmin, "The smaller operand; a number rather than NaN.", where(logical_or(le(a, b), isnan(b)), g, zeros_like(g)),
            where(logical_or(le(a, b), isnan(b)), zeros_like(g), g))
WICK_BINARY(atan2, "Angle of the point (b, a), in radians.", g * b / (a * Tensor(a) + b * Tensor(b)), -g * a / (a * Tensor(a) + b * Tensor(b)))
WICK_BINARY(hypot, "sqrt(a a + b b) without overflow.", g * a / y, g * b / y)
WICK_BINARY(copysign, "a with the sign of b.", where(eq(a, 0), zeros_like(y), g * y / a), zeros_like(g))
WICK_BINARY(logaddexp, "log(exp(a) + exp(b)) without overflow.", g * exp(a - y), g * exp(b - y))
WICK_BINARY_CONSTANT(bitwise_and, "Bits set in both; for bool, and.")
WICK_BINARY_CONSTANT(bitwise_or, "Bits set in either; for bool, or.")
WICK_BINARY_CONSTANT(bitwise_xor, "Bits set in one; for bool, unequal.")
WICK_BINARY_CONSTANT(left_shift, "a 2^b.")
WICK_BINARY_CONSTANT(right_shift, "floor(a / 2^b).")
WICK_BINARY_CONSTANT(eq, "Whether a is b.")
WICK_BINARY_CONSTANT(ne, "Whether a is not b.")
WICK_BINARY_CONSTANT(lt, "Whether a is less than b.")
WICK_BINARY_CONSTANT(le, "Whether a is at most b.")
WICK_BINARY_CONSTANT(gt, "Whether a is greater than b.")
WICK_BINARY_CONSTANT(ge, "Whether a is at least b.")
WICK_BINARY_CONSTANT(logical_and, "Whether neither is zero.")
WICK_BINARY_CONSTANT(logical_or, "Whether one is not zero.")
WICK_BINARY_CONSTANT(logical_xor, "Whether exactly one is zero.")
// clang-format on

namespace {
bool is_one(const Scalar &s) { return s.to_double() == 1; }

Tensor scaled(const Tensor &g, const Scalar &alpha) { return is_one(alpha) ? g : g * Tensor(alpha); }

Tensor add_into(const Tensor &a, const Tensor &b, const Scalar &alpha, THTensor *into) {
    Tensor y = call_into<TH_add>(into, a, b, alpha);
    if (!recording(a, b)) return y;
    return record("add", y, wrt(a, [](const Tensor &g) { return g; }),
                  wrt(b, [alpha](const Tensor &g) { return scaled(g, alpha); }));
}

Tensor sub_into(const Tensor &a, const Tensor &b, const Scalar &alpha, THTensor *into) {
    Tensor y = call_into<TH_sub>(into, a, b, alpha);
    if (!recording(a, b)) return y;
    return record("sub", y, wrt(a, [](const Tensor &g) { return g; }),
                  wrt(b, [alpha](const Tensor &g) { return -scaled(g, alpha); }));
}

Tensor copy_into(const Tensor &x, const Tensor &src, THTensor *into) {
    Tensor y = Tensor::adopt(THTensor_retain(into));
    check(THTensor_copy(into, src.th()));
    if (!recording(x, src)) return y;
    return record("copy_", y, wrt(x, [](const Tensor &g) { return zeros_like(g); }),
                  wrt(src, [](const Tensor &g) { return g; }));
}

Tensor fill_into(const Tensor &x, const Scalar &value, THTensor *into) {
    Tensor y = Tensor::adopt(THTensor_retain(into));
    check(TH_fill(into, &value));
    if (!recording(x)) return y;
    return record("fill_", y, wrt(x, [](const Tensor &g) { return zeros_like(g); }));
}
} // namespace

Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha) { return add_into(a, b, alpha, nullptr); }

Tensor sub(const Tensor &a, const Tensor &b, const Scalar &alpha) { return sub_into(a, b, alpha, nullptr); }

Tensor &add_(Tensor &a, const Tensor &b, const Scalar &alpha) {
    return in_place(
        "add_", a, [&](const Tensor &old, THTensor *into) { return add_into(old, before(b, a, old), alpha, into); }, b);
}

Tensor &sub_(Tensor &a, const Tensor &b, const Scalar &alpha) {
    return in_place(
        "sub_", a, [&](const Tensor &old, THTensor *into) { return sub_into(old, before(b, a, old), alpha, into); }, b);
}

Tensor &copy_(Tensor &x, const Tensor &src) {
    return in_place(
        "copy_", x, [&](const Tensor &old, THTensor *into) { return copy_into(old, src, into); }, src);
}

Tensor &fill_(Tensor &x, const Scalar &value) {
    return in_place("fill_", x, [&](const Tensor &old, THTensor *into) { return fill_into(old, value, into); });
}

} // namespace wick
