/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/reduce.h"
#include "core/iter.h"
#include "core/reduce.h"

#include <math.h>

#define TH_TABLE th_var
#include "expr/tables.inc"

static void divide(th_strip *acc, int64_t n, int64_t count, double correction) {
    double *value = (double *)acc->value;
    const double divisor = fmax((double)count - correction, 0);
    for (int64_t i = 0; i < n; i++) value[i] /= divisor;
}

THStatus TH_var(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim,
                double correction) {
    const char *fn = "TH_var";
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    uint64_t mask;
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = th_reduce_dims(&mask, fn, x, dims, ndims);
    if (status != TH_OK) return status;
    if (!TH_dtype_is_floating(x->dtype)) {
        th_text text;
        return TH_raisef(TH_E_TYPE, "%s: got x %s, want a floating dtype", fn, th_tensor_text(text, x));
    }
    const th_reduction op = {.fn = fn,
                             .fold = &tables[TH_isa_index()]->fold[th_compute_dtype(x->dtype)],
                             .size = 8,
                             .value = TH_FLOAT64,
                             .result = x->dtype,
                             .finish = divide,
                             .param = correction};
    return th_reduce_run(&op, out, x, mask, keepdim);
}
