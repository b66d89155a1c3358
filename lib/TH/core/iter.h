/* SPDX-License-Identifier: BSD-3-Clause */
/* The iterator between an op and its kernel: broadcasts, merges dimensions, casts and gathers in blocks, splits over
   threads.

   Kernels see contiguous runs only, in the dtype they compute in: an operand that is strided or of another dtype passes
   through a block on the stack (small enough for L1); an input that does not move along the run has step 0. Inputs
   never all have step 0: a kernel need not provide for that. */
#ifndef TH_CORE_ITER_H
#define TH_CORE_ITER_H

#include "core/cast.h"
#include "core/dtype.h"
#include "core/geometry.h"
#include "core/tensor.h"

/* Public in TH/sys.h, with their contracts; th_elementwise_run is TH_elementwise for use inside TH. */
typedef THKernel th_kernel;
typedef THElementwise th_elementwise;

THStatus th_elementwise_run(const th_elementwise *op, THTensor **out, const THTensor *const *inputs, int32_t n);

/* ---- the parts, for ops of another form; nothing here fails or checks ---- */

typedef struct th_iter_operand {
    char *data;
    THDtype stored, computed;
    int64_t stored_size, computed_size;
    th_slot constant; /* the only element of an input, cast */
} th_iter_operand;

typedef struct th_iter {
    th_geometry space;
    th_iter_operand operand[TH_OPERANDS_MAX];
    int32_t outputs; /* 1: operand 0 is written; 0: the kernel only reads */
    int64_t block[2];
    th_kernel kernel;
    const void *param;
} th_iter;

/* An iteration over sizes; then its operands, outputs first, each with the dtype in which the kernel has it. */
void th_iter_begin(th_iter *it, int32_t outputs, const int64_t *sizes, int32_t ndim);
void th_iter_add(th_iter *it, const THTensor *t, THDtype computed);

/* Runs the kernel over all elements. NULL: operand 1 is copied into operand 0, of the same dtype. */
void th_iter_run(th_iter *it, th_kernel kernel, const void *param);

/* dst (same dtype not needed) = src, which broadcasts to dst's sizes; no checks. */
void th_copy(THTensor *dst, const THTensor *src);

#endif
