/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of matrix products on raw memory: cuts them into pieces, hands those to threads and to BLAS or the integer
 * kernels. */
#ifndef TH_OPS_PRODUCT_H
#define TH_OPS_PRODUCT_H

#include "core/tensor.h"

/* A stack of matrices inside a tensor: the last dimensions are rows and columns, those before them count the stack.
   Strides are in elements. ld and transposed say how BLAS reads the matrix. */
typedef struct th_matrix {
    char *data;
    int64_t rows, cols, row_stride, col_stride, ld;
    int32_t transposed, nbatch;
    const int64_t *batch_sizes, *batch_strides;
} th_matrix;

/* c = alpha a b + beta c for each matrix of the stack; batch sizes of a and b broadcast to those of c. */
typedef struct th_product {
    THDtype dtype; /* of all three: any but halves and bool */
    th_matrix a, b, c;
    THScalar alpha; /* a whole number for integers */
    double beta;    /* 0 or 1 for integers */
} th_product;

/* t as a stack; without a row (column) dimension it holds single rows (columns). */
th_matrix th_matrix_of(const THTensor *t, int has_rows, int has_cols);

/* Fills in ld and transposed. 0 if products cannot read the matrix where it is, because neither its rows nor its
   columns (with rows_only: not its rows) are contiguous. */
int th_matrix_layout(th_matrix *x, int rows_only);

/* Runs the product. The matrices have their layout, c with contiguous rows or columns; for integers b and c with rows.
 */
void th_product_run(th_product *p);

#endif
