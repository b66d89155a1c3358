/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/norm.h"

#include <math.h>

#include "expr/template.h"

/* How a block of channels lies in memory: `images` times `runs` runs of `length` elements. Where inner is 1 the
   channels are one run of lanes, otherwise each channel has its run. */
typedef struct block {
    int64_t images, step, start, channels, runs, length;
    int lanes;
    double count; /* of values per channel */
} block;

TH_INLINE block block_of(const thnn_norm_args *a, int64_t lo, int64_t hi) {
    const int lanes = a->inner == 1;
    return (block){.images = a->n,
                   .step = a->channels * a->inner,
                   .start = lo * a->inner,
                   .channels = hi - lo,
                   .runs = lanes ? 1 : hi - lo,
                   .length = lanes ? hi - lo : a->inner,
                   .lanes = lanes,
                   .count = (double)(a->n * a->inner)};
}

#define TH_TEMPLATE "kernels/norm.inc"
#include "expr/floats.inc"

#define TH_ROW                                                                                                         \
    .stats[TH_CODE] = FN(stats), .apply[TH_CODE] = FN(apply), .grad_sums[TH_CODE] = FN(grad_sums),                     \
    .grad_apply[TH_CODE] = FN(grad_apply),
const thnn_norm_table TH_ISA_NAME(thnn_norm) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
