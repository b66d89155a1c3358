/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/copy.h"

#include "expr/half.h"
#include "expr/template.h"

#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define TH_TEMPLATE "kernels/copy.inc"
#include "expr/numbers.inc"

#define TH_TEMPLATE "kernels/move.inc"
#include "expr/widths.inc"

#define CAST(name, TO, FROM, convert)                                                                                  \
    static void name(void *dst, const void *src, int64_t n) {                                                          \
        TH_SIMD for (int64_t i = 0; i < n; i++)((TO *)dst)[i] = convert(((const FROM *)src)[i]);                       \
    }
#define FLOAT16_OF_DOUBLE(x) th_float16_store(th_double_to_odd_float(x))
#define BFLOAT16_OF_DOUBLE(x) th_bfloat16_store(th_double_to_odd_float(x))
#define FLOAT16_OF_INT64(x) FLOAT16_OF_DOUBLE(th_int64_to_odd_double(x))
#define BFLOAT16_OF_INT64(x) BFLOAT16_OF_DOUBLE(th_int64_to_odd_double(x))
#ifdef __F16C__
/* The hardware gives the bits of half.h, NaN included, in less than half the time. */
static void cast_float32_float16(void *dst, const void *src, int64_t n) {
    const uint16_t *x = src;
    float *y = dst;
    for (; n >= 8; n -= 8, x += 8, y += 8) _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)));
    for (int64_t i = 0; i < n; i++) y[i] = _cvtsh_ss(x[i]);
}

static void cast_float16_float32(void *dst, const void *src, int64_t n) {
    const float *x = src;
    uint16_t *y = dst;
    for (; n >= 8; n -= 8, x += 8, y += 8)
        _mm_storeu_si128((__m128i *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
    for (int64_t i = 0; i < n; i++) y[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
CAST(cast_float32_float16, float, uint16_t, th_float16_load)
CAST(cast_float16_float32, uint16_t, float, th_float16_store)
#endif
CAST(cast_float32_bfloat16, float, uint16_t, th_bfloat16_load)
CAST(cast_bfloat16_float32, uint16_t, float, th_bfloat16_store)
CAST(cast_float16_float64, uint16_t, double, FLOAT16_OF_DOUBLE)
CAST(cast_bfloat16_float64, uint16_t, double, BFLOAT16_OF_DOUBLE)
CAST(cast_float16_int64, uint16_t, int64_t, FLOAT16_OF_INT64)
CAST(cast_bfloat16_int64, uint16_t, int64_t, BFLOAT16_OF_INT64)

/* By what is cast from; narrowing does not depend on the sign. */
#define TO(dtype, width) .cast[dtype][TH_CODE] = AS(cast_##width),
#define TH_ROW                                                                                                         \
    TO(TH_BOOL, bool)                                                                                                  \
    TO(TH_UINT8, 8) TO(TH_INT8, 8) TO(TH_INT16, 16) TO(TH_INT32, 32) TO(TH_INT64, 64) TO(TH_FLOAT32, float32)          \
        TO(TH_FLOAT64, float64)
const struct th_copy_table TH_ISA_NAME(th_copy) = {
#define TH_TEMPLATE "expr/row.inc"
#include "expr/types.inc"
    .cast[TH_FLOAT16] =
        {[TH_FLOAT32] = cast_float16_float32, [TH_FLOAT64] = cast_float16_float64, [TH_INT64] = cast_float16_int64},
    .cast[TH_BFLOAT16] =
        {[TH_FLOAT32] = cast_bfloat16_float32, [TH_FLOAT64] = cast_bfloat16_float64, [TH_INT64] = cast_bfloat16_int64},
    .cast[TH_FLOAT32][TH_FLOAT16] = cast_float32_float16,
    .cast[TH_FLOAT32][TH_BFLOAT16] = cast_float32_bfloat16,
#undef TH_ROW
#define TH_ROW .move[TH_WIDTH] = FN(move), .fill[TH_WIDTH] = FN(fill),
#define TH_TEMPLATE "expr/row.inc"
#include "expr/widths.inc"
};
