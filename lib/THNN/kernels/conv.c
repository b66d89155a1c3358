/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/conv.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/conv.inc"
#include "expr/floats.inc"

#define TH_ROW .of[TH_CODE] = {FN(unfold), FN(fold), FN(fill), FN(add)},
const thnn_conv_table TH_ISA_NAME(thnn_conv) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
