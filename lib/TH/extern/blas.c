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

/* BLAS counts in 32 bits: sizes beyond MOST are cut, rows further apart than FAR (as vectors' elements) are handed over
   one by one. */
enum { MOST = 1 << 30, FAR = INT32_MAX };

static inline int64_t at_most(int64_t n, int64_t limit) { return n < limit ? n : limit; }

static inline int64_t piece(int64_t n, int is_far) { return is_far ? 1 : at_most(n, MOST); }

/* The part of a matrix that starts at (row, col). */
static inline const void *part(THDtype dtype, const th_blas_matrix *a, int64_t row, int64_t col) {
    return (const char *)a->data + (a->transposed ? col * a->ld + row : row * a->ld + col) * TH_dtype_size(dtype);
}

/* A single row is no distance from the next one. */
static inline blasint leading(int64_t ld, int64_t rows, int64_t cols) {
    return (blasint)(rows > 1 ? ld : cols > 1 ? cols : 1);
}

static void gemm(THDtype dtype, int64_t m, int64_t n, int64_t k, double alpha, const th_blas_matrix *a,
                 const th_blas_matrix *b, double beta, void *c, int64_t ldc) {
    const blasint mi = (blasint)m, ni = (blasint)n, ki = (blasint)k, ldci = leading(ldc, m, n);
    const blasint lda = a->transposed ? leading(a->ld, k, m) : leading(a->ld, m, k);
    const blasint ldb = b->transposed ? leading(b->ld, n, k) : leading(b->ld, k, n);
    if (dtype == TH_FLOAT32) {
        cblas_sgemm(CblasRowMajor, trans(a), trans(b), mi, ni, ki, (float)alpha, a->data, lda, b->data, ldb,
                    (float)beta, c, ldci);
    } else {
        cblas_dgemm(CblasRowMajor, trans(a), trans(b), mi, ni, ki, alpha, a->data, lda, b->data, ldb, beta, c, ldci);
    }
}

void th_blas_gemm(THDtype dtype, int64_t m, int64_t n, int64_t k, double alpha, const th_blas_matrix *a,
                  const th_blas_matrix *b, double beta, void *c, int64_t ldc) {
    if (!has_room()) {
        multiply(dtype, m, n, k, alpha, a, b, beta, c, ldc);
        return;
    }
    const int a_far = a->ld > FAR, b_far = b->ld > FAR;
    const int64_t rows = piece(m, ldc > FAR || (a_far && !a->transposed)), cols = piece(n, b_far && b->transposed);
    const int64_t inner = piece(k, (a_far && a->transposed) || (b_far && !b->transposed));
    const int threads = threads_begin();
    for (int64_t i = 0; i < m; i += rows)
        for (int64_t j = 0; j < n; j += cols) {
            int64_t p = 0;
            do { /* once for k = 0 too */
                const th_blas_matrix pa = {part(dtype, a, i, p), a->ld, a->transposed};
                const th_blas_matrix pb = {part(dtype, b, p, j), b->ld, b->transposed};
                gemm(dtype, at_most(m - i, rows), at_most(n - j, cols), at_most(k - p, inner), alpha, &pa, &pb,
                     p ? 1 : beta, (char *)c + (i * ldc + j) * TH_dtype_size(dtype), ldc);
                p += inner;
            } while (p < k);
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

static void gemv(THDtype dtype, int64_t m, int64_t k, double alpha, const th_blas_matrix *a, const void *x,
                 int64_t incx, double beta, void *y, int64_t incy) {
    const int64_t high = a->transposed ? k : m, wide = a->transposed ? m : k;
    const blasint rows = (blasint)high, cols = (blasint)wide, lda = leading(a->ld, high, wide);
    const blasint ix = k > 1 ? (blasint)incx : 1, iy = m > 1 ? (blasint)incy : 1;
    if (dtype == TH_FLOAT32) {
        cblas_sgemv(CblasRowMajor, trans(a), rows, cols, (float)alpha, a->data, lda, x, ix, (float)beta, y, iy);
    } else {
        cblas_dgemv(CblasRowMajor, trans(a), rows, cols, alpha, a->data, lda, x, ix, beta, y, iy);
    }
}

void th_blas_gemv(THDtype dtype, int64_t m, int64_t k, double alpha, const th_blas_matrix *a, const void *x,
                  int64_t incx, double beta, void *y, int64_t incy) {
    if (!has_room()) {
        multiply(dtype, m, 1, k, alpha, a, &(th_blas_matrix){x, incx, 0}, beta, y, incy);
        return;
    }
    const int is_far = a->ld > FAR;
    const int64_t rows = piece(m, incy > FAR || (is_far && !a->transposed)), size = TH_dtype_size(dtype);
    const int64_t inner = piece(k, incx > FAR || (is_far && a->transposed));
    const int threads = threads_begin();
    if (beta == 0) {
        clear(dtype, y, m, incy);
        beta = 1;
    }
    for (int64_t i = 0; i < m; i += rows)
        for (int64_t p = 0; p == 0 || p < k; p += inner ? inner : 1) {
            const th_blas_matrix pa = {part(dtype, a, i, p), a->ld, a->transposed};
            gemv(dtype, at_most(m - i, rows), at_most(k - p, inner), alpha, &pa, (const char *)x + p * incx * size,
                 incx, p ? 1 : beta, (char *)y + i * incy * size, incy);
        }
    threads_end(threads);
}

/* Of vectors whose elements are too far apart for BLAS. */
static double far_dot(THDtype dtype, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += load(dtype, x, i * incx) * load(dtype, y, i * incy);
    return sum;
}

double th_blas_dot(THDtype dtype, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy) {
    if (incx > FAR || incy > FAR) return far_dot(dtype, n, x, incx, y, incy);
    const int threads = threads_begin();
    double sum = 0;
    for (int64_t at = 0; at < n; at += MOST) {
        const blasint count = (blasint)at_most(n - at, MOST), ix = (blasint)incx, iy = (blasint)incy;
        sum += dtype == TH_FLOAT32
                   ? (double)cblas_sdot(count, (const float *)x + at * incx, ix, (const float *)y + at * incy, iy)
                   : cblas_ddot(count, (const double *)x + at * incx, ix, (const double *)y + at * incy, iy);
    }
    threads_end(threads);
    return sum;
}
