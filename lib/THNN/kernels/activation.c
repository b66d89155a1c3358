/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/activation.h"

#include <string.h>

#include "expr/template.h"
#include "expr/vmath.h"

#define TH_TEMPLATE "kernels/activation.inc"
#include "expr/types.inc"

const thnn_activation_table TH_ISA_NAME(thnn_activation) = {
    .forward =
        {
#define THNN_ACTIVATION(name, ...)                                                                                     \
    [THNN_ACTIVATION_##name] = {[TH_FLOAT32] = name##_run_float32, [TH_FLOAT64] = name##_run_float64},
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
        },
    .backward =
        {
#define THNN_ACTIVATION(name, ...)                                                                                     \
    [THNN_ACTIVATION_##name] = {[TH_FLOAT32] = name##_backward_run_float32, [TH_FLOAT64] = name##_backward_run_float64},
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
        },
    .relu = {[TH_UINT8] = relu_run_uint8,
             [TH_INT8] = relu_run_int8,
             [TH_INT16] = relu_run_int16,
             [TH_INT32] = relu_run_int32,
             [TH_INT64] = relu_run_int64},
};
