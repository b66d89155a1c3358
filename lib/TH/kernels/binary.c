/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/binary.h"

#include "expr/template.h"
#include "expr/vmath.h"

#include <string.h>

enum {
#define TH_BINARY(name, class, ulp, ...) ULP_##name = ulp,
    TH_BINARY_ADD_SUB
#include "TH/ops/binary.def"
#undef TH_BINARY
};

#define TH_TEMPLATE "kernels/binary.inc"
#include "expr/types.inc"

#define TH_TEMPLATE "kernels/find.inc"
#include "expr/integers.inc"

#define TH_ROWS
#define TH_EXPR(name, value) .kernel[TH_BINARY_##name][TH_CODE] = FN(run_##name),
#define TH_TEST TH_EXPR
#define TH_POWER TH_EXPR
#define TH_SHARED(name) .kernel[TH_BINARY_##name][TH_CODE] = AS(run_##name),
#define TH_ROW .find_zero[TH_CODE] = FN(find_zero), .find_negative[TH_CODE] = FN(find_negative),
const struct th_binary_table TH_ISA_NAME(th_binary) = {
#define TH_TEMPLATE "expr/binary.inc"
#include "expr/types.inc"
#define TH_TEMPLATE "expr/row.inc"
#include "expr/integers.inc"
};
