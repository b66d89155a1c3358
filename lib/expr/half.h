/* SPDX-License-Identifier: BSD-3-Clause */
/* float16 (IEEE 754 binary16) and bfloat16 to float32 and back, rounding to nearest even. Selections instead of
   branches, so that loops over them become vector code. */
#ifndef TH_EXPR_HALF_H
#define TH_EXPR_HALF_H

#include "expr/bits.h"

#include <math.h>

TH_INLINE float th_bfloat16_load(uint16_t h) { return th_bits_float((uint32_t)h << 16); }

TH_INLINE uint16_t th_bfloat16_store(float f) {
    uint32_t u = th_float_bits(f);
    uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    uint32_t nan = u >> 16 | 0x40; /* stays quiet, and a NaN whose payload lies in the lower half stays one */
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

TH_INLINE float th_float16_load(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    uint32_t normal = (rest << 13) + (112u << 23);                  /* exponent bias 15 to 127 */
    uint32_t quiet = rest > 0x7c00u ? 0x400000u : 0;                /* as IEEE 754 and hardware want NaN */
    uint32_t special = rest << 13 | 0x7f800000u | quiet;            /* infinities and NaN */
    uint32_t tiny = th_float_bits((float)(int32_t)rest * 0x1p-24f); /* zero and subnormals */
    return th_bits_float(sign | (rest >= 0x7c00u ? special : rest < 0x400u ? tiny : normal));
}

TH_INLINE uint16_t th_float16_store(float f) {
    uint32_t u = th_float_bits(f), sign = u >> 16 & 0x8000u, rest = u & 0x7fffffffu;
    uint32_t normal = (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1)) >> 13; /* may carry into infinity, rightly */
    /* adding 1/2 puts the last kept bit of a subnormal (2^-24) at the end of the significand and rounds there */
    uint32_t tiny = th_float_bits(th_bits_float(rest) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00u | (rest >> 13 & 0x3ffu);
    uint32_t large = rest > 0x7f800000u ? nan : 0x7c00u;
    return (uint16_t)(sign | (rest >= 0x47800000u ? large : rest < 0x38800000u ? tiny : normal));
}

/* Rounds to odd (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008), so that rounding once
   more, to 16 bits, gives what is nearest to x and not to the float in between. */
TH_INLINE float th_double_to_odd_float(double x) {
    float near = (float)x;
    uint32_t u = th_float_bits(near);
    uint32_t toward_zero = u - (uint32_t)(fabs((double)near) > fabs(x));
    return th_bits_float((double)near == x || x != x ? u : toward_zero | 1u);
}

/* The same for an integer: what a double cannot hold is kept as one bit. */
TH_INLINE double th_int64_to_odd_double(int64_t x) {
    int64_t sticky = (x & ~INT64_C(0x7ff)) | (x & 0x7ff ? 0x400 : 0);
    return (double)(x > -(INT64_C(1) << 53) && x < INT64_C(1) << 53 ? x : sticky);
}

#endif
