/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/loss.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/loss.inc"
#include "expr/floats.inc"

const thnn_loss_table TH_ISA_NAME(thnn_loss) = {
    .nll = {nll_float32, nll_float64},
    .nll_backward = {nll_backward_float32, nll_backward_float64},
};
