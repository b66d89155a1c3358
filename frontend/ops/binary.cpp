// SPDX-License-Identifier: BSD-3-Clause
// The functions of TH/ops/binary.def, and add and sub. Gradients are expressions in g, a, b and the result y, one per
// operand; the engine sums them over broadcast dimensions.
#include "ops/derivative.hpp"
#include <cmath>

namespace wick {

/// Of one rounding: halves are used as they are.
#define WICK_BINARY(fn, doc, gradient_a, gradient_b) WICK_BINARY_OF(fn, doc, Saved, gradient_a, gradient_b)

/// Halves are computed in float32.
#define WICK_BINARY_WIDE(fn, doc, gradient_a, gradient_b) WICK_BINARY_OF(fn, doc, Wide, gradient_a, gradient_b)

#define WICK_GRADIENT(Kept, gradient)                                                                                  \
    [=](const Tensor &grad) -> Tensor {                                                                                \
        const Tensor &g = seen<Kept>(grad);                                                                            \
        return gradient;                                                                                               \
    }
#define WICK_BINARY_OF(fn, doc, Kept, gradient_a, gradient_b)                                                          \
    static Tensor fn##_into(const Tensor &left, const Tensor &right, Change *change) {                                 \
        auto tape = [&](const Tensor &out) {                                                                           \
            const Kept a(left), b(right), y = Kept::output(out);                                                       \
            record(#fn, out, wrt(left, WICK_GRADIENT(Kept, gradient_a)), wrt(right, WICK_GRADIENT(Kept, gradient_b))); \
        };                                                                                                             \
        return compute<TH_##fn>(change, tape, left, right);                                                            \
    }                                                                                                                  \
    Tensor fn(const Tensor &a, const Tensor &b) { return fn##_into(a, b, nullptr); }                                   \
    Tensor &fn##_(Tensor &a, const Tensor &b) {                                                                        \
        return in_place(                                                                                               \
            #fn "_", a, [&](Change &change) { fn##_into(change.before(a), change.before(b), &change); }, b);           \
    }                                                                                                                  \
    WICK_DOC(fn, doc)

/// Results that no gradient passes.
#define WICK_BINARY_CONSTANT(fn, doc)                                                                                  \
    Tensor fn(const Tensor &a, const Tensor &b) { return call<TH_##fn>(a, b); }                                        \
    Tensor &fn##_(Tensor &a, const Tensor &b) {                                                                        \
        return overwrite(#fn "_", a, [&](THTensor *into) { call_into<TH_##fn>(into, a, b); });                         \
    }                                                                                                                  \
    WICK_DOC(fn, doc)

/// Whether an operand of fmax or fmin lost, given whether the other is beyond it: NaN loses, the second of two.
static Tensor first_lost(const Tensor &beyond, const Tensor &a, const Tensor &b) {
    return logical_or(beyond, logical_and(isnan(a), logical_not(isnan(b))));
}
static Tensor second_lost(const Tensor &beyond, const Tensor &b) { return logical_or(beyond, isnan(b)); }

/// a - b, where equal infinities differ by nothing.
static Tensor difference(const Tensor &a, const Tensor &b) { return where(logical_and(eq(a, b), isinf(a)), 0, a - b); }

/// The derivatives of a^b. By a, b = 0 gives 0 whatever a is, and by b, a^b = 0 does (0^0 too, as in PyTorch): where a
/// factor is infinite then, 1 takes the operand's place, so that nothing infinite waits behind the mask for the second
/// derivatives.
static Tensor power_by_base(const Tensor &g, const Tensor &a, const Tensor &b) {
    if (THTensor_is_number(b.th()) && b.item<double>() != 0) return g * b * pow(a, b - 1);
    Tensor none = eq(b, 0), ordinary = logical_and(ne(a, 0), isfinite(a));
    Tensor flat = logical_and(none, logical_not(ordinary)), base = where(flat, 1, a);
    // a^b / a in place of a^(b - 1) keeps 0 away from an infinite a^-2.
    Tensor one = logical_and(none, ordinary);
    Tensor slope = g * b * pow(base, where(one, b, b - 1)) / where(one, base, 1);
    return where(flat, zeros_like(g), slope);
}
static Tensor power_by_exponent(const Tensor &g, const Tensor &a, const Tensor &b, const Tensor &y) {
    Tensor flat = logical_or(logical_and(eq(a, 0), ge(b, 0)), logical_and(eq(a, INFINITY), lt(b, 0)));
    return where(flat, zeros_like(g), g * y * log(where(flat, 1, a)));
}

// clang-format off
WICK_BINARY(mul, "a b.", g * b, g * a)
WICK_BINARY_WIDE(div, "a / b; integers give floating results.", g / b, -(g * y) / b)
WICK_BINARY(floor_divide, "floor(a / b).", zeros_like(g), zeros_like(g))
WICK_BINARY(trunc_divide, "trunc(a / b).", zeros_like(g), zeros_like(g))
WICK_BINARY(remainder, "a - b floor(a / b), with the sign of b.", g, -g * floor_divide(a, b))
WICK_BINARY(fmod, "a - b trunc(a / b), with the sign of a.", g, -g * trunc_divide(a, b))
WICK_BINARY_WIDE(pow, "a to the b.", power_by_base(g, a, b), power_by_exponent(g, a, b, y))
WICK_BINARY(maximum, "The larger operand; NaN if either is. Equal ones share the gradient.", share(g, lt(a, b), a, b), share(g, lt(b, a), a, b))
WICK_BINARY(minimum, "The smaller operand; NaN if either is. Equal ones share the gradient.", share(g, gt(a, b), a, b), share(g, gt(b, a), a, b))
WICK_BINARY(fmax, "The larger operand; a number rather than NaN. Equal ones share the gradient.", share(g, first_lost(lt(a, b), a, b), a, b),
            share(g, second_lost(gt(a, b), b), a, b))
WICK_BINARY(fmin, "The smaller operand; a number rather than NaN. Equal ones share the gradient.", share(g, first_lost(gt(a, b), a, b), a, b),
            share(g, second_lost(lt(a, b), b), a, b))
WICK_BINARY_WIDE(atan2, "Angle of the point (b, a), in radians. The gradient at (0, 0) is 0.", g * inversion(b, a), -g * inversion(a, b))
WICK_BINARY_WIDE(hypot, "sqrt(a a + b b) without overflow. The gradient at (0, 0) is 0.", g * cosine(a, b), g * cosine(b, a))
WICK_BINARY(copysign, "a with the sign of b.", g * (sign(a) * copysign(1.0, b)), zeros_like(g))
WICK_BINARY_WIDE(logaddexp, "log(exp(a) + exp(b)) without overflow.", g * sigmoid(difference(a, b)), g * sigmoid(difference(b, a)))
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

Tensor div(const Tensor &a, const Tensor &b, std::optional<std::string_view> rounding_mode) {
    if (!rounding_mode) return div(a, b);
    if (*rounding_mode == "trunc") return trunc_divide(a, b);
    if (*rounding_mode == "floor") return floor_divide(a, b);
    fail(TH_E_ARG, "div: got rounding_mode '%.*s', want 'trunc', 'floor' or none",
         static_cast<int>(rounding_mode->size()), rounding_mode->data());
}

namespace {
bool is_one(const Scalar &s) { return s.to_double() == 1; }

Tensor scaled(const Tensor &g, const Scalar &alpha) { return is_one(alpha) ? g : g * Tensor(alpha); }

Tensor add_into(const Tensor &a, const Tensor &b, const Scalar &alpha, Change *change) {
    auto tape = [&](const Tensor &y) {
        record("add", y, wrt(a, [](const Tensor &g) { return g; }),
               wrt(b, [alpha](const Tensor &g) { return scaled(g, alpha); }));
    };
    return compute<TH_add>(change, tape, a, b, alpha);
}

Tensor sub_into(const Tensor &a, const Tensor &b, const Scalar &alpha, Change *change) {
    auto tape = [&](const Tensor &y) {
        record("sub", y, wrt(a, [](const Tensor &g) { return g; }),
               wrt(b, [alpha](const Tensor &g) { return -scaled(g, alpha); }));
    };
    return compute<TH_sub>(change, tape, a, b, alpha);
}
} // namespace

Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha) { return add_into(a, b, alpha, nullptr); }

Tensor sub(const Tensor &a, const Tensor &b, const Scalar &alpha) { return sub_into(a, b, alpha, nullptr); }

Tensor &add_(Tensor &a, const Tensor &b, const Scalar &alpha) {
    return in_place(
        "add_", a, [&](Change &change) { add_into(change.before(a), change.before(b), alpha, &change); }, b);
}

Tensor &sub_(Tensor &a, const Tensor &b, const Scalar &alpha) {
    return in_place(
        "sub_", a, [&](Change &change) { sub_into(change.before(a), change.before(b), alpha, &change); }, b);
}

Tensor &copy_(Tensor &x, const Tensor &src) {
    auto write = [&](THTensor *into) { check(THTensor_copy(into, src.th())); };
    auto op = [&](Change &change) {
        const Tensor &old = change.overwritten(), &from = change.before(src);
        auto tape = [&](const Tensor &y) {
            record("copy_", y, wrt(old, [](const Tensor &g) { return zeros_like(g); }),
                   wrt(from, [device = src.device()](const Tensor &g) { return to(g, device); }));
        };
        change.write(write, tape, old, from);
    };
    return in_place("copy_", x, op, src);
}

Tensor &fill_(Tensor &x, const Scalar &value) {
    return overwrite("fill_", x, [&](THTensor *into) { change<TH_fill>(into, value); });
}

} // namespace wick
