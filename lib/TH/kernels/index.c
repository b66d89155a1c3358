/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/index.h"

#include "expr/half.h"
#include "expr/template.h"

#define TH_TEMPLATE "kernels/pick.inc"
#include "expr/widths.inc"

#define T C
#define ADD(a, b) ((T)((U)(a) + (U)(b)))
#define TH_TEMPLATE "kernels/index.inc"
#include "expr/numbers.inc"
#undef T
#undef ADD

#define T uint8_t
#define ADD(a, b) ((T)((a) | (b)))
#define FN(name) name##_bool
#include "kernels/index.inc"
#undef T
#undef FN
#undef ADD

#define T uint16_t
#define ADD(a, b) th_float16_store(th_float16_load(a) + th_float16_load(b))
#define FN(name) name##_float16
#include "kernels/index.inc"
#undef FN
#undef ADD
#define ADD(a, b) th_bfloat16_store(th_bfloat16_load(a) + th_bfloat16_load(b))
#define FN(name) name##_bfloat16
#include "kernels/index.inc"
#undef T
#undef FN
#undef ADD

const struct th_index_table TH_ISA_NAME(th_index) = {
    .add = {[TH_BOOL] = add_bool, [TH_FLOAT16] = add_float16, [TH_BFLOAT16] = add_bfloat16},
#define TH_ROW .add[TH_CODE] = FN(add),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/numbers.inc"
#undef TH_ROW
#define TH_ROW .get[TH_WIDTH] = FN(get), .put[TH_WIDTH] = FN(put),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};
