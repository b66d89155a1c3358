/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/matmul.h"

#define T uint8_t
#define C uint32_t
#define FN(name) name##_8
#include "kernels/matmul.inc"
#undef T
#undef C
#undef FN

#define T uint16_t
#define C uint32_t
#define FN(name) name##_16
#include "kernels/matmul.inc"
#undef T
#undef C
#undef FN

#define T uint32_t
#define C uint32_t
#define FN(name) name##_32
#include "kernels/matmul.inc"
#undef T
#undef C
#undef FN

#define T uint64_t
#define C uint64_t
#define FN(name) name##_64
#include "kernels/matmul.inc"
#undef T
#undef C
#undef FN

const struct th_matmul_table TH_ISA_NAME(th_matmul) = {{row_8, row_16, row_32, row_64}};
