/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of sizes: what does not fit is INT64_MAX, which no bound accepts and no allocation serves. Sizes multiply
   by these functions alone (tools/check/products.py). */
#ifndef TH_EXPR_SIZES_H
#define TH_EXPR_SIZES_H

#include "expr/template.h"

/* a b for a, b >= 0. */
TH_INLINE int64_t th_size_mul(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* a + b for a, b >= 0. */
TH_INLINE int64_t th_size_add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The product of n sizes. */
TH_INLINE int64_t th_size_product(const int64_t *sizes, int32_t n) {
    int64_t product = 1;
    for (int32_t i = 0; i < n; i++) product = th_size_mul(product, sizes[i]);
    return product;
}

#endif
