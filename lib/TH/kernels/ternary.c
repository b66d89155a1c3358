/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ternary.h"

#include "expr/template.h"

#include <math.h>
#include <string.h>

#define TH_TEMPLATE "kernels/ternary.inc"
#include "expr/types.inc"

#define FN(name) TH_JOIN(name, T)
#define T uint8_t
#include "kernels/where.inc"
#undef T
#define T uint16_t
#include "kernels/where.inc"
#undef T
#define T uint32_t
#include "kernels/where.inc"
#undef T
#define T uint64_t
#include "kernels/where.inc"
#undef T
#undef FN

#define FLOATS(name) [TH_FLOAT32] = run_##name##_float32, [TH_FLOAT64] = run_##name##_float64
#define INTEGERS(name)                                                                                                 \
    [TH_UINT8] = run_##name##_uint8, [TH_INT8] = run_##name##_int8, [TH_INT16] = run_##name##_int16,                   \
    [TH_INT32] = run_##name##_int32, [TH_INT64] = run_##name##_int64

const struct th_ternary_table TH_ISA_NAME(th_ternary) = {
    .clamp = {FLOATS(clamp), INTEGERS(clamp)},
    .addcmul = {FLOATS(addcmul), INTEGERS(addcmul)},
    .addcdiv = {FLOATS(addcdiv)},
    .lerp = {FLOATS(lerp)},
    .where = {where_uint8_t, where_uint16_t, where_uint32_t, where_uint64_t},
};
