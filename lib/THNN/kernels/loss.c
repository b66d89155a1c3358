/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/loss.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/loss.inc"
#include "expr/floats.inc"

#define TH_ROW .nll[TH_CODE] = FN(nll), .nll_backward[TH_CODE] = FN(nll_backward),
const thnn_loss_table TH_ISA_NAME(thnn_loss) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
