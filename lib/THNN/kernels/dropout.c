/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/dropout.h"

#include <string.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/dropout.inc"
#include "expr/floats.inc"

const thnn_dropout_table TH_ISA_NAME(thnn_dropout) = {.keep = {keep_float32, keep_float64}};
