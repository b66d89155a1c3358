/* SPDX-License-Identifier: BSD-3-Clause */
/* Mathematical functions that gcc makes vector code of.

   Those of which the C library (libmvec, or SLEEF's GNU-ABI library on aarch64) has vector versions are declared here
   so that gcc calls these inside vector loops; glibc's own headers do so only under -ffast-math.

   M(th_exp), M(th_tanh) and M(th_sigmoid) are, where the CPU has fused multiply-add, made of arithmetic for floats:
   faster than a call, and the same bits in scalar and vector code. For all floats exp is within 1 ulp, tanh within 4
   and never above 1, sigmoid within 3, also where the result is subnormal. */
#ifndef TH_EXPR_VMATH_H
#define TH_EXPR_VMATH_H

#include "expr/bits.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(TH_HAVE_VECTOR_MATH)
#define TH_VMATH1(fn)                                                                                                  \
    __attribute__((simd("notinbranch"))) double fn(double);                                                            \
    __attribute__((simd("notinbranch"))) float fn##f(float)
#define TH_VMATH2(fn)                                                                                                  \
    __attribute__((simd("notinbranch"))) double fn(double, double);                                                    \
    __attribute__((simd("notinbranch"))) float fn##f(float, float)
/* glibc 2.35 and later; SLEEF has all of these too */
/* clang-format off */
TH_VMATH1(exp); TH_VMATH1(exp2); TH_VMATH1(expm1); TH_VMATH1(log); TH_VMATH1(log2); TH_VMATH1(log10); TH_VMATH1(log1p);
TH_VMATH1(sin); TH_VMATH1(cos); TH_VMATH1(tan); TH_VMATH1(asin); TH_VMATH1(acos); TH_VMATH1(atan);
TH_VMATH1(sinh); TH_VMATH1(cosh); TH_VMATH1(tanh); TH_VMATH1(asinh); TH_VMATH1(acosh); TH_VMATH1(atanh);
TH_VMATH1(erf); TH_VMATH1(erfc); TH_VMATH2(pow); TH_VMATH2(atan2); TH_VMATH2(hypot);
/* clang-format on */
#undef TH_VMATH1
#undef TH_VMATH2
#endif

TH_INLINE double th_exp(double x) { return exp(x); }
TH_INLINE double th_tanh(double x) { return tanh(x); }
TH_INLINE double th_sigmoid(double x) {
    const double e = exp(-fabs(x)); /* never overflows */
    return (x >= 0 ? 1 : e) / (1 + e);
}

/* y sigmoid(x) for y of x's size: rounded once where sigmoid alone would be subnormal, which a factor exp(64) prevents.
 */
TH_INLINE double th_sigmoid_times(double x, double y) {
    const double shift = x < -600 ? 64 : 0, e = exp(shift - fabs(x)); /* exact before exp */
    const double scaled = (x >= 0 ? 1 : e) / (1 + e) * y;
    return shift != 0 ? scaled * 1.60381089054863785e-28 : scaled; /* exp(-64) */
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDACC__)
/* tools/gen/vmath_coefficients.py prints the constants below. Comparisons are such that NaN stays. */

/* exp(x) = p 2^n for x >= -104, with n <= 150. Returns p and sets *m to n + 254 plus a multiple of 2^22: half of m is
 * the biased exponent of 2^(n / 2), which no float result's n takes out of range. */
TH_INLINE float th_exp_split(float x, uint32_t *m) {
    const float shift = 0x1.8p23f + 254; /* floats near it are integers: adding it rounds */
    const int32_t most = (int32_t)th_float_bits(shift + 150);
    int32_t bits = (int32_t)th_float_bits(fmaf(x, 0x1.715476p0f, shift)); /* x / log(2) */
    bits = bits < most ? bits : most;
    const float n = th_bits_float((uint32_t)bits) - shift;
    const float r = fmaf(n, -0x1.7f7d1cp-20f, fmaf(n, -0x1.62e4p-1f, x)); /* x - n log(2), the first product exact */
    float p = fmaf(0.00138146116f, r, 0.00836871006f);
    p = fmaf(p, r, 0.041668389f);
    p = fmaf(p, r, 0.166665211f);
    p = fmaf(p, r, 0.49999994f);
    p = fmaf(p, r, 1);
    *m = (uint32_t)bits;
    return fmaf(p, r, 1);
}

TH_INLINE float th_expf(float x) {
    uint32_t m;
    const float p = th_exp_split(x < -104 ? -104 : x, &m);
    return p * th_bits_float((m >> 1) << 23) * th_bits_float((m - (m >> 1)) << 23);
}

/* 1 / (1 + p 2^n) as a / (a + p b) with a = 2^(-n / 2), b = 2^(n / 2). */
TH_INLINE float th_sigmoidf(float x) {
    uint32_t m;
    const float p = th_exp_split(x > 104 ? -104 : -x, &m);
    const float a = th_bits_float((254 - (m >> 1)) << 23);
    return a / fmaf(p, th_bits_float((m - (m >> 1)) << 23), a);
}

TH_INLINE float th_sigmoid_timesf(float x, float y) {
    uint32_t m;
    const float p = th_exp_split(x > 104 ? -104 : -x, &m);
    const float a = th_bits_float((254 - (m >> 1)) << 23), b = th_bits_float((m - (m >> 1)) << 23);
    return (x < 0 ? a * y : a) / fmaf(p, b, a) * (x < 0 ? 1 : y);
}

/* 2 t / (1 + t^2) with t = a / (2 + d) = tanh(x / 2); errors of t count less and less towards 1. Without forming 2 + d
 * one rounding less. At the bound the quotient is 1, for the first time. */
TH_INLINE float th_tanhf(float x) {
    float a = fabsf(x);
    a = a > 8.39555264f ? 8.39555264f : a;
    const float u = a * a;
    a = fmaf(a * u, fmaf(0.000115040275f, u, 0.0298097711f), a);
    float d = fmaf(2.49163077e-06f, u, 0.00242065405f);
    d = fmaf(d, u, 0.226286158f) * u;
    const float twice = a + a; /* additions keep the multipliers free */
    return copysignf(fmaf(twice, d, twice + twice) / (4 + fmaf(d, d + 4, a * a)), x);
}
#else
TH_INLINE float th_expf(float x) { return expf(x); }
TH_INLINE float th_tanhf(float x) { return tanhf(x); }
TH_INLINE float th_sigmoidf(float x) {
    const float e = expf(-fabsf(x));
    return (x >= 0 ? 1 : e) / (1 + e);
}
TH_INLINE float th_sigmoid_timesf(float x, float y) { return (float)th_sigmoid_times((double)x, (double)y); }
#endif

#endif
