/* SPDX-License-Identifier: BSD-3-Clause */
/* What elementwise ops do before they run: checks of inputs, the dtype where they meet, scalars. */
#ifndef TH_OPS_OPERANDS_H
#define TH_OPS_OPERANDS_H

#include "core/tensor.h"

/* TH_check_input for all n inputs; names[k] is what the k-th is called. */
static inline THStatus th_check_inputs(const char *fn, const char *const *names, const THTensor *const *inputs,
                                       int32_t n) {
    for (int32_t k = 0; k < n; k++)
        if (!inputs[k] || inputs[k]->elsewhere) return TH_check_input(fn, names[k], inputs[k]);
    return TH_OK;
}

/* TH_result_type, at once for equal dtypes. */
static inline THStatus th_meet(THDtype *out, const THTensor *const *inputs, int32_t n) {
    int32_t equal = 1;
    for (int32_t k = 0; k < n; k++) equal &= inputs[k] && inputs[k]->ndim > 0 && inputs[k]->dtype == inputs[0]->dtype;
    if (!equal) return TH_result_type(out, inputs, n);
    *out = inputs[0]->dtype;
    return TH_OK;
}

/* TH_E_TYPE with the inputs' descriptions: "fn: got float32[2] and bool[2], want <wanted>". */
THStatus th_raise_dtypes(const char *fn, const THTensor *const *inputs, int32_t n, const char *wanted);

/* Writes an optional number (NULL: 1) to *out as dtype `as`. A floating one needs a floating dtype. */
THStatus th_scalar(void *out, THDtype as, const char *fn, const char *name, const THScalar *value);

/* max(x, bound), or min for an upper bound, in the name of `fn`; not for bool. */
THStatus th_bound(THTensor **out, const char *fn, const THTensor *x, const THTensor *bound, const char *name,
                  int32_t upper);

#endif
