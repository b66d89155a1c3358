/* SPDX-License-Identifier: BSD-3-Clause */
#include "expr/template.h"
#include "kernels/reduce.h"

#include <stddef.h>

#define TH_TEMPLATE "kernels/var.inc"
#include "expr/floats.inc"

/* Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979. */
static void var_merge(th_strip *acc, int64_t count, const th_strip *next, int64_t more, int64_t slot, int64_t n) {
    double *squares = (double *)acc->value + slot, *mean = (double *)acc->extra + slot;
    const double *other = (const double *)next->value + slot, *center = (const double *)next->extra + slot;
    const double share = (double)more / ((double)count + (double)more);
    TH_SIMD for (int64_t j = 0; j < n; j++) {
        const double apart = center[j] - mean[j];
        squares[j] += other[j] + apart * apart * share * (double)count;
        mean[j] += apart * share;
    }
}

#define TH_ROW .fold[TH_CODE] = {FN(var_row), FN(var_rows), var_merge},
const struct th_var_table TH_ISA_NAME(th_var) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/floats.inc"
};
