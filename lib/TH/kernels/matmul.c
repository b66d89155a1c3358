/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/matmul.h"

#include "expr/template.h"

#define TH_TEMPLATE "kernels/matmul.inc"
#include "expr/widths.inc"

const struct th_matmul_table TH_ISA_NAME(th_matmul) = {{row_8, row_16, row_32, row_64}};
