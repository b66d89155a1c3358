/* SPDX-License-Identifier: BSD-3-Clause */
/* All of lib/expr, for a compiler to look at (expressions.py): as C, as C++, and as CUDA C++ without what only loops of
   the CPU need. */
#include "TH/dtype.h"

#include <string.h>

#include "expr/bits.h"
#include "expr/half.h"
#include "expr/normal.h"
#include "expr/sizes.h"
#include "expr/template.h"

#include "expr/random.inc"

#ifdef __CUDACC__
#define KEEP __global__
#else
#define KEEP
#endif

KEEP void keep_random(uint64_t *r, float *f, double *d, uint64_t seed, uint64_t range) {
    *r = th_bounded(th_redraw(seed, 1, 2, 3), range, seed, 4, 5);
    *f = th_unit_float((uint32_t)seed) + th_open_float((uint32_t)seed);
    *d = th_unit_double((uint32_t)seed, 1) + th_open_double((uint32_t)seed, 1);
}

KEEP void keep_half(uint16_t *h, double *d, double x, int64_t i) {
    h[0] = th_float16_store(th_double_to_odd_float(x));
    h[1] = th_bfloat16_store(th_double_to_odd_float(th_int64_to_odd_double(i)));
    *d = (double)(th_float16_load(h[0]) + th_bfloat16_load(h[1]));
}

#define TH_TEMPLATE "check/expressions.inc"
#include "expr/types.inc"

#ifndef __CUDACC__
#include "expr/openmp.h"

#define TH_TEMPLATE "expr/map.inc"
#include "expr/numbers.inc"

#define TH_ROW +TH_CODE
enum {
    FLOATS = 0
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
    ,
    INTEGERS = 0
#define TH_TEMPLATE "expr/row.inc"
#include "expr/integers.inc"
    ,
#undef TH_ROW
#define TH_ROW +TH_WIDTH
    WIDTHS = 0
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};

struct keep_table {
    int member;
};
#define TH_TABLE keep
#include "expr/tables.inc"
int keep_tables(void) { return tables[0]->member + FLOATS + INTEGERS + WIDTHS; }
#endif
