/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/dropout.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/dropout.inc"
#include "expr/floats.inc"

#define TH_ROW .keep[TH_CODE] = FN(keep),
const thnn_dropout_table TH_ISA_NAME(thnn_dropout) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
