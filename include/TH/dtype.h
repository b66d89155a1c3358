/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/dtype.h
 * Element types, scalars and type promotion. */
#ifndef TH_DTYPE_H
#define TH_DTYPE_H

#include "TH/status.h"
TH_BEGIN

struct THTensor;

/** An element type: one of TH_BOOL ... TH_FLOAT64 (TH/dtype.def). */
typedef int32_t THDtype;

enum {
#define TH_DTYPE(NAME, code, name, ctype, kind) TH_##NAME = code,
#include "TH/dtype.def"
#undef TH_DTYPE
    TH_DTYPE_COUNT = 10,
    TH_DTYPE_DEFAULT = -1 /**< where an argument is optional: let the function choose */
};

/** Bytes per element, 0 for a code that is not a dtype. */
TH_API int64_t TH_dtype_size(THDtype dtype);

/** Name as in NumPy and PyTorch ("float32"), "invalid" for a code that is not a dtype. Static storage. */
TH_API const char *TH_dtype_name(THDtype dtype);

/** Looks a dtype up by its name. TH_E_NOTFOUND if there is none. */
TH_API THStatus TH_dtype_find(THDtype *out, const char *name);

/** 1 for float16, bfloat16, float32, float64; otherwise 0. */
TH_API int32_t TH_dtype_is_floating(THDtype dtype);

/** 1 for int8, int16, int32, int64 and the floating types; otherwise 0. */
TH_API int32_t TH_dtype_is_signed(THDtype dtype);

/** The dtype that holds both, by PyTorch's promotion table (uint8 + int8 is int16,
 * any integer + float16 is float16, float16 + bfloat16 is float32). TH_E_TYPE for an invalid code. */
TH_API THStatus TH_promote_types(THDtype *out, THDtype a, THDtype b);

/** The dtype in which `n` tensors meet, by PyTorch's rules: tensors with dimensions decide; 0-dim tensors
 * count only if they are of a higher category (bool < integer < floating), and numbers
 * (THTensor_new_scalar) below both; a floating number among integers gives the default dtype. NULLs are skipped. */
TH_API THStatus TH_result_type(THDtype *out, const struct THTensor *const *tensors, int32_t n);

/** A number of any dtype, as an argument. `kind` says which member of `v` holds it. */
typedef struct THScalar {
    int32_t kind;     /**< TH_SCALAR_BOOL or TH_SCALAR_INT (v.i), TH_SCALAR_FLOAT (v.d) */
    int32_t reserved; /**< 0 */
    union {
        int64_t i;
        double d;
    } v;
} THScalar;

enum { TH_SCALAR_BOOL = 1, TH_SCALAR_INT = 2, TH_SCALAR_FLOAT = 3 };

TH_END
#endif
