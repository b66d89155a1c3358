/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernel sources and their templates share, in every library.

   A kernel source is compiled once per row of isa.def and exports one table, named TH_ISA_NAME(stem); ops select it by
   tables.inc. A template (.inc) is included once per type, by types.inc (or floats.inc, integers.inc, numbers.inc) or
   widths.inc. */
#ifndef TH_EXPR_TEMPLATE_H
#define TH_EXPR_TEMPLATE_H

#include <stdint.h>

#define TH_JOIN_(a, b) a##_##b
#define TH_JOIN(a, b) TH_JOIN_(a, b)

#ifndef TH_ISA_VARIANT /* set by tools/cmake/isa.cmake; the default lets editors open the file */
#define TH_ISA_VARIANT baseline
#endif
#define TH_ISA_NAME(stem) TH_JOIN(stem, TH_ISA_VARIANT)

#ifdef __CUDACC__
#define TH_INLINE static __host__ __device__ __forceinline__ __attribute__((unused))
#else
#define TH_INLINE static inline __attribute__((always_inline, unused))
#endif

/* For local arrays of vectors: otherwise gcc peels scalar iterations off their loops until they are aligned. */
#define TH_ALIGNED __attribute__((aligned(64)))

/* Loops that must become vector code whatever the cost model thinks. */
#define TH_PRAGMA(text) _Pragma(#text)
#define TH_SIMD TH_PRAGMA(omp simd)
#define TH_SIMD_SUM(...) TH_PRAGMA(omp simd reduction(+ : __VA_ARGS__)) /* the loop adds to these variables */

/* Inside a loop that is too short to become vector code. */
#define TH_SCALAR __asm__("");

#endif
