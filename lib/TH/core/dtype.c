/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dtype.h"
#include "core/tensor.h"

#include <string.h>

/* By kind: category, sign, and what is computed in. */
#define BOOL(code) TH_CATEGORY_BOOL, 0, code
#define UINT(code) TH_CATEGORY_INTEGER, 0, code
#define INT(code) TH_CATEGORY_INTEGER, 1, code
#define HALF(code) TH_CATEGORY_FLOATING, 1, TH_FLOAT32
#define FLOAT(code) TH_CATEGORY_FLOATING, 1, code

const th_dtype_row th_dtypes[TH_DTYPE_COUNT] = {
#define TH_DTYPE(NAME, code, name, ctype, kind) [code] = {#name, sizeof(ctype), kind(code)},
#include "TH/dtype.def"
#undef TH_DTYPE
};

static int valid(THDtype dtype) { return dtype >= 0 && dtype < TH_DTYPE_COUNT; }

int64_t TH_dtype_size(THDtype dtype) { return valid(dtype) ? th_dtypes[dtype].size : 0; }

const char *TH_dtype_name(THDtype dtype) { return valid(dtype) ? th_dtypes[dtype].name : "invalid"; }

int32_t TH_dtype_is_floating(THDtype dtype) { return valid(dtype) && th_is_floating(dtype); }

int32_t TH_dtype_is_signed(THDtype dtype) { return valid(dtype) && th_dtypes[dtype].is_signed; }

THStatus TH_dtype_find(THDtype *out, const char *name) {
    if (!out || !name) return TH_raisef(TH_E_ARG, "TH_dtype_find: %s is NULL", out ? "name" : "out");
    for (THDtype d = 0; d < TH_DTYPE_COUNT; d++)
        if (strcmp(th_dtypes[d].name, name) == 0) return *out = d, TH_OK;
    return TH_raisef(TH_E_NOTFOUND, "TH_dtype_find: got \"%.64s\", want the name of a dtype such as \"float32\"", name);
}

static THDtype by_default = TH_FLOAT32; /* atomic */

THDtype TH_default_dtype(void) { return __atomic_load_n(&by_default, __ATOMIC_RELAXED); }

THStatus TH_set_default_dtype(THDtype dtype) {
    if (!TH_dtype_is_floating(dtype))
        return TH_raisef(TH_E_TYPE, "TH_set_default_dtype: got %s, want a floating dtype", TH_dtype_name(dtype));
    __atomic_store_n(&by_default, dtype, __ATOMIC_RELAXED);
    return TH_OK;
}

/* PyTorch's table (c10/core/ScalarType.h, promoteTypes) by its rules: the higher category wins; within one, the wider;
   two different ones of the same width (uint8 and int8, float16 and bfloat16) meet in the signed one twice as wide. */
static THDtype promote(THDtype a, THDtype b) {
    const th_dtype_row *x = &th_dtypes[a], *y = &th_dtypes[b];
    if (a == b) return a;
    if (x->category != y->category) return x->category > y->category ? a : b;
    if (x->size != y->size) return x->size > y->size ? a : b;
    THDtype wider = 0;
    while (th_dtypes[wider].category != x->category || th_dtypes[wider].size != 2 * x->size) wider++;
    return wider;
}

THDtype TH_compute_dtype(THDtype dtype) { return valid(dtype) ? th_compute_dtype(dtype) : dtype; }

THStatus TH_promote_types(THDtype *out, THDtype a, THDtype b) {
    if (!out) return TH_raisef(TH_E_ARG, "TH_promote_types: out is NULL");
    if (!valid(a) || !valid(b))
        return TH_raisef(TH_E_TYPE, "TH_promote_types: got codes %d and %d, want dtypes", (int)a, (int)b);
    *out = promote(a, b);
    return TH_OK;
}

enum { NONE = -1 };

static THDtype promote_known(THDtype a, THDtype b) { return a == NONE ? b : b == NONE ? a : promote(a, b); }

/* What a group of weaker standing adds: nothing within the same category. */
static THDtype promote_weak(THDtype strong, THDtype weak) {
    if (strong == NONE || weak == NONE) return promote_known(strong, weak);
    if (TH_dtype_is_floating(strong)) return strong;
    return TH_dtype_is_floating(weak) || strong == TH_BOOL ? promote(strong, weak) : strong;
}

THStatus TH_result_type(THDtype *out, const struct THTensor *const *tensors, int32_t n) {
    if (!out || (!tensors && n > 0)) return TH_raisef(TH_E_ARG, "TH_result_type: %s is NULL", out ? "tensors" : "out");
    THDtype shaped = NONE, scalar = NONE, number = NONE;
    for (int32_t i = 0; i < n; i++) {
        const THTensor *t = tensors[i];
        if (!t) continue;
        if (t->ndim > 0)
            shaped = promote_known(shaped, t->dtype);
        else if (!t->number)
            scalar = promote_known(scalar, t->dtype);
        else /* a floating number stands for the default dtype, whatever it is stored in */
            number = promote_known(number, TH_dtype_is_floating(t->dtype) ? TH_default_dtype() : t->dtype);
    }
    THDtype result = promote_weak(shaped, promote_weak(scalar, number));
    if (result == NONE) return TH_raisef(TH_E_ARG, "TH_result_type: got no tensor, want at least one");
    *out = result;
    return TH_OK;
}
