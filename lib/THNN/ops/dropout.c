/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/dropout.h"

#include <stddef.h>

#include "core/check.h"
#include "core/operand.h"
#include "kernels/dropout.h"

#define TH_TABLE thnn_dropout
#include "expr/tables.inc"

static THStatus check(const char *fn, const char *arg, const THTensor *x, double p) {
    THStatus status = thnn_check_floating(fn, arg, x);
    if (status != TH_OK || (p >= 0 && p <= 1)) return status;
    return TH_raisef(TH_E_ARG, "%s: got p = %g, want 0 to 1", fn, p);
}

/* x / (1 - p) where mask. With p = 1 nothing is kept, whatever a mask says. */
static THStatus apply(const char *fn, THTensor **out, const THTensor *x, const THTensor *mask, double p) {
    const double scale = p < 1 ? 1 / (1 - p) : 0;
    THKernel kernel = tables[TH_isa_index()]->keep[TH_compute_dtype(THTensor_dtype(x))];
    return thnn_elementwise(fn, out, kernel, &scale, (const THTensor *[]){x, mask}, 2);
}

THStatus THNN_dropout(THTensor **out, THTensor **mask, const THTensor *x, double p, THGenerator *g) {
    const char *fn = "THNN_dropout";
    THTensor *result = NULL, *kept = NULL;
    THStatus status = mask ? check(fn, "x", x, p) : TH_raisef(TH_E_ARG, "%s: mask is NULL", fn);
    if (status != TH_OK) return status;
    const int64_t *sizes = THTensor_sizes(x);
    const int32_t ndim = THTensor_ndim(x);
    status = TH_output_begin(&kept, fn, mask, TH_BOOL, sizes, ndim, 1, 0, &x, 1);
    if (status != TH_OK) return status;
    status = TH_output_begin(&result, fn, out, THTensor_dtype(x), sizes, ndim, 1, 1, (const THTensor *[]){x, kept}, 2);
    if (status == TH_OK) {
        status = TH_bernoulli(kept, 1 - p, g);
        if (status == TH_OK) status = apply(fn, &result, x, kept, p);
        status = TH_output_end(result, out, status);
    }
    return TH_output_end(kept, mask, status);
}

THStatus THNN_dropout_backward(THTensor **out, const THTensor *grad, const THTensor *mask, double p) {
    const char *fn = "THNN_dropout_backward";
    THStatus status = check(fn, "grad", grad, p);
    if (status == TH_OK) status = TH_check_input(fn, "mask", mask);
    if (status == TH_OK && THTensor_dtype(mask) != TH_BOOL) {
        status = TH_raisef(TH_E_TYPE, "%s: got mask of dtype %s, want bool", fn, TH_dtype_name(THTensor_dtype(mask)));
    }
    if (status == TH_OK) status = thnn_check_sizes(fn, "mask", mask, THTensor_sizes(grad), THTensor_ndim(grad));
    return status == TH_OK ? apply(fn, out, grad, mask, p) : status;
}
