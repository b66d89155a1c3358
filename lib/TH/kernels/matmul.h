/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TH_KERNELS_MATMUL_H
#define TH_KERNELS_MATMUL_H

#include <stdint.h>

/* One row of an integer product, wrapping: c[j] += alpha sum_p a[p a_step] b[p b_step + j] for j below n, p below k. */
typedef void (*th_matmul_row)(void *c, const void *a, int64_t a_step, const void *b, int64_t b_step, int64_t alpha,
                              int64_t k, int64_t n);

/* By the elements' width: 8, 16, 32, 64 bits. */
struct th_matmul_table {
    th_matmul_row row[4];
};

#endif
