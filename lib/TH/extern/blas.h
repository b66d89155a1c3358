/* SPDX-License-Identifier: BSD-3-Clause */
/* CBLAS for float32 and float64, always on the calling thread alone: the library cuts products into pieces of its own,
   because the pieces that a threaded BLAS makes change the last bits with the number of threads. Sizes, steps and
   leading dimensions may be any: BLAS's own are 32 bits wide, so that larger ones are cut here. */
#ifndef TH_EXTERN_BLAS_H
#define TH_EXTERN_BLAS_H

#include "TH/dtype.h"

/* A row-major matrix, rows `ld` elements apart (ld >= max(1, columns)); read as its transpose if transposed != 0. */
typedef struct th_blas_matrix {
    const void *data;
    int64_t ld;
    int32_t transposed;
} th_blas_matrix;

/* c [m, n], rows ldc apart, becomes alpha a b + beta c with a [m, k] and b [k, n]; beta 0 does not read c. */
void th_blas_gemm(THDtype dtype, int64_t m, int64_t n, int64_t k, double alpha, const th_blas_matrix *a,
                  const th_blas_matrix *b, double beta, void *c, int64_t ldc);

/* y [m] becomes alpha a x + beta y with a [m, k]; vectors are incx and incy elements apart, at least 1. */
void th_blas_gemv(THDtype dtype, int64_t m, int64_t k, double alpha, const th_blas_matrix *a, const void *x,
                  int64_t incx, double beta, void *y, int64_t incy);

double th_blas_dot(THDtype dtype, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy);

#endif
