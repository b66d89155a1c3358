/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/dropout.h"

#include <string.h>

#include "expr/template.h"

#define C float
#define FN(name) TH_JOIN(name, f32)
#include "kernels/dropout.inc"
#undef C
#undef FN

#define C double
#define FN(name) TH_JOIN(name, f64)
#include "kernels/dropout.inc"
#undef C
#undef FN

const thnn_dropout_table TH_ISA_NAME(thnn_dropout) = {.keep = {keep_f32, keep_f64}};
