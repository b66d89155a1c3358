/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/loss.h"

#include <string.h>

#include "expr/template.h"

#define C float
#define FN(name) TH_JOIN(name, f32)
#include "kernels/loss.inc"
#undef C
#undef FN

#define C double
#define FN(name) TH_JOIN(name, f64)
#include "kernels/loss.inc"
#undef C
#undef FN

const thnn_loss_table TH_ISA_NAME(thnn_loss) = {
    .nll = {nll_f32, nll_f64},
    .nll_backward = {nll_backward_f32, nll_backward_f64},
};
