/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ternary.h"

#include "expr/template.h"

#include <math.h>
#include <string.h>

#define TH_TEMPLATE "kernels/ternary.inc"
#include "expr/types.inc"

#define TH_TEMPLATE "kernels/where.inc"
#include "expr/widths.inc"

#define TH_ROWS
#define TH_EXPR(name, value) .name[TH_CODE] = FN(run_##name),
#define TH_ROW .where[TH_WIDTH] = FN(where),
const struct th_ternary_table TH_ISA_NAME(th_ternary) = {
#define TH_TEMPLATE "expr/ternary.inc"
#include "expr/types.inc"
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};
