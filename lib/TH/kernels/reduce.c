/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/reduce.h"

#include "expr/template.h"

#include <math.h>

#define TH_TEMPLATE "kernels/reduce.inc"
#include "expr/types.inc"

/* Converting to double is what limits the sum of float32, so that four elements are added before. Where they
   overflow, though their sum need not, the block is summed in double throughout. */
static void fours_row(const void *x, int64_t n, int64_t base, th_strip *acc, int64_t slot) {
    const float *p = x;
    double lane[TH_LANES] = {0};
    int64_t i = 0;
    if (n < 4 * TH_LANES) {
        sum_row_float32(x, n, base, acc, slot);
        return;
    }
    for (; i + 4 * TH_LANES <= n; i += 4 * TH_LANES, p += 4 * TH_LANES)
        for (int l = 0; l < TH_LANES; l++)
            lane[l] += (double)((p[l] + p[TH_LANES + l]) + (p[2 * TH_LANES + l] + p[3 * TH_LANES + l]));
    for (int width = TH_LANES / 2; width; width /= 2)
        for (int l = 0; l < width; l++) lane[l] += lane[l + width];
    for (; i < n; i++) lane[0] += (double)*p++;
    ((double *)acc->value)[slot] = lane[0];
    if (!isfinite(lane[0])) sum_row_float32(x, n, base, acc, slot);
}

static void fours_rows(const void *const *x, int64_t nrows, int64_t n, int64_t base, th_strip *acc) {
    double *restrict sum = (double *)acc->value;
    int64_t r = nrows - nrows % 4;
    int overflow = 0;
    sum_rows_float32(x + r, nrows % 4, n, base + r, acc);
    while (r) {
        r -= 4;
        const float *p = x[r], *q = x[r + 1], *s = x[r + 2], *t = x[r + 3];
        TH_SIMD for (int64_t j = 0; j < n; j++) sum[j] += (double)((p[j] + q[j]) + (s[j] + t[j]));
    }
    for (int64_t j = 0; j < n; j++) overflow |= !isfinite(sum[j]);
    if (overflow) sum_rows_float32(x, nrows, n, base, acc);
}

#define FOLD(op, dtype)                                                                                                \
    { op##_row_##dtype, op##_rows_##dtype, op##_merge_##dtype }
#define FOLDS(op)                                                                                                      \
    [TH_FOLD_##op] = {[TH_BOOL] = FOLD(op, uint8),      [TH_UINT8] = FOLD(op, uint8),    [TH_INT8] = FOLD(op, int8),   \
                      [TH_INT16] = FOLD(op, int16),     [TH_INT32] = FOLD(op, int32),    [TH_INT64] = FOLD(op, int64), \
                      [TH_FLOAT32] = FOLD(op, float32), [TH_FLOAT64] = FOLD(op, float64)}

const struct th_reduce_table TH_ISA_NAME(th_reduce) = {
    .fold = {FOLDS(sum), FOLDS(prod), FOLDS(max), FOLDS(min), FOLDS(any), FOLDS(all)},
    .sum_of_fours = {fours_row, fours_rows, sum_merge_float32},
};
