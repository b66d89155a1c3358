/* SPDX-License-Identifier: BSD-3-Clause */
#include "expr/template.h"
#include "kernels/reduce.h"

#define TH_TEMPLATE "kernels/argreduce.inc"
#include "expr/numbers.inc"

#define FOLD(op) .op[TH_CODE] = {AS(op##_row), AS(op##_rows), AS(op##_merge)},
#define TH_ROW FOLD(argmax) FOLD(argmin)
const struct th_argreduce_table TH_ISA_NAME(th_argreduce) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/types.inc"
};
