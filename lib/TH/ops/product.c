/* SPDX-License-Identifier: BSD-3-Clause */
#include "ops/product.h"

#include "expr/sizes.h"
#include "extern/blas.h"
#include "kernels/copy.h"
#include "kernels/matmul.h"

#include <string.h>

#define TH_TABLE th_matmul
#include "expr/tables.inc"

/* How products are cut. Sizes alone decide, so that bits do not depend on threads. Small ones become strips of the
   longer side, rows if both are equal, large ones square tiles. Every piece packs its operands anew, which costs
   against one call of OpenBLAS 0.3.21, by AVX-512 on one core: two strips of rows at 512 1 % (of columns 3 %), four
   strips at 1024 7 %, four tiles there 3 %. */
enum { STRIP = 256, TILE = 512 };
enum { CUT_GEMM = 1 << 24, CUT_GEMV = 1 << 19 };     /* multiply-adds from which one product is cut */
enum { GRAIN_GEMM = 1 << 20, GRAIN_GEMV = 1 << 17 }; /* multiply-adds worth handing to a thread */

typedef struct pieces {
    const th_product *p;
    int64_t rows, cols;    /* of a tile of the result */
    int64_t across, tiles; /* tiles side by side, and in one product */
    int64_t size;          /* bytes of an element */
} pieces;

th_matrix th_matrix_of(const THTensor *t, int has_rows, int has_cols) {
    const int64_t *sizes = th_sizes(t), *strides = th_strides(t);
    int32_t d = t->ndim;
    th_matrix x = {.data = t->data, .rows = 1, .cols = 1, .batch_sizes = sizes, .batch_strides = strides};
    if (has_cols) {
        x.cols = sizes[--d];
        x.col_stride = strides[d];
    }
    if (has_rows) {
        x.rows = sizes[--d];
        x.row_stride = strides[d];
    }
    x.nbatch = d;
    return x;
}

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

/* The leading dimension of a row-major matrix, 0 if it is none. The stride of a dimension of size 1 says nothing. */
static int64_t leading(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
    int64_t ld = at_least_one(cols);
    if (rows == 0 || cols == 0) return ld;
    if (cols > 1 && col_stride != 1) return 0;
    if (rows > 1) ld = row_stride >= ld ? row_stride : 0;
    return ld;
}

int th_matrix_layout(th_matrix *x, int rows_only) {
    x->ld = leading(x->rows, x->cols, x->row_stride, x->col_stride);
    x->transposed = !x->ld;
    if (!x->ld && !rows_only) x->ld = leading(x->cols, x->rows, x->col_stride, x->row_stride);
    return x->ld != 0;
}

/* Takes the stack's dimensions into the rows where they continue them. */
static int fold(th_matrix *x) {
    int64_t rows = x->rows, stride = x->row_stride;
    for (int32_t d = x->nbatch - 1; d >= 0; d--) {
        int64_t size = x->batch_sizes[d];
        if (size == 1) continue;
        if (rows == 1)
            stride = x->batch_strides[d];
        else if (x->batch_strides[d] != stride * rows)
            return 0;
        if (__builtin_mul_overflow(rows, size, &rows)) return 0;
    }
    x->rows = rows;
    x->row_stride = stride;
    x->nbatch = 0;
    return 1;
}

static int64_t batch_count(const th_matrix *x) {
    int64_t n = 1;
    for (int32_t d = 0; d < x->nbatch; d++) n = th_size_mul(n, x->batch_sizes[d]);
    return n;
}

/* One tall product instead of a stack, where b is the same for all of them. */
static void fold_product(th_product *p) {
    th_matrix a = p->a, c = p->c;
    if (c.nbatch == 0 || a.nbatch != c.nbatch || batch_count(&p->b) != 1) return;
    if (!fold(&a) || !fold(&c) || !th_matrix_layout(&a, 0) || !th_matrix_layout(&c, 1)) return;
    p->a = a;
    p->c = c;
}

static void transpose(th_matrix *x) {
    th_matrix t = *x;
    x->rows = t.cols;
    x->cols = t.rows;
    x->row_stride = t.col_stride;
    x->col_stride = t.row_stride;
    x->transposed = !t.transposed;
}

/* BLAS writes row-major results; a column-major one is computed as its transpose. */
static void orient_product(th_product *p) {
    if (!p->c.transposed) return;
    th_matrix a = p->a;
    p->a = p->b;
    p->b = a;
    transpose(&p->a);
    transpose(&p->b);
    transpose(&p->c);
}

/* Offset, in elements, of the index-th matrix of c's stack in the stack x. */
static int64_t batch_offset(const th_matrix *x, const th_matrix *c, int64_t index) {
    int64_t offset = 0;
    for (int32_t d = 1; d <= c->nbatch; d++) {
        int64_t size = c->batch_sizes[c->nbatch - d];
        if (d <= x->nbatch && x->batch_sizes[x->nbatch - d] != 1)
            offset += index % size * x->batch_strides[x->nbatch - d];
        index /= size;
    }
    return offset;
}

