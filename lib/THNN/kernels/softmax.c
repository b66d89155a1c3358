/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/softmax.h"

#include "expr/template.h"
#include "expr/vmath.h"

/* Contiguous rows up to these lengths are transposed into lanes: most of a short row would be a scalar remainder.
   Measured on AVX-512; backward has less arithmetic to win. */
enum { SHORT_ROW = 32, SHORT_GRAD_ROW = 12 };

/* Rows worked on side by side: strided ones in memory (long segments stream well), short ones in a transposed tile. */
enum { LANES = 256, TILE_LANES = 64 };

TH_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

#define TH_TEMPLATE "kernels/softmax.inc"
#include "expr/floats.inc"

#define TH_ROW                                                                                                         \
    .forward[TH_CODE] = {FN(softmax), FN(log_softmax)},                                                                \
    .backward[TH_CODE] = {FN(softmax_backward), FN(log_softmax_backward)},
const thnn_softmax_table TH_ISA_NAME(thnn_softmax) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
