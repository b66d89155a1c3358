/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TH_KERNELS_TERNARY_H
#define TH_KERNELS_TERNARY_H

#include "TH/sys.h"

/* By the dtype computed in; NULL where there is no such op. param: the scalar of addcmul and addcdiv. */
struct th_ternary_table {
    THKernel clamp[TH_DTYPE_COUNT], addcmul[TH_DTYPE_COUNT], addcdiv[TH_DTYPE_COUNT], lerp[TH_DTYPE_COUNT];
    THKernel where[4]; /* by log2 of the element size; the first input is bool */
};

#endif
