/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_DROPOUT_H
#define THNN_KERNELS_DROPOUT_H

#include "TH/sys.h"

/* x scale where the mask is not 0, else 0; param is scale, a double. [float32, float64] */
typedef struct thnn_dropout_table {
    THKernel keep[2];
} thnn_dropout_table;

#endif
