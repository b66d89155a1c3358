/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TH_KERNELS_UNARY_H
#define TH_KERNELS_UNARY_H

#include "TH/sys.h"

enum {
#define TH_UNARY(name, ...) TH_UNARY_##name,
#include "TH/ops/unary.def"
#undef TH_UNARY
    TH_UNARY_COUNT
};

/* By op and the dtype computed in; NULL outside the op's class. */
struct th_unary_table {
    THKernel kernel[TH_UNARY_COUNT][TH_DTYPE_COUNT];
    THKernel round_decimals[TH_DTYPE_COUNT]; /* param: 10 to the decimals, negative for decimals below 0 */
};

#endif
