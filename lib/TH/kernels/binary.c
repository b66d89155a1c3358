/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/binary.h"

#include "expr/template.h"
#include "expr/vmath.h"

#include <string.h>

#define TH_TEMPLATE "kernels/binary.inc"
#include "expr/types.inc"

#define FLOATS(name) [TH_FLOAT32] = run_##name##_float32, [TH_FLOAT64] = run_##name##_float64
#define INTEGERS(name)                                                                                                 \
    [TH_UINT8] = run_##name##_uint8, [TH_INT8] = run_##name##_int8, [TH_INT16] = run_##name##_int16,                   \
    [TH_INT32] = run_##name##_int32, [TH_INT64] = run_##name##_int64
#define AS_UINT8(name) [TH_BOOL] = run_##name##_uint8

#define TH_BINARY_ARITH(name) {AS_UINT8(name), FLOATS(name), INTEGERS(name)},
#define TH_BINARY_NUMERIC(name) {FLOATS(name), INTEGERS(name)},
#define TH_BINARY_FLOAT(name) {FLOATS(name)},
#define TH_BINARY_BITS(name) {AS_UINT8(name), INTEGERS(name)},
#define TH_BINARY_SHIFT(name) {INTEGERS(name)},
#define TH_BINARY_COMPARE(name) {AS_UINT8(name), FLOATS(name), INTEGERS(name)},
#define TH_BINARY_LOGIC(name) {AS_UINT8(name), FLOATS(name), INTEGERS(name)},
#define TH_BINARY(name, class, ...) TH_BINARY_##class(name)

const struct th_binary_table TH_ISA_NAME(th_binary) = {
    .kernel =
        {
            {[TH_BOOL] = run_add_bool, FLOATS(add), INTEGERS(add)},
            {FLOATS(sub), INTEGERS(sub)},
#include "TH/ops/binary.def"
        },
    .find_zero = {[TH_UINT8] = find_zero_uint8,
                  [TH_INT8] = find_zero_int8,
                  [TH_INT16] = find_zero_int16,
                  [TH_INT32] = find_zero_int32,
                  [TH_INT64] = find_zero_int64},
    .find_negative = {[TH_INT8] = find_negative_int8,
                      [TH_INT16] = find_negative_int16,
                      [TH_INT32] = find_negative_int32,
                      [TH_INT64] = find_negative_int64},
};
