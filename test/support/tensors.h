/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors for tests: random ones of any dtype, the same values in other layouts, and comparison with references in long
   double. Element i means the i-th in logical (row-major) order. Nothing here uses the code under test but to make and
   read tensors. */
#ifndef SUPPORT_TENSORS_H
#define SUPPORT_TENSORS_H

#include "support/check.h"

#include <math.h>

/* ---- numbers ---- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double random_unit(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-53; }

typedef struct float_format {
    int precision, emin, emax; /* significant bits; exponents of the smallest and the largest normal number */
} float_format;

static inline float_format format_of(THDtype dtype) {
    switch (dtype) {
    case TH_FLOAT16: return (float_format){11, -14, 15};
    case TH_BFLOAT16: return (float_format){8, -126, 127};
    case TH_FLOAT32: return (float_format){24, -126, 127};
    default: return (float_format){53, -1022, 1023};
    }
}

/* Distance of neighbouring numbers of a floating dtype around x. */
static inline long double ulp_of(THDtype dtype, long double x) {
    float_format f = format_of(dtype);
    int e = x == 0 || ilogbl(x) < f.emin ? f.emin : ilogbl(x);
    return ldexpl(1, e - f.precision + 1);
}

/* x rounded to nearest even in a floating dtype. */
static inline long double round_to(THDtype dtype, long double x) {
    if (isnan(x) || isinf(x) || x == 0) return x;
    long double u = ulp_of(dtype, x), r = rintl(x / u) * u;
    return ilogbl(r) > format_of(dtype).emax ? copysignl((long double)INFINITY, x) : r;
}

/* Error of `got` in units of the last place of dtype; 0 for equal infinities, two NaN, or what `want` rounds to. */
static inline long double ulp_error(THDtype dtype, long double got, long double want) {
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : (long double)INFINITY;
    if (got == want || got == round_to(dtype, want)) return 0;
    if (isinf(got) || isinf(want)) return (long double)INFINITY;
    return fabsl(got - want) / ulp_of(dtype, want);
}

/* ---- elements ---- */

static inline char *support_address(const THTensor *t, int64_t i) {
    const int64_t *sizes = THTensor_sizes(t), *strides = THTensor_strides(t);
    int64_t at = 0;
    for (int32_t k = THTensor_ndim(t) - 1; k >= 0; k--) {
        at += i % sizes[k] * strides[k];
        i /= sizes[k];
    }
    return (char *)THTensor_data(t) + at * TH_dtype_size(THTensor_dtype(t));
}

static inline long double support_decode(uint16_t bits, int mantissa_bits, int bias) {
    int top = 0x7fff >> mantissa_bits, e = (bits & 0x7fff) >> mantissa_bits, m = bits & ((1 << mantissa_bits) - 1);
    long double x = e == top ? (m ? (long double)NAN : (long double)INFINITY)
                    : e == 0 ? ldexpl(m, 1 - bias - mantissa_bits)
                             : ldexpl(m + (1 << mantissa_bits), e - bias - mantissa_bits);
    return bits & 0x8000 ? -x : x;
}

static inline uint16_t support_encode(long double x, THDtype dtype) {
    int mantissa_bits = format_of(dtype).precision - 1, bias = format_of(dtype).emax, top = 0x7fff >> mantissa_bits;
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x)) return (uint16_t)(sign | top << mantissa_bits | 1 << (mantissa_bits - 1));
    x = fabsl(round_to(dtype, x));
    if (isinf(x)) return (uint16_t)(sign | top << mantissa_bits);
    int e = x == 0 || ilogbl(x) < 1 - bias ? 0 : ilogbl(x) + bias;
    long m = lrintl(ldexpl(x, bias + mantissa_bits - (e ? e : 1))); /* with the leading 1 of a normal number */
    return (uint16_t)(sign + ((e ? e - 1 : 0) << mantissa_bits) + m);
}

static inline long double element(const THTensor *t, int64_t i) {
    const char *p = support_address(t, i);
    switch (THTensor_dtype(t)) {
    case TH_BOOL:
    case TH_UINT8: return *(const uint8_t *)p;
    case TH_INT8: return *(const int8_t *)p;
    case TH_INT16: return *(const int16_t *)p;
    case TH_INT32: return *(const int32_t *)p;
    case TH_INT64: return *(const int64_t *)p;
    case TH_FLOAT16: return support_decode(*(const uint16_t *)p, 10, 15);
    case TH_BFLOAT16: return support_decode(*(const uint16_t *)p, 7, 127);
    case TH_FLOAT32: return *(const float *)p;
    default: return *(const double *)p;
    }
}

