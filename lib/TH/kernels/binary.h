/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TH_KERNELS_BINARY_H
#define TH_KERNELS_BINARY_H

#include "TH/sys.h"

/* TH/ops/binary.def, and add and sub, which have a factor besides and therefore another signature. */
#define TH_BINARY_ADD_SUB TH_BINARY(add, ARITH, 0, ) TH_BINARY(sub, NUMERIC, 0, )

enum {
#define TH_BINARY(name, ...) TH_BINARY_##name,
    TH_BINARY_ADD_SUB
#include "TH/ops/binary.def"
#undef TH_BINARY
        TH_BINARY_COUNT
};

/* By op and the dtype computed in; NULL outside the op's class. The kernels of add and sub take the factor as param. */
struct th_binary_table {
    THKernel kernel[TH_BINARY_COUNT][TH_DTYPE_COUNT];
    /* Kernels without output, integers only: param is an int32_t * that is set to 1 if an element is 0, or is negative.
     */
    THKernel find_zero[TH_DTYPE_COUNT], find_negative[TH_DTYPE_COUNT];
};

#endif