static void run_integer(const th_product *p, int64_t size, int64_t m, int64_t n, const char *a, const char *b,
                        char *c) {
    th_matmul_row row = tables[TH_isa_index()]->row[th_log2_size(size)];
    for (int64_t i = 0; i < m; i++, a += p->a.row_stride * size, c += p->c.row_stride * size) {
        if (p->beta == 0) memset(c, 0, (size_t)(n * size));
        row(c, a, p->a.col_stride, b, p->b.row_stride, p->alpha.v.i, p->a.cols, n);
    }
}

/* The step of a vector lying in a matrix; what a single element says does not count. */
static int64_t vector_step(int64_t n, int64_t stride) { return n > 1 ? stride : 1; }

static void run_floating(const th_product *p, int64_t m, int64_t n, const char *a, const char *b, char *c) {
    int64_t k = p->a.cols;
    double alpha = p->alpha.v.d;
    th_blas_matrix ma = {a, p->a.ld, p->a.transposed}, mb = {b, p->b.ld, p->b.transposed};
    if (p->c.cols == 1) {
        th_blas_gemv(p->dtype, m, k, alpha, &ma, b, vector_step(k, p->b.row_stride), p->beta, c,
                     vector_step(p->c.rows, p->c.row_stride));
    } else if (p->c.rows == 1) {
        mb.transposed = !mb.transposed;
        th_blas_gemv(p->dtype, n, k, alpha, &mb, a, vector_step(k, p->a.col_stride), p->beta, c,
                     vector_step(p->c.cols, p->c.col_stride));
    } else {
        th_blas_gemm(p->dtype, m, n, k, alpha, &ma, &mb, p->beta, c, p->c.ld);
    }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The length of equal parts of n, at most `most` long, which is a multiple of the vectors'. */
static int64_t even_part(int64_t n, int64_t most) {
    int64_t parts = (n - 1) / most + 1;
    return smaller(n, ((n - 1) / parts / 16 + 1) * 16);
}

static void run_pieces(void *arg, int64_t lo, int64_t hi) {
    const pieces *w = arg;
    const th_product *p = w->p;
    for (int64_t i = lo; i < hi; i++) {
        int64_t index = i / w->tiles, tile = i % w->tiles;
        int64_t row = tile / w->across * w->rows, col = tile % w->across * w->cols;
        int64_t m = smaller(w->rows, p->c.rows - row), n = smaller(w->cols, p->c.cols - col);
        const char *a = p->a.data + w->size * (batch_offset(&p->a, &p->c, index) + row * p->a.row_stride);
        const char *b = p->b.data + w->size * (batch_offset(&p->b, &p->c, index) + col * p->b.col_stride);
        char *c =
            p->c.data + w->size * (batch_offset(&p->c, &p->c, index) + row * p->c.row_stride + col * p->c.col_stride);
        if (TH_dtype_is_floating(p->dtype))
            run_floating(p, m, n, a, b, c);
        else
            run_integer(p, w->size, m, n, a, b, c);
    }
}

void th_product_run(th_product *p) {
    fold_product(p);
    orient_product(p);
    int64_t m = p->c.rows, n = p->c.cols, count = batch_count(&p->c);
    if (m == 0 || n == 0 || count == 0) return;
    pieces w = {.p = p, .rows = m, .cols = n, .across = 1, .tiles = 1, .size = TH_dtype_size(p->dtype)};
    int is_vector = m == 1 || n == 1;
    double column = (double)(p->a.cols + 1), grain = is_vector ? GRAIN_GEMV : GRAIN_GEMM;
    if (column * (double)m * (double)n >= (is_vector ? CUT_GEMV : CUT_GEMM)) {
        int is_large = m >= 2 * TILE && n >= 2 * TILE;
        if (is_large || m >= n) w.rows = even_part(m, is_large ? TILE : STRIP);
        if (is_large || m < n) w.cols = even_part(n, is_large ? TILE : STRIP);
        w.across = (n - 1) / w.cols + 1;
        w.tiles = w.across * ((m - 1) / w.rows + 1);
    }
    grain /= column * (double)w.rows * (double)w.cols;
    TH_parallel(count * w.tiles, (int64_t)grain, run_pieces, &w);
}

void TH_gemm(THDtype dtype, int32_t transpose_a, int32_t transpose_b, int64_t m, int64_t n, int64_t k, const void *a,
             int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc) {
    if (m == 0 || n == 0) return;
    th_blas_gemm(dtype, m, n, k, 1, &(th_blas_matrix){a, lda, transpose_a}, &(th_blas_matrix){b, ldb, transpose_b},
                 beta, c, ldc);
}