/* x must lie in the range of an integer dtype. */
static inline void set_element(THTensor *t, int64_t i, long double x) {
    char *p = support_address(t, i);
    switch (THTensor_dtype(t)) {
    case TH_BOOL: *(uint8_t *)p = x != 0; break;
    case TH_UINT8: *(uint8_t *)p = (uint8_t)x; break;
    case TH_INT8: *(int8_t *)p = (int8_t)x; break;
    case TH_INT16: *(int16_t *)p = (int16_t)x; break;
    case TH_INT32: *(int32_t *)p = (int32_t)x; break;
    case TH_INT64: *(int64_t *)p = (int64_t)x; break;
    case TH_FLOAT16:
    case TH_BFLOAT16: *(uint16_t *)p = support_encode(x, THTensor_dtype(t)); break;
    case TH_FLOAT32: *(float *)p = (float)x; break;
    default: *(double *)p = (double)x; break;
    }
}

/* ---- making tensors ---- */

static inline THTensor *tensor_empty(THDtype dtype, const int64_t *sizes, int32_t ndim) {
    THTensor *t = NULL;
    assert_ok(THTensor_new(&t, dtype, sizes, ndim));
    return t;
}

/* Uniform in [lo, hi); bool: 0 or 1; integers: truncated, 0 and up for unsigned ones. */
static inline THTensor *tensor_random(THDtype dtype, const int64_t *sizes, int32_t ndim, double lo, double hi,
                                      uint64_t seed) {
    THTensor *t = tensor_empty(dtype, sizes, ndim);
    if (dtype == TH_BOOL) lo = 0, hi = 2;
    if (!TH_dtype_is_signed(dtype) && lo < 0) lo = 0;
    for (int64_t i = 0; i < THTensor_numel(t); i++) {
        double x = lo + (hi - lo) * random_unit(&seed);
        set_element(t, i, dtype == TH_BOOL ? (x >= 1) : x);
    }
    return t;
}

/* From listed values, cast to dtype. */
static inline THTensor *tensor_of(THDtype dtype, const int64_t *sizes, int32_t ndim, const double *values) {
    THTensor *t = tensor_empty(dtype, sizes, ndim);
    for (int64_t i = 0; i < THTensor_numel(t); i++) set_element(t, i, values[i]);
    return t;
}

/* Layouts for the same sizes. All but LAYOUT_CONTIGUOUS have holes or an offset, filled with 0xFF bytes (NaN, -1), so
   that stray reads show and assert_holes finds stray writes. */
enum {
    LAYOUT_CONTIGUOUS,
    LAYOUT_REVERSED, /* column-major, at an offset */
    LAYOUT_GAPS,     /* every second element along the last dimension */
    LAYOUT_ROWS,     /* rows contiguous, with a gap behind each */
    LAYOUT_COUNT
};

/* A new tensor, elements 0xFF bytes too. */
static inline THTensor *tensor_in_layout(THDtype dtype, const int64_t *sizes, int32_t ndim, int layout) {
    enum { OFFSET = 3 };
    int64_t strides[TH_MAX_DIM], room = layout == LAYOUT_GAPS ? 2 : 1,
                                 offset = layout == LAYOUT_CONTIGUOUS ? 0 : OFFSET;
    for (int32_t n = 0; n < ndim; n++) {
        int32_t k = layout == LAYOUT_REVERSED ? n : ndim - 1 - n;
        strides[k] = room;
        room *= sizes[k] > 0 ? sizes[k] : 1;
        if (layout == LAYOUT_ROWS && n == 0) room += 5;
    }
    THStorage *storage = NULL;
    THTensor *t = NULL;
    assert_ok(THStorage_new(&storage, (room + 2 * offset) * TH_dtype_size(dtype)));
    memset(THStorage_data(storage), 0xff, (size_t)THStorage_nbytes(storage));
    assert_ok(THTensor_new_over(&t, storage, dtype, sizes, strides, ndim, offset));
    THStorage_free(storage);
    return t;
}

