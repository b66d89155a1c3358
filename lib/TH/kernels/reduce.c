/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/reduce.h"

#include "expr/template.h"

#include <math.h>

/* Columns side by side in registers; fewer where there are not so many. */
#if defined(__AVX512F__)
enum { TH_COLUMNS = 64, TH_SOME_COLUMNS = 16, TH_FEW_COLUMNS = 8 };
#elif defined(__AVX__)
enum { TH_COLUMNS = 32, TH_SOME_COLUMNS = 16, TH_FEW_COLUMNS = 8 };
#else
enum { TH_COLUMNS = 16, TH_SOME_COLUMNS = 8, TH_FEW_COLUMNS = 4 };
#endif

#define TH_TEMPLATE "kernels/reduce.inc"
#include "expr/numbers.inc"

/* Sums and tests of all types have partial results of three types. */
#define TH_FOLD_ORDER(...)
#define TH_FOLD_TEST(...)
#define TH_FOLD_WIDE TH_REDUCTION
#define A double
#define L A
#define GN(name) float_##name
#include "kernels/merge.inc"
#undef A
#undef GN
#define A uint64_t
#define GN(name) integer_##name
#include "kernels/merge.inc"
#undef A
#undef GN
#undef TH_FOLD_WIDE
#undef TH_FOLD_TEST
#define TH_FOLD_WIDE(...)
#define TH_FOLD_TEST TH_REDUCTION
#define A uint8_t
#define GN(name) test_##name
#include "kernels/merge.inc"
#undef A
#undef GN
#undef TH_FOLD_ORDER
#undef TH_FOLD_TEST
#undef TH_FOLD_WIDE
#undef L

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

#define FOLD(name, merge) .fold[TH_FOLD_##name][TH_CODE] = {AS(name##_row), AS(name##_rows), merge},
#define TH_FOLD_WIDE(name, ...) FOLD(name, TH_FLOATING ? float_##name##_merge : integer_##name##_merge)
#define TH_FOLD_ORDER(name, ...) FOLD(name, AS(in_order_##name##_merge))
#define TH_FOLD_TEST(name, ...) FOLD(name, test_##name##_merge)
const struct th_reduce_table TH_ISA_NAME(th_reduce) = {
#define TH_TEMPLATE "expr/reduce.inc"
#include "expr/types.inc"
    .sum_of_fours = {fours_row, fours_rows, float_sum_merge},
};
