/* SPDX-License-Identifier: BSD-3-Clause */
/** @file wick/abi.h
 *  The C ABI for C and C++ compilers. The declarations and their contracts are in wick/abi.def.h; here are, besides,
 * functions that make values. */
#ifndef WICK_ABI_H
#define WICK_ABI_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
#include "wick/abi.def.h"
#pragma GCC visibility pop

#define WICK_EXPORT __attribute__((visibility("default")))

/* ---- values that borrow what they point to ---- */
static inline wick_value wick_v_tagged(uint32_t tag, uint32_t aux, int64_t i) {
    wick_value v;
    v.tag = tag;
    v.aux = aux;
    v.u.i = i;
    return v;
}
static inline wick_value wick_v_pointer(uint32_t tag, uint32_t aux, const void *p) {
    wick_value v = wick_v_tagged(tag, aux, 0);
    v.u.p = (void *)p;
    return v;
}
static inline wick_value wick_v_none(void) { return wick_v_tagged(WICK_TAG_NONE, 0, 0); }
static inline wick_value wick_v_unset(void) { return wick_v_tagged(WICK_TAG_UNSET, 0, 0); }
static inline wick_value wick_v_bool(int32_t b) { return wick_v_tagged(WICK_TAG_BOOL, 0, b != 0); }
static inline wick_value wick_v_int(int64_t i) { return wick_v_tagged(WICK_TAG_INT, 0, i); }
static inline wick_value wick_v_dtype(int32_t dtype) { return wick_v_tagged(WICK_TAG_DTYPE, 0, dtype); }
static inline wick_value wick_v_device(uint64_t device) { return wick_v_tagged(WICK_TAG_DEVICE, 0, (int64_t)device); }
static inline wick_value wick_v_float(double f) {
    wick_value v = wick_v_tagged(WICK_TAG_FLOAT, 0, 0);
    v.u.f = f;
    return v;
}
static inline wick_value wick_v_str(const char *s) {
    return s ? wick_v_pointer(WICK_TAG_STR, (uint32_t)strlen(s), s) : wick_v_none();
}
static inline wick_value wick_v_ints(const int64_t *ints, uint32_t n) { return wick_v_pointer(WICK_TAG_INTS, n, ints); }
static inline wick_value wick_v_floats(const double *floats, uint32_t n) {
    return wick_v_pointer(WICK_TAG_FLOATS, n, floats);
}
static inline wick_value wick_v_values(const wick_value *values, uint32_t n) {
    return wick_v_pointer(WICK_TAG_VALUES, n, values);
}
/* Any object; 0 is NONE. */
static inline wick_value wick_v_object(wick_object *o) { return wick_v_pointer(wick_tag(o), 0, o); }

#ifdef __cplusplus
}
#endif

#endif
