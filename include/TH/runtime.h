/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/runtime.h
 * Version, threads, instruction sets, the default dtype: what there is one of in the process. */
#ifndef TH_RUNTIME_H
#define TH_RUNTIME_H

#include "TH/dtype.h"
TH_BEGIN

/** major << 16 | minor << 8 | patch of the library in memory. */
TH_API uint32_t TH_version(void);

/** Threads that one operation may use: at first OMP_NUM_THREADS, or the cores this process may run on. */
TH_API int32_t TH_num_threads(void);

/** Sets that number for the process; more than 1024 count as that. TH_E_ARG below 1. Where the system allows fewer
 * threads, by limits of processes or memory, operations use those; results do not depend on it. A forked child always
 * has one thread: TH_E_FORKED for more. */
TH_API THStatus TH_set_num_threads(int32_t n);

/** How many instruction-set variants of the kernels this CPU can run (at least 1, the baseline). */
TH_API int32_t TH_isa_count(void);

/** Name of variant `i` ("baseline", "avx2", "avx512", "neon"), fastest first; NULL out of range. */
TH_API const char *TH_isa_name(int32_t i);

/** The variant in use: at first the fastest, or what the environment variable TH_ISA names. */
TH_API const char *TH_isa(void);

/** Chooses a variant by name, for the process. TH_E_NOTFOUND if this CPU or this build lacks it. */
TH_API THStatus TH_set_isa(const char *name);

/** What floating numbers without a dtype of their own become: those among integers, results of floating functions of
 * integers, tensors made with TH_DTYPE_DEFAULT. At first float32. TH_E_TYPE for a dtype that is not floating. */
TH_API THDtype TH_default_dtype(void);
TH_API THStatus TH_set_default_dtype(THDtype dtype);

TH_END
#endif
