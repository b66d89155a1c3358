/* SPDX-License-Identifier: BSD-3-Clause */
/* The normal distribution's Phi where gelu needs it: relative to its own size in the lower tail, also where the result
   is subnormal.

   M(th_gelu)(x) is x Phi(x), M(th_gelu_slope)(x) its derivative Phi(x) + x phi(x). Where the CPU has fused
   multiply-add, floats are made of arithmetic: with a = |x|, Phi(-a) = exp(-a^2 / 2) R(a), and R, which falls from 1/2
   like 1 / a, is a quotient of polynomials. Elsewhere double's erfc serves both. */
#ifndef TH_EXPR_NORMAL_H
#define TH_EXPR_NORMAL_H

#include "expr/vmath.h"

/* erfc(t + rest) / 2 for the exact -x / sqrt(2) = t + rest: erfc's relative error is 2 t^2 times that of its argument.
   The product is split by Veltkamp's and Dekker's way. */
TH_INLINE double th_normal_cdf(double x) {
    const double root = 0.70710678118654752440, tail = -4.833646656726457e-17; /* of 1 / sqrt(2), high and low */
    const double high = 0x1.6a09e6p-1, low = root - high;                      /* of root: 24 bits and the rest */
    const double near = x < -40 ? -40 : x > 40 ? 40 : x, t = -root * near;
    const double first = (double)(float)near, second = near - first;
    const double rest = -(first * high + t + first * low + second * root) - near * tail;
    return 0.5 * erfc(t) - 0.56418958354775628695 * rest * exp(-t * t);
}

/* exp(-x^2 / 2) for |x| <= 40: the square of x's first half is exact, and the rest of x^2 / 2 is below 2^-13. */
TH_INLINE double th_bell(double x) {
    const double first = (double)(float)x, rest = 0.5 * (x - first) * (x + first);
    return exp(-0.5 * first * first) * (1 - rest * (1 - rest * (0.5 - rest * (1.0 / 6))));
}

TH_INLINE double th_gelu(double x) { return (x < -40 ? -40 : x) * th_normal_cdf(x); }

TH_INLINE double th_gelu_slope(double x) {
    const double near = x < -40 ? -40 : x > 40 ? 40 : x;
    return th_normal_cdf(near) + near * 0.39894228040143267794 * th_bell(near);
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
/* R for 0 <= a <= 14.7 within 0.6 2^-24; tools/gen/vmath_coefficients.py. */
TH_INLINE float th_normal_tailf(float a) {
    float p = fmaf(0.00410036882f, a, 0.0405434519f), q = fmaf(0.0102779819f, a, 0.101633787f);
    p = fmaf(p, a, 0.182991773f), q = fmaf(q, a, 0.468820512f);
    p = fmaf(p, a, 0.43800199f), q = fmaf(q, a, 1.20154965f);
    p = fmaf(p, a, 0.5f), q = fmaf(q, a, 1.67388892f);
    return p / fmaf(q, a, 1);
}

/* factor exp(-a^2 / 2), for 0 <= a <= 14.7, rounded once below the normal numbers. */
TH_INLINE float th_bellf(float a, float factor) {
    const float square = a * a, rest = fmaf(a, a, -square);
    uint32_t m;
    const float p = th_exp_split(-0.5f * square, &m) * fmaf(-0.5f, rest, 1);
    return factor * p * th_bits_float((m >> 1) << 23) * th_bits_float((m - (m >> 1)) << 23);
}

TH_INLINE float th_geluf(float x) {
    const float most = fabsf(x) > 14.7f ? 14.7f : fabsf(x), low = th_bellf(most, most * th_normal_tailf(most));
    return x >= 0 ? x - low : -low;
}

TH_INLINE float th_gelu_slopef(float x) {
    const float a = fabsf(x) > 14.7f ? 14.7f : fabsf(x);
    const float low = th_bellf(a, fmaf(a, -0.39894228f, th_normal_tailf(a)));
    return x > 0 ? 1 - low : low;
}
#else
TH_INLINE float th_geluf(float x) {
    const double near = x < -40 ? -40 : (double)x;
    return (float)(near * 0.5 * erfc(near * -0.70710678118654752440));
}

TH_INLINE float th_gelu_slopef(float x) {
    const double near = x < -40 ? -40 : x > 40 ? 40 : (double)x;
    return (float)(0.5 * erfc(near * -0.70710678118654752440) +
                   near * 0.39894228040143267794 * exp(-0.5 * near * near));
}
#endif

#endif
