/* SPDX-License-Identifier: BSD-3-Clause */
/* GNU's OpenMP runtime, whatever the compiler (tools/cmake/openmp.cmake). clang's omp.h and the code that it makes of
   `omp parallel` belong to LLVM's; it gets the declarations that we need, and the call that gcc makes for a region. */
#ifndef TH_EXPR_OPENMP_H
#define TH_EXPR_OPENMP_H

#ifdef __clang__
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
void omp_set_num_threads(int n);
void GOMP_parallel(void (*region)(void *arg), void *arg, unsigned threads, unsigned flags);
#else
#include <omp.h>
#endif

#endif
