/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THNN_KERNELS_ACTIVATION_H
#define THNN_KERNELS_ACTIVATION_H

#include "TH/sys.h"

enum {
#define THNN_ACTIVATION(name, ...) THNN_ACTIVATION_##name,
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
    THNN_ACTIVATION_COUNT
};

/* By activation and compute dtype; NULL where there is none. forward takes x, backward grad and x; param are p and
   q, two doubles. */
typedef struct thnn_activation_table {
    THKernel forward[THNN_ACTIVATION_COUNT][TH_DTYPE_COUNT], backward[THNN_ACTIVATION_COUNT][TH_DTYPE_COUNT];
} thnn_activation_table;

#endif
