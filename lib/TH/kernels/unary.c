/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/unary.h"

#include "expr/template.h"
#include "expr/vmath.h"

#include <string.h>

#define TH_TEMPLATE "kernels/unary.inc"
#include "expr/types.inc"

#define FLOATS(name) [TH_FLOAT32] = run_##name##_float32, [TH_FLOAT64] = run_##name##_float64
#define INTEGERS(name)                                                                                                 \
    [TH_UINT8] = run_##name##_uint8, [TH_INT8] = run_##name##_int8, [TH_INT16] = run_##name##_int16,                   \
    [TH_INT32] = run_##name##_int32, [TH_INT64] = run_##name##_int64

#define TH_UNARY_FLOAT(name) {FLOATS(name)},
#define TH_UNARY_NUMERIC(name) {FLOATS(name), INTEGERS(name)},
#define TH_UNARY_ROUND(name) {FLOATS(name), INTEGERS(name)},
#define TH_UNARY_BITS(name) {[TH_BOOL] = run_##name##_bool, INTEGERS(name)},
#define TH_UNARY_TEST(name) {[TH_BOOL] = run_##name##_uint8, FLOATS(name), INTEGERS(name)},
#define TH_UNARY(name, class, ...) TH_UNARY_##class(name)

const struct th_unary_table TH_ISA_NAME(th_unary) = {{
#include "TH/ops/unary.def"
}};
