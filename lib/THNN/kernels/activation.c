/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/activation.h"

#include <string.h>

#include "expr/normal.h"
#include "expr/template.h"

enum {
#define THNN_ACTIVATION(name, ulp) ULP_##name = ulp,
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
};

#define TH_TEMPLATE "kernels/activation.inc"
#include "expr/numbers.inc"

#define TH_ROWS
#define FORWARD(name, value) .forward[THNN_ACTIVATION_##name][TH_CODE] = FN(name##_run),
#define ACTIVATION(name, value, gradient)                                                                              \
    FORWARD(name, value).backward[THNN_ACTIVATION_##name][TH_CODE] = FN(name##_backward_run),
const thnn_activation_table TH_ISA_NAME(thnn_activation) = {
#define TH_TEMPLATE "expr/activation.inc"
#include "expr/numbers.inc"
};
