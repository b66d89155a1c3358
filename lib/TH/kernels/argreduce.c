/* SPDX-License-Identifier: BSD-3-Clause */
#include "expr/template.h"
#include "kernels/reduce.h"

#define TH_TEMPLATE "kernels/argreduce.inc"
#include "expr/types.inc"

#define FOLD(op, dtype)                                                                                                \
    { op##_row_##dtype, op##_rows_##dtype, op##_merge_##dtype }
#define FOLDS(op)                                                                                                      \
    {                                                                                                                  \
        [TH_BOOL] = FOLD(op, uint8), [TH_UINT8] = FOLD(op, uint8), [TH_INT8] = FOLD(op, int8),                         \
        [TH_INT16] = FOLD(op, int16), [TH_INT32] = FOLD(op, int32), [TH_INT64] = FOLD(op, int64),                      \
        [TH_FLOAT32] = FOLD(op, float32), [TH_FLOAT64] = FOLD(op, float64)                                             \
    }

const struct th_argreduce_table TH_ISA_NAME(th_argreduce) = {.argmax = FOLDS(argmax), .argmin = FOLDS(argmin)};
