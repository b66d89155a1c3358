/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of elementwise families share: expected values of any dtype, comparison by bits. */
#ifndef SUPPORT_ELEMENTWISE_H
#define SUPPORT_ELEMENTWISE_H

#include "support/tensors.h"

/* x as an integer dtype keeps it: modulo the width. */
static inline long double wrapped(THDtype dtype, long double x) {
    if (dtype == TH_BOOL || TH_dtype_is_floating(dtype)) return x;
    const long double range = ldexpl(1, (int)(8 * TH_dtype_size(dtype)));
    x -= floorl(x / range) * range;
    return TH_dtype_is_signed(dtype) && x >= range / 2 ? x - range : x;
}

/* The error that a result may have. Functions promise `ulp` in the dtype they compute in; a half then adds one
 * rounding. */
static inline double allowed(THDtype dtype, double ulp) {
    const int half = dtype == TH_FLOAT16 || dtype == TH_BFLOAT16;
    return half && ulp > 0 ? 0.51 : ulp;
}

/* got[i] must be want[i] in every element, at most `ulp` off; an error counts against `scale[i]` where that is larger.
 */
static inline void assert_values(const THTensor *got, const long double *want, const long double *scale, double ulp,
                                 const char *name) {
    const THDtype dtype = THTensor_dtype(got);
    for (int64_t i = 0; i < THTensor_numel(got); i++) {
        const long double g = element(got, i);
        long double error = TH_dtype_is_floating(dtype) ? ulp_error(dtype, g, want[i])
                            : g == want[i]              ? 0
                                                        : (long double)INFINITY;
        if (scale && fabsl(want[i]) < scale[i]) error = fabsl(g - want[i]) / ulp_of(dtype, scale[i]);
        if (error <= (long double)allowed(dtype, ulp)) continue;
        fail_msg("%s, %s, %s: element %lld is %.19Lg, want %.19Lg, off by %.3Lg ulp", name, TH_dtype_name(dtype),
                 TH_isa(), (long long)i, g, want[i], error);
    }
}

/* The same dtype, sizes and bits. */
static inline void assert_same_bits(const THTensor *a, const THTensor *b, const char *name) {
    assert_int_equal(THTensor_dtype(a), THTensor_dtype(b));
    assert_int_equal(THTensor_numel(a), THTensor_numel(b));
    const size_t size = (size_t)TH_dtype_size(THTensor_dtype(a));
    for (int64_t i = 0; i < THTensor_numel(a); i++)
        if (memcmp(support_address(a, i), support_address(b, i), size) != 0)
            fail_msg("%s, %s: element %lld depends on where it lies: %.19Lg and %.19Lg", name, TH_isa(), (long long)i,
                     element(a, i), element(b, i));
}

/* Defines test_<stem>, which runs check_<stem> for all rows and dtypes that the file's each() goes through, on every
   ISA. */
#define ON_EVERY_ISA(stem)                                                                                             \
    static void stem(void) { each(check_##stem); }                                                                     \
    static void test_##stem(void **state) { (void)state, on_every_isa(stem); }

#endif
