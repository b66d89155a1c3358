/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tensor.h"

#include <string.h>

enum { KIND_BOOL = 1, KIND_UINT, KIND_INT, KIND_HALF, KIND_FLOAT };

static const struct dtype_row {
    const char *name;
    uint8_t size, kind;
} rows[TH_DTYPE_COUNT] = {
#define TH_DTYPE(NAME, code, name, ctype, kind) [code] = {#name, sizeof(ctype), KIND_##kind},
#include "TH/dtype.def"
#undef TH_DTYPE
};

static int valid(THDtype dtype) { return dtype >= 0 && dtype < TH_DTYPE_COUNT; }

int64_t TH_dtype_size(THDtype dtype) { return valid(dtype) ? rows[dtype].size : 0; }

const char *TH_dtype_name(THDtype dtype) { return valid(dtype) ? rows[dtype].name : "invalid"; }

int32_t TH_dtype_is_floating(THDtype dtype) { return valid(dtype) && rows[dtype].kind >= KIND_HALF; }

int32_t TH_dtype_is_signed(THDtype dtype) { return valid(dtype) && rows[dtype].kind >= KIND_INT; }

THStatus TH_dtype_find(THDtype *out, const char *name) {
    if (!out || !name) return TH_raisef(TH_E_ARG, "TH_dtype_find: %s is NULL", out ? "name" : "out");
    for (THDtype d = 0; d < TH_DTYPE_COUNT; d++)
        if (strcmp(rows[d].name, name) == 0) return *out = d, TH_OK;
    return TH_raisef(TH_E_NOTFOUND, "TH_dtype_find: got \"%.64s\", want the name of a dtype such as \"float32\"", name);
}

/* PyTorch's table (c10/core/ScalarType.h, promoteTypes) by its rules: the higher category wins; within one, the wider;
   uint8 with a signed integer needs a wider signed one; float16 with bfloat16 meets in float32. */
static THDtype promote(THDtype a, THDtype b) {
    if (a == b) return a;
    if (a > b) {
        THDtype t = a;
        a = b, b = t;
    }
    if (a == TH_UINT8 && b == TH_INT8) return TH_INT16;
    if (a == TH_FLOAT16 && b == TH_BFLOAT16) return TH_FLOAT32;
    return b; /* codes rise with category, then with width */
}

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
            number = promote_known(number, TH_dtype_is_floating(t->dtype) ? TH_FLOAT32 : t->dtype);
    }
    THDtype result = promote_weak(shaped, promote_weak(scalar, number));
    if (result == NONE) return TH_raisef(TH_E_ARG, "TH_result_type: got no tensor, want at least one");
    *out = result;
    return TH_OK;
}
