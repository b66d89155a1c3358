/* SPDX-License-Identifier: BSD-3-Clause */
/* The iterator between an op and its kernel: broadcasts, merges dimensions, casts and gathers in blocks, splits over threads.

   Kernels see contiguous runs only, in the dtype they compute in: an operand that is strided or of another dtype passes
   through a block on the stack (small enough for L1); an input that does not move along the run has step 0. */
#ifndef TH_CORE_ITER_H
#define TH_CORE_ITER_H

#include "core/tensor.h"

enum { TH_ITER_MAX = 5 }; /* operands: the output first, then the inputs */

/* Public in TH/sys.h, with their contracts; th_elementwise_run is TH_elementwise for use inside TH. */
typedef THKernel th_kernel;
typedef THElementwise th_elementwise;

THStatus th_elementwise_run(const th_elementwise *op, THTensor **out, const THTensor *const *inputs, int32_t n);

/* The dtype that kernels compute in for tensors of `dtype`: float32 for halves, otherwise itself. */
THDtype th_compute_dtype(THDtype dtype);

/* dtype of a floating result: itself if floating, else float32. */
THDtype th_float_dtype(THDtype dtype);

#endif