/* The values of t in another layout. */
static inline THTensor *tensor_as(const THTensor *t, int layout) {
    THTensor *copy = tensor_in_layout(THTensor_dtype(t), THTensor_sizes(t), THTensor_ndim(t), layout);
    size_t bytes = (size_t)TH_dtype_size(THTensor_dtype(t));
    for (int64_t i = 0; i < THTensor_numel(t); i++) memcpy(support_address(copy, i), support_address(t, i), bytes);
    return copy;
}

/* ---- comparing ---- */

/* Bytes of t's storage that belong to no element of t must still be 0xFF. */
static inline void assert_holes(const THTensor *t) {
    size_t n = (size_t)THStorage_nbytes(THTensor_storage(t)), bytes = (size_t)TH_dtype_size(THTensor_dtype(t));
    unsigned char *base = THStorage_data(THTensor_storage(t)), *mine = test_calloc(n + 1, 1);
    for (int64_t i = 0; i < THTensor_numel(t); i++)
        memset(mine + ((unsigned char *)support_address(t, i) - base), 1, bytes);
    for (size_t b = 0; b < n; b++)
        if (!mine[b] && base[b] != 0xff) fail_msg("byte %d of the storage was written, which no element owns", (int)b);
    test_free(mine);
}

/* Element i of t must be within `ulp` of want (which is first rounded to a floating dtype); exact for other dtypes. */
static inline void support_assert_element(const THTensor *t, int64_t i, long double want, double ulp, const char *file,
                                          int line) {
    THDtype dtype = THTensor_dtype(t);
    long double got = element(t, i);
    long double error = TH_dtype_is_floating(dtype) ? ulp_error(dtype, got, want)
                        : got == want               ? 0
                                                    : (long double)INFINITY;
    if (error <= (long double)ulp) return;
    char text[256];
    THTensor_describe(t, text, sizeof text);
    print_error("element %lld of %s (%s): got %.19Lg, want %.19Lg, off by %.3Lg ulp of at most %g\n", (long long)i,
                text, TH_isa(), got, want, error, ulp);
    _fail(file, line);
}
#define assert_element(t, i, want, ulp) support_assert_element((t), (i), (want), (ulp), __FILE__, __LINE__)

/* Sizes and dtype. */
#define assert_is(t, dtype, ...) support_assert_is((t), (dtype), LIST(__VA_ARGS__), __FILE__, __LINE__)
static inline void support_assert_is(const THTensor *t, THDtype dtype, const int64_t *sizes, int32_t ndim,
                                     const char *file, int line) {
    if (t && THTensor_dtype(t) == dtype && THTensor_ndim(t) == ndim &&
        (ndim == 0 || memcmp(THTensor_sizes(t), sizes, (size_t)ndim * sizeof *sizes) == 0))
        return;
    char text[256];
    THTensor_describe(t, text, sizeof text);
    print_error("got %s, want %s[", text, TH_dtype_name(dtype));
    for (int32_t k = 0; k < ndim; k++) print_error(k ? ", %lld" : "%lld", (long long)sizes[k]);
    print_error("]\n");
    _fail(file, line);
}

/* Same dtype, sizes and elements (NaN equals NaN, -0 equals 0). */
static inline void support_assert_same(const THTensor *got, const THTensor *want, const char *file, int line) {
    support_assert_is(got, THTensor_dtype(want), THTensor_sizes(want), THTensor_ndim(want), file, line);
    for (int64_t i = 0; i < THTensor_numel(want); i++) support_assert_element(got, i, element(want, i), 0, file, line);
}
#define assert_same(got, want) support_assert_same((got), (want), __FILE__, __LINE__)

/* Element i of t is at most `tolerance` from want, or NaN as want is. */
static inline void assert_within(const THTensor *t, int64_t i, long double want, long double tolerance) {
    const long double got = element(t, i);
    if (fabsl(got - want) <= tolerance || (isnan(got) && isnan(want))) return;
    fail_msg("%s, %s, element %lld: got %.12Lg, want %.12Lg", TH_isa(), TH_dtype_name(THTensor_dtype(t)), (long long)i,
             got, want);
}

/* ---- loops ---- */

static const THDtype float_dtypes[] = {TH_FLOAT16, TH_BFLOAT16, TH_FLOAT32, TH_FLOAT64};

/* Runs a test once per ISA of this CPU. */
static inline void on_every_isa(void (*test)(void)) {
    const char *before = TH_isa();
    for (int32_t i = 0; i < TH_isa_count(); i++) {
        assert_ok(TH_set_isa(TH_isa_name(i)));
        test();
    }
    assert_ok(TH_set_isa(before));
}

#endif
