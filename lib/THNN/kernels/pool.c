/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pool.h"

#include <math.h>

#include "expr/template.h"

#define TH_TEMPLATE "kernels/pool_max.inc"
#include "expr/floats.inc"
#define TH_TEMPLATE "kernels/pool.inc"
#include "expr/floats.inc"

/* All integers are computed as the widest. */
#define C int64_t
#define FN(name) name##_int64
#define TH_FLOATING 0
#include "kernels/pool_max.inc"
#undef C
#undef FN
#undef TH_FLOATING

static int outside(const int64_t *index, int64_t n, int64_t size) {
    int bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= (uint64_t)index[i] >= (uint64_t)size;
    return bad;
}

#define TH_ROW .max[TH_CODE] = FN(max), .of[TH_CODE] = {FN(max_backward), FN(avg), FN(avg_backward)},
const thnn_pool_table TH_ISA_NAME(thnn_pool) = {
    .max[TH_INT64] = max_int64,
    .outside = outside,
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
