/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/matmul.h"

#include "expr/template.h"

#define TH_TEMPLATE "kernels/matmul.inc"
#include "expr/widths.inc"

#define TH_ROW .row[TH_WIDTH] = FN(row),
const struct th_matmul_table TH_ISA_NAME(th_matmul) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};
