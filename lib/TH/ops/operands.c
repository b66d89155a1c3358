/* SPDX-License-Identifier: BSD-3-Clause */
#include "ops/operands.h"

#include "core/cast.h"
#include "core/dtype.h"
#include "core/number.h"

THStatus th_raise_dtypes(const char *fn, const THTensor *const *inputs, int32_t n, const char *wanted) {
    th_text text[3];
    for (int32_t k = 0; k < n; k++) th_tensor_text(text[k], inputs[k]);
    if (n == 1) return TH_raisef(TH_E_TYPE, "%s: got %s, want %s", fn, text[0], wanted);
    if (n == 2) return TH_raisef(TH_E_TYPE, "%s: got %s and %s, want %s", fn, text[0], text[1], wanted);
    return TH_raisef(TH_E_TYPE, "%s: got %s, %s and %s, want %s", fn, text[0], text[1], text[2], wanted);
}

THStatus th_scalar(void *out, THDtype as, const char *fn, const char *name, const THScalar *value) {
    const THScalar one = {TH_SCALAR_INT, 0, {.i = 1}};
    if (!value) { /* every dtype holds it: small ops need not ask */
        th_store(out, as, &one);
        return TH_OK;
    }
    THStatus status = th_check_scalar(fn, name, value);
    if (status != TH_OK) return status;
    if (value->kind == TH_SCALAR_FLOAT && !th_is_floating(as))
        return TH_raisef(TH_E_TYPE, "%s: got %s %g for a %s result, want an integer", fn, name, value->v.d,
                         TH_dtype_name(as));
    if (!th_is_floating(as)) status = th_check_number(fn, name, value, as); /* floating dtypes take every number */
    if (status == TH_OK) th_store(out, as, value);
    return status;
}
