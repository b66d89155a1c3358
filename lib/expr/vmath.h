/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the mathematical functions of which the C library (libmvec, or SLEEF's GNU-ABI library on aarch64) has
   vector versions, so that gcc calls those inside vector loops. glibc's own headers do so only under -ffast-math. */
#ifndef TH_EXPR_VMATH_H
#define TH_EXPR_VMATH_H

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(TH_HAVE_VECTOR_MATH)
#define TH_VMATH1(fn)                                                                                                  \
    __attribute__((simd("notinbranch"))) double fn(double);                                                            \
    __attribute__((simd("notinbranch"))) float fn##f(float);
#define TH_VMATH2(fn)                                                                                                  \
    __attribute__((simd("notinbranch"))) double fn(double, double);                                                    \
    __attribute__((simd("notinbranch"))) float fn##f(float, float);
/* glibc 2.35 and later; SLEEF has all of these too */
/* clang-format off */
TH_VMATH1(exp) TH_VMATH1(exp2) TH_VMATH1(expm1) TH_VMATH1(log) TH_VMATH1(log2) TH_VMATH1(log10) TH_VMATH1(log1p)
TH_VMATH1(sin) TH_VMATH1(cos) TH_VMATH1(tan) TH_VMATH1(asin) TH_VMATH1(acos) TH_VMATH1(atan)
TH_VMATH1(sinh) TH_VMATH1(cosh) TH_VMATH1(tanh) TH_VMATH1(asinh) TH_VMATH1(acosh) TH_VMATH1(atanh)
TH_VMATH1(erf) TH_VMATH1(erfc) TH_VMATH2(pow) TH_VMATH2(atan2) TH_VMATH2(hypot)
/* clang-format on */
#undef TH_VMATH1
#undef TH_VMATH2
#endif

#endif
