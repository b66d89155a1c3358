/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ternary.h"

#include "expr/template.h"

#include <math.h>
#include <string.h>

#define TH_TEMPLATE "kernels/ternary.inc"
#include "expr/types.inc"

#define TH_TEMPLATE "kernels/where.inc"
#include "expr/widths.inc"

#define FLOATS(name) [TH_FLOAT32] = run_##name##_float32, [TH_FLOAT64] = run_##name##_float64
#define INTEGERS(name)                                                                                                 \
    [TH_UINT8] = run_##name##_uint8, [TH_INT8] = run_##name##_int8, [TH_INT16] = run_##name##_int16,                   \
    [TH_INT32] = run_##name##_int32, [TH_INT64] = run_##name##_int64

const struct th_ternary_table TH_ISA_NAME(th_ternary) = {
    .clamp = {FLOATS(clamp), INTEGERS(clamp)},
    .addcmul = {FLOATS(addcmul), INTEGERS(addcmul)},
    .addcdiv = {FLOATS(addcdiv)},
    .lerp = {FLOATS(lerp)},
    .where = {where_8, where_16, where_32, where_64},
};
