/* SPDX-License-Identifier: BSD-3-Clause */
#include "extern/blas.h"
#include "expr/openmp.h"

#include <cblas.h>
#include <stddef.h>
#include <sys/mman.h>

/* OpenBLAS on OpenMP uses as many threads as the calling thread may; that is a per-thread setting. */
static inline int threads_begin(void) {
    int n = omp_get_max_threads();
    if (n != 1) omp_set_num_threads(1);
    return n;
}

static inline void threads_end(int n) {
    if (n != 1) omp_set_num_threads(n);
}

/* OpenBLAS maps work space, 128 MiB, for each call that runs at a time, keeps it, and tries for ever where it cannot.
 */
static int has_room(void) {
    static __thread int had;
    if (had) return 1;
    const size_t bytes = (size_t)160 << 20;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return 0;
    munmap(room, bytes);
    return had = 1;
}

static double load(THDtype dtype, const void *p, int64_t i) {
    return dtype == TH_FLOAT32 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

/* The product by plain loops, for when there is no room. b and c may be vectors: matrices of one column, inc apart. */
static void multiply(THDtype dtype, int64_t m, int64_t n, int64_t k, double alpha, const th_blas_matrix *a,
                     const th_blas_matrix *b, double beta, void *c, int64_t ldc) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += load(dtype, a->data, a->transposed ? l * a->ld + i : i * a->ld + l) *
                       load(dtype, b->data, b->transposed ? j * b->ld + l : l * b->ld + j);
            sum = alpha * sum + (beta == 0 ? 0 : beta * load(dtype, c, i * ldc + j));
            if (dtype == TH_FLOAT32)
                ((float *)c)[i * ldc + j] = (float)sum;
            else
                ((double *)c)[i * ldc + j] = sum;
        }
}

static inline CBLAS_TRANSPOSE trans(const th_blas_matrix *a) { return a->transposed ? CblasTrans : CblasNoTrans; }

void th_blas_gemm(THDtype dtype, int64_t m, int64_t n, int64_t k, double alpha, const th_blas_matrix *a,
                  const th_blas_matrix *b, double beta, void *c, int64_t ldc) {
    if (!has_room()) {
        multiply(dtype, m, n, k, alpha, a, b, beta, c, ldc);
        return;
    }
    int threads = threads_begin();
    blasint mi = (blasint)m, ni = (blasint)n, ki = (blasint)k;
    blasint lda = (blasint)a->ld, ldb = (blasint)b->ld, ldci = (blasint)ldc;
    if (dtype == TH_FLOAT32) {
        cblas_sgemm(CblasRowMajor, trans(a), trans(b), mi, ni, ki, (float)alpha, a->data, lda, b->data, ldb,
                    (float)beta, c, ldci);
    } else {
        cblas_dgemm(CblasRowMajor, trans(a), trans(b), mi, ni, ki, alpha, a->data, lda, b->data, ldb, beta, c, ldci);
    }
    threads_end(threads);
}

/* BLAS leaves y alone when k is 0, and some versions multiply the old y by a beta of 0. */
static void clear(THDtype dtype, void *y, int64_t n, int64_t inc) {
    if (dtype == TH_FLOAT32) {
        for (int64_t i = 0; i < n; i++) ((float *)y)[i * inc] = 0;
    } else {
        for (int64_t i = 0; i < n; i++) ((double *)y)[i * inc] = 0;
    }
}

void th_blas_gemv(THDtype dtype, int64_t m, int64_t k, double alpha, const th_blas_matrix *a, const void *x,
                  int64_t incx, double beta, void *y, int64_t incy) {
    if (!has_room()) {
        multiply(dtype, m, 1, k, alpha, a, &(th_blas_matrix){x, incx, 0}, beta, y, incy);
        return;
    }
    int threads = threads_begin();
    if (beta == 0) {
        clear(dtype, y, m, incy);
        beta = 1;
    }
    blasint rows = (blasint)(a->transposed ? k : m), cols = (blasint)(a->transposed ? m : k);
    blasint lda = (blasint)a->ld, ix = (blasint)incx, iy = (blasint)incy;
    if (dtype == TH_FLOAT32) {
        cblas_sgemv(CblasRowMajor, trans(a), rows, cols, (float)alpha, a->data, lda, x, ix, (float)beta, y, iy);
    } else {
        cblas_dgemv(CblasRowMajor, trans(a), rows, cols, alpha, a->data, lda, x, ix, beta, y, iy);
    }
    threads_end(threads);
}

double th_blas_dot(THDtype dtype, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy) {
    int threads = threads_begin();
    double sum = dtype == TH_FLOAT32 ? cblas_sdot((blasint)n, x, (blasint)incx, y, (blasint)incy)
                                     : cblas_ddot((blasint)n, x, (blasint)incx, y, (blasint)incy);
    threads_end(threads);
    return sum;
}
