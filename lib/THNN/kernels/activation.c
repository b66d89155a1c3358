/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/activation.h"

#include <string.h>

#include "expr/template.h"
#include "expr/vmath.h"

#define C float
#define FN(name) TH_JOIN(name, f32)
#define M(name) name##f
#include "kernels/activation.inc"
#undef C
#undef FN
#undef M

#define C double
#define FN(name) TH_JOIN(name, f64)
#define M(name) name
#include "kernels/activation.inc"
#undef C
#undef FN
#undef M

/* Of the activations, relu alone serves integers, and only forward. */
#define RELU(T, name)                                                                                                  \
    static void relu_##name(void *const *p, const int64_t *step, int64_t n, const void *param) {                       \
        const T *x = ((void)param, p[1]);                                                                              \
        for (int64_t i = 0; i < n; i++) ((T *)p[0])[i] = x[i * step[1]] <= 0 ? 0 : x[i * step[1]];                     \
    }
RELU(uint8_t, uint8)
RELU(int8_t, int8)
RELU(int16_t, int16)
RELU(int32_t, int32)
RELU(int64_t, int64)
#undef RELU

const thnn_activation_table TH_ISA_NAME(thnn_activation) = {
    .forward =
        {
#define THNN_ACTIVATION(name, ...)                                                                                     \
    [THNN_ACTIVATION_##name] = {[TH_FLOAT32] = name##_run_f32, [TH_FLOAT64] = name##_run_f64},
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
        },
    .backward =
        {
#define THNN_ACTIVATION(name, ...)                                                                                     \
    [THNN_ACTIVATION_##name] = {[TH_FLOAT32] = name##_backward_run_f32, [TH_FLOAT64] = name##_backward_run_f64},
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
        },
    .relu = {[TH_UINT8] = relu_uint8,
             [TH_INT8] = relu_int8,
             [TH_INT16] = relu_int16,
             [TH_INT32] = relu_int32,
             [TH_INT64] = relu_int64},
};
