/* SPDX-License-Identifier: BSD-3-Clause */
/* A float as its bits (IEEE 754 binary32), and back. */
#ifndef TH_EXPR_BITS_H
#define TH_EXPR_BITS_H

#include "expr/template.h"

#include <string.h>

TH_INLINE float th_bits_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

TH_INLINE uint32_t th_float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

#endif
