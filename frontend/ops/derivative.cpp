// SPDX-License-Identifier: BSD-3-Clause
#include "ops/derivative.hpp"

namespace wick {

namespace {
template <class Value> Tensor unrecorded(Value value) {
    NoGrad scope;
    return value();
}

/// A function of x with a derivative that needs x alone.
template <class Value, class D> Tensor closed(const char *name, const Tensor &x, Value value, D derivative) {
    Tensor y = unrecorded([&] { return value(x); });
    if (!recording(x)) return y;
    const Saved at(x);
    return record(name, y, wrt(x, [=](const Tensor &g) { return g * derivative(at.get()); }));
}

/// (a, b) scaled by the larger of |a| and |b|, so that squares are between 0 and 1.
struct Scaled {
    Tensor largest, own, inverse; // 1 for 0; |a| / largest; 1 / sqrt of the sum of squares

    Scaled(const Tensor &a, const Tensor &b) {
        Tensor p = abs(a), q = abs(b), most = maximum(p, q);
        Tensor ratio = where(eq(p, q), 1, minimum(p, q) / most); // equal infinities too
        largest = where(eq(most, 0), 1, most);
        own = where(eq(most, 0), 0, where(lt(p, q), ratio, 1));
        inverse = rsqrt(1 + ratio * ratio);
    }
};

/// v / hypot(a, b), also where hypot overflows; v at the origin.
Tensor over_radius(const Tensor &v, const Tensor &a, const Tensor &b) {
    Tensor half = hypot(a * 0.5, b * 0.5);
    return v * 0.5 / where(eq(half, 0), 0.5, half);
}
} // namespace

Tensor share(const Tensor &g, const Tensor &lost, const Tensor &a, const Tensor &b) {
    return where(lost, zeros_like(g), where(eq(a, b), g * 0.5, g));
}

Tensor centered(const Tensor &x, Dims dims) {
    Tensor d = x - mean(x, dims, true);
    return d - mean(d, dims, true);
}

Tensor gaussian(const Tensor &x, double scale) {
    // exp(-0.5 * 60 * 60) is 0 in every dtype, and 0 x is no NaN for the bound.
    return closed(
        "gaussian", clamp(x, -60, 60),
        [=](const Tensor &at) {
            // The square of the leading bits is exact, so that the exponent's rounding is not multiplied by it.
            Tensor lead = round(at * 16) * 0.0625;
            return exp(square(lead) * -scale) * exp((lead - at) * (lead + at) * scale);
        },
        [=](const Tensor &at) { return at * (-2 * scale) * gaussian(at, scale); });
}

Tensor secant(const Tensor &x) {
    return closed(
        "secant", x, [](const Tensor &at) { return reciprocal(hypot(at, 1)); },
        [](const Tensor &at) {
            Tensor s = secant(at);
            return -(s * sin(atan(at)) * s); // sin(atan(x)) = x / sqrt(1 + x x), at infinity too
        });
}

Tensor complement(const Tensor &x) {
    return closed(
        "complement", x, [](const Tensor &at) { return (1 - at) * (1 + at); },
        [](const Tensor &at) { return at * -2; });
}

Tensor cosine(const Tensor &a, const Tensor &b) {
    Tensor y = unrecorded([&] {
        Scaled s(a, b);
        return copysign(s.own * s.inverse, a);
    });
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    return record("cosine", y,
                  wrt(a,
                      [=](const Tensor &g) {
                          Tensor sine = cosine(sb, sa);
                          return g * over_radius(sine * sine, sa, sb);
                      }),
                  wrt(b, [=](const Tensor &g) { return -g * over_radius(cosine(sa, sb) * cosine(sb, sa), sa, sb); }));
}

Tensor inversion(const Tensor &a, const Tensor &b) {
    Tensor y = unrecorded([&] {
        Scaled s(a, b);
        return copysign(s.own * s.inverse * s.inverse / s.largest, a);
    });
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    auto over_square = [=](const Tensor &v) { return over_radius(over_radius(v, sa, sb), sa, sb); };
    return record("inversion", y,
                  wrt(a,
                      [=](const Tensor &g) {
                          Tensor c = cosine(sa, sb), s = cosine(sb, sa);
                          return g * over_square((s - c) * (s + c));
                      }),
                  wrt(b, [=](const Tensor &g) { return g * over_square(cosine(sa, sb) * cosine(sb, sa) * -2); }));
}

} // namespace wick
