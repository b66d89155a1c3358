/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pool.h"

#include <math.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/pool.inc"
#include "expr/floats.inc"

static int outside(const int64_t *index, int64_t n, int64_t size) {
    int bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= (uint64_t)index[i] >= (uint64_t)size;
    return bad;
}

const thnn_pool_table TH_ISA_NAME(thnn_pool) = {
    {{max_float32, max_backward_float32, avg_float32, avg_backward_float32},
     {max_float64, max_backward_float64, avg_float64, avg_backward_float64}},
    outside,
};
