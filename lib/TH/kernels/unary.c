/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/unary.h"

#include "expr/template.h"
#include "expr/vmath.h"

#include <string.h>

enum {
#define TH_UNARY(name, class, ulp, ...) ULP_##name = ulp,
#include "TH/ops/unary.def"
#undef TH_UNARY
};

#define TH_TEMPLATE "kernels/unary.inc"
#include "expr/types.inc"

#define TH_ROWS
#define TH_EXPR(name, value) [TH_UNARY_##name][TH_CODE] = FN(run_##name),
#define TH_TEST TH_EXPR
#define TH_SHARED(name) [TH_UNARY_##name][TH_CODE] = AS(run_##name),
const struct th_unary_table TH_ISA_NAME(th_unary) = {
    .kernel =
        {
#define TH_TEMPLATE "expr/unary.inc"
#include "expr/types.inc"
        },
    .round_decimals = {[TH_FLOAT32] = run_round_decimals_float32, [TH_FLOAT64] = run_round_decimals_float64},
};
