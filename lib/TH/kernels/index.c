/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/index.h"

#include "expr/template.h"

#define TH_TEMPLATE "kernels/pick.inc"
#include "expr/widths.inc"

#define TH_TEMPLATE "kernels/index.inc"
#include "expr/types.inc"

const struct th_index_table TH_ISA_NAME(th_index) = {
#define TH_ROW .add[TH_CODE] = FN(add), .mul[TH_CODE] = FN(mul),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/types.inc"
#undef TH_ROW
#define TH_ROW .scan[TH_CODE] = FN(scan),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
#undef TH_ROW
#define TH_ROW .get[TH_WIDTH] = FN(get), .put[TH_WIDTH] = FN(put),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};
