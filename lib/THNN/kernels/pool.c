/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pool.h"

#include <math.h>

#include "expr/template.h"

#define T float
#define FN(name) name##_f32
#include "kernels/pool.inc"
#undef T
#undef FN

#define T double
#define FN(name) name##_f64
#include "kernels/pool.inc"
#undef T
#undef FN

static int outside(const int64_t *index, int64_t n, int64_t size) {
    int bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= (uint64_t)index[i] >= (uint64_t)size;
    return bad;
}

const thnn_pool_table TH_ISA_NAME(thnn_pool) = {
    {{max_f32, max_backward_f32, avg_f32, avg_backward_f32}, {max_f64, max_backward_f64, avg_f64, avg_backward_f64}},
    outside,
};
