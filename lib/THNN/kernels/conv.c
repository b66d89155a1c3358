/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/conv.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/conv.inc"
#include "expr/floats.inc"

const thnn_conv_table TH_ISA_NAME(thnn_conv) = {
    {{unfold_float32, fold_float32, fill_float32, add_float32},
     {unfold_float64, fold_float64, fill_float64, add_float64}},
};
