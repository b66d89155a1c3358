/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands as kernels want them: contiguous and of the dtype computed in, whatever the caller's tensors look like. */
#ifndef THNN_CORE_OPERAND_H
#define THNN_CORE_OPERAND_H

#include "TH/sys.h"

/* float32 for halves, otherwise dtype itself. */
THDtype thnn_compute_dtype(THDtype dtype);

/* t itself (retained) or a copy that is contiguous and of `dtype`; *out is NULL for a NULL t. */
THStatus thnn_dense(THTensor **out, const THTensor *t, THDtype dtype);

/* An output: the tensor that the caller gets, and the contiguous one in the compute dtype that kernels write (often the
   same). */
typedef struct thnn_output {
    THTensor *result, *dense;
} thnn_output;

/* As TH_output_begin with exact and inplace. */
THStatus thnn_output_begin(thnn_output *o, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                           int32_t ndim, const THTensor *const *inputs, int32_t n);

/* The same for outputs that must not be an input. */
THStatus thnn_output_begin_apart(thnn_output *o, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                                 int32_t ndim, const THTensor *const *inputs, int32_t n);

/* Gives an output that exists a copy to be written, so that a failure later in a call with several outputs leaves it as
   it was. */
THStatus thnn_output_apart(thnn_output *o);

/* On TH_OK hands the result over, otherwise frees it. Returns `status`. Nothing happens to an `o` that is empty
 * (zeros). */
THStatus thnn_output_end(thnn_output *o, THTensor **out, THStatus status);

/* First element of what the kernel writes or reads; NULL for NULL. */
static inline void *thnn_data(const THTensor *t) { return t ? THTensor_data(t) : 0; }

/* TH_elementwise on inputs of one dtype and equal sizes (checked by the caller); `*out` given must have that dtype as
   well. */
THStatus thnn_elementwise(const char *fn, THTensor **out, THKernel kernel, const void *param,
                          const THTensor *const *inputs, int32_t n);

#endif
