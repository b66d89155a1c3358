/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/conv.h"

#include <string.h>

#include "expr/template.h"

#define T float
#define FN(name) name##_f32
#include "kernels/conv.inc"
#undef T
#undef FN

#define T double
#define FN(name) name##_f64
#include "kernels/conv.inc"
#undef T
#undef FN

const thnn_conv_table TH_ISA_NAME(thnn_conv) = {
    {{unfold_f32, fold_f32, fill_f32, add_f32}, {unfold_f64, fold_f64, fill_f64, add_f64}},
};
