/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/cast.h"

#include "TH/sys.h"
#include "core/dtype.h"
#include "expr/half.h"

#include <string.h>

#define TH_TABLE th_copy
#include "expr/tables.inc"

const struct th_copy_table *th_copy_table(void) { return tables[TH_isa_index()]; }

void th_cast(void *dst, THDtype to, const void *src, THDtype from, int64_t n) {
    enum { PIECE = 256 };
    const struct th_copy_table *t = th_copy_table();
    const th_cast_kernel direct = t->cast[to][from];
    if (direct || to == from) {
        if (direct)
            direct(dst, src, n);
        else
            memcpy(dst, src, (size_t)(n * TH_dtype_size(to)));
        return;
    }
    /* a half is exact in float32, and every other type that lacks a direct way is exact in float64 */
    const THDtype through = th_compute_dtype(from) != from ? TH_FLOAT32 : TH_FLOAT64;
    const int64_t from_size = TH_dtype_size(from), to_size = TH_dtype_size(to);
    double between[PIECE];
    for (int64_t i = 0; i < n; i += PIECE) {
        const int64_t count = n - i < PIECE ? n - i : PIECE;
        t->cast[through][from](between, (const char *)src + i * from_size, count);
        t->cast[to][through]((char *)dst + i * to_size, between, count);
    }
}

/* ---- single elements ---- */

THScalar th_load(const void *p, THDtype dtype) {
    THScalar s = {.kind = TH_SCALAR_FLOAT};
    switch (dtype) {
    case TH_FLOAT16: s.v.d = (double)th_float16_load(*(const uint16_t *)p); return s;
    case TH_BFLOAT16: s.v.d = (double)th_bfloat16_load(*(const uint16_t *)p); return s;
    case TH_FLOAT32: s.v.d = (double)*(const float *)p; return s;
    case TH_FLOAT64: s.v.d = *(const double *)p; return s;
    }
    s.kind = dtype == TH_BOOL ? TH_SCALAR_BOOL : TH_SCALAR_INT;
    switch (dtype) {
    case TH_BOOL: s.v.i = *(const uint8_t *)p != 0; break;
    case TH_UINT8: s.v.i = *(const uint8_t *)p; break;
    case TH_INT8: s.v.i = *(const int8_t *)p; break;
    case TH_INT16: s.v.i = *(const int16_t *)p; break;
    case TH_INT32: s.v.i = *(const int32_t *)p; break;
    case TH_INT64: s.v.i = *(const int64_t *)p; break;
    }
    return s;
}

/* For the half types: what a float cannot hold still counts when it is rounded once more. */
static float as_odd_float(const THScalar *value) {
    return th_double_to_odd_float(value->kind == TH_SCALAR_FLOAT ? value->v.d : th_int64_to_odd_double(value->v.i));
}

static int64_t as_int(const THScalar *value) {
    if (value->kind != TH_SCALAR_FLOAT) return value->v.i;
    return value->v.d >= -0x1p63 && value->v.d < 0x1p63 ? (int64_t)value->v.d : INT64_MIN;
}

void th_store(void *p, THDtype dtype, const THScalar *value) {
    double d = value->kind == TH_SCALAR_FLOAT ? value->v.d : (double)value->v.i;
    int64_t i = as_int(value);
    switch (dtype) {
    case TH_BOOL: *(uint8_t *)p = value->kind == TH_SCALAR_FLOAT ? d != 0 : i != 0; break;
    case TH_UINT8: *(uint8_t *)p = (uint8_t)i; break;
    case TH_INT8: *(int8_t *)p = (int8_t)i; break;
    case TH_INT16: *(int16_t *)p = (int16_t)i; break;
    case TH_INT32: *(int32_t *)p = (int32_t)i; break;
    case TH_INT64: *(int64_t *)p = i; break;
    case TH_FLOAT16: *(uint16_t *)p = th_float16_store(as_odd_float(value)); break;
    case TH_BFLOAT16: *(uint16_t *)p = th_bfloat16_store(as_odd_float(value)); break;
    case TH_FLOAT32: *(float *)p = value->kind == TH_SCALAR_FLOAT ? (float)d : (float)i; break;
    case TH_FLOAT64: *(double *)p = d; break;
    }
}
