/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/sys.h
 * For libraries built on TH (THNN, THC, THCUNN) and C code of the same kind: what ops need to look and behave like
 * TH's own. */
#ifndef TH_SYS_H
#define TH_SYS_H

#include "TH/tensor.h"
TH_BEGIN

/** Sets the error text from a printf format and returns `status`. Write "function: got ..., want ...". */
TH_API THStatus TH_raisef(THStatus status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/** TH_E_ARG "<fn>: <arg> is NULL" for a NULL p; TH_E_DEVICE if the tensor is not on the CPU. */
TH_API THStatus TH_check_input(const char *fn, const char *arg, const THTensor *t);

/** The same for a device library's functions: t must be on `device`; 0-dim tensors of the CPU pass too, by value. */
TH_API THStatus TH_check_input_on(const char *fn, const char *arg, const THTensor *t, THDevice device);

/** Makes or checks an output. `*out` NULL: *result is a new contiguous tensor. Otherwise *result is *out (retained)
 * after checks: sizes, that `dtype` casts to its dtype (equal if exact != 0), CPU, not read-only, no internal overlap,
 * no partial overlap with any of the n `inputs` (NULL entries skipped; identical geometry counts as in place and is
 * allowed if inplace != 0). Windows that interleave evenly (columns, column blocks, even and odd elements) are told
 * apart; where strides do not divide each other, as for a diagonal and a row beside it, sharing is assumed and refused.
 */
TH_API THStatus TH_output_begin(THTensor **result, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                                int32_t ndim, int32_t exact, int32_t inplace, const THTensor *const *inputs, int32_t n);

/** The same for a device library's functions: a new output is made on `device`, a given one must be there. */
TH_API THStatus TH_output_begin_on(THTensor **result, const char *fn, THTensor **out, THDtype dtype,
                                   const int64_t *sizes, int32_t ndim, int32_t exact, int32_t inplace,
                                   const THTensor *const *inputs, int32_t n, THDevice device);

/** Ends what begin started: on TH_OK stores `result` into an empty *out, or counts a write into the given one; on
 * failure frees it. Returns `status`. */
TH_API THStatus TH_output_end(THTensor *result, THTensor **out, THStatus status);

/** Threads that an operation on the calling thread may use now: TH_num_threads(), or as many of them as the system lets
 * the process have; 1 inside TH_parallel. */
TH_API int32_t TH_team(void);

/** Calls body(arg, lo, hi) for pieces that cover [0, n), cut at multiples of `grain` and handed to up to
 * TH_team() threads; on the calling thread when n <= grain or when already inside such a call. Pieces depend on
 * n and grain only. body must not fail. */
TH_API void TH_parallel(int64_t n, int64_t grain, void (*body)(void *arg, int64_t lo, int64_t hi), void *arg);

/** c [m, n] becomes a b + beta c (beta 0 does not read c) for row-major matrices of float32 or float64 with rows lda,
 * ldb, ldc elements apart; a is read as the transpose of what is stored if transpose_a != 0, and so is b. On the
 * calling thread alone, so that bodies of TH_parallel may call it. All numbers are below 2^31, leading dimensions at
 * least 1. */
TH_API void TH_gemm(THDtype dtype, int32_t transpose_a, int32_t transpose_b, int64_t m, int64_t n, int64_t k,
                    const void *a, int64_t lda, const void *b, int64_t ldb, double beta, void *c, int64_t ldc);

/** An elementwise kernel. p[k]: operand k's first element, the output first; step[k]: 1, or 0 for an input that stays
 * (the output's is 1, and some input's: one value for a whole run is computed once). param: the op's scalars. An output
 * may be one of the inputs. */
typedef void (*THKernel)(void *const *p, const int64_t *step, int64_t n, const void *param);

/** An elementwise op on real tensors: the kernel takes the inputs as dtype `compute` and writes `produce` (equal to
 * compute, but BOOL for tests and comparisons); a new output is of dtype `result`. */
typedef struct THElementwise {
    const char *fn; /**< for error texts */
    THDtype compute, produce, result;
    THKernel kernel;
    const void *param;
} THElementwise;

/** Runs `op` on n (1 to 4) broadcast inputs of any dtypes and strides; does all that TH/elementwise.h promises about
 * outputs. */
TH_API THStatus TH_elementwise(THTensor **out, const THElementwise *op, const THTensor *const *inputs, int32_t n);

/** The dtype that kernels compute in for tensors of `dtype`: float32 for halves, otherwise itself. */
TH_API THDtype TH_compute_dtype(THDtype dtype);

/** Index into isa.def's list of the variant in use; kernel tables of every library are ordered alike. */
TH_API int32_t TH_isa_index(void);

TH_END
#endif
