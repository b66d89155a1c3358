/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/number.h"
#include "core/cast.h"

#include <math.h>
#include <stdio.h>

void th_integer_range(THDtype dtype, int64_t *lowest, int64_t *highest) {
    static const int floating_bits[] = {[TH_FLOAT16] = 11, [TH_BFLOAT16] = 8, [TH_FLOAT32] = 24, [TH_FLOAT64] = 53};
    if (TH_dtype_is_floating(dtype)) {
        *highest = INT64_C(1) << floating_bits[dtype];
        *lowest = -*highest;
        return;
    }
    *highest = dtype == TH_BOOL ? INT64_MAX : INT64_MAX >> (64 - 8 * TH_dtype_size(dtype));
    *lowest = -*highest - 1;
    if (dtype == TH_UINT8) *lowest = 0, *highest = UINT8_MAX;
}

int32_t th_number_misfit(THDtype dtype, const THScalar *x) {
    int64_t lowest, highest;
    if (dtype == TH_BOOL || TH_dtype_is_floating(dtype)) return 0;
    th_integer_range(dtype, &lowest, &highest);
    if (x->kind != TH_SCALAR_FLOAT) return (x->v.i > highest) - (x->v.i < lowest);
    const double whole = trunc(x->v.d);
    /* both ends are exact in double: a power of 2, or 1 less than one that is compared with */
    return whole < (double)lowest ? -1 : whole < (double)(highest / 2 + 1) * 2 ? 0 : 1;
}

THStatus th_check_scalar(const char *fn, const char *name, const THScalar *x) {
    if (!x) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, name);
    if (x->kind < TH_SCALAR_BOOL || x->kind > TH_SCALAR_FLOAT)
        return TH_raisef(TH_E_TYPE, "%s: got %s of kind %d, want bool, int or float", fn, name, (int)x->kind);
    return TH_OK;
}

static THStatus raise(const char *fn, const char *name, const THScalar *x, THDtype dtype) {
    char text[32];
    int64_t lowest, highest;
    th_integer_range(dtype, &lowest, &highest);
    if (x->kind == TH_SCALAR_FLOAT)
        snprintf(text, sizeof text, "%.17g", x->v.d);
    else
        snprintf(text, sizeof text, "%lld", (long long)x->v.i);
    return TH_raisef(TH_E_ARG, "%s: got %s %s, want a number that %s holds, %lld to %lld", fn, name, text,
                     TH_dtype_name(dtype), (long long)lowest, (long long)highest);
}

THStatus th_check_number(const char *fn, const char *name, const THScalar *x, THDtype dtype) {
    const THStatus status = th_check_scalar(fn, name, x);
    return status == TH_OK && th_number_misfit(dtype, x) ? raise(fn, name, x, dtype) : status;
}

THStatus th_check_element(const char *fn, const char *name, const THTensor *t, THDtype dtype) {
    if (t->ndim || t->dtype == dtype || TH_dtype_is_floating(dtype)) return TH_OK;
    const THScalar x = th_load(t->data, t->dtype);
    return th_number_misfit(dtype, &x) ? raise(fn, name, &x, dtype) : TH_OK;
}
