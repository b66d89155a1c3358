/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_DROPOUT_H
#define THNN_KERNELS_DROPOUT_H

#include "TH/sys.h"

/* x scale where the mask is not 0, else 0; param is scale, a double. By the dtype computed in. */
typedef struct thnn_dropout_table {
    THKernel keep[TH_DTYPE_COUNT];
} thnn_dropout_table;

#endif
