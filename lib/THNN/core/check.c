/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

THStatus thnn_check_floating(const char *fn, const char *arg, const THTensor *t) {
    THStatus status = TH_check_input(fn, arg, t);
    if (status != TH_OK || TH_dtype_is_floating(THTensor_dtype(t))) return status;
    return TH_raisef(TH_E_TYPE, "%s: got %s of dtype %s, want a floating dtype", fn, arg,
                     TH_dtype_name(THTensor_dtype(t)));
}

THStatus thnn_check_same_dtype(const char *fn, const char *arg, const THTensor *t, const char *like, THDtype dtype) {
    THStatus status = TH_check_input(fn, arg, t);
    if (status != TH_OK || THTensor_dtype(t) == dtype) return status;
    return TH_raisef(TH_E_TYPE, "%s: got %s of dtype %s, want %s as %s", fn, arg, TH_dtype_name(THTensor_dtype(t)),
                     TH_dtype_name(dtype), like);
}

THStatus thnn_check_param(const char *fn, const char *arg, const THTensor *t, THDtype dtype) {
    THStatus status = TH_check_input(fn, arg, t);
    if (status != TH_OK || THTensor_dtype(t) == dtype) return status;
    const int32_t half = TH_dtype_size(dtype) == 2;
    if (half && THTensor_dtype(t) == TH_FLOAT32) return TH_OK;
    return TH_raisef(TH_E_TYPE, "%s: got %s of dtype %s, want %s%s", fn, arg, TH_dtype_name(THTensor_dtype(t)),
                     TH_dtype_name(dtype), half ? " or float32" : "");
}

THStatus thnn_check_sizes(const char *fn, const char *arg, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    if (THTensor_ndim(t) == ndim && (ndim == 0 || !memcmp(THTensor_sizes(t), sizes, (size_t)ndim * sizeof *sizes))) {
        return TH_OK;
    }
    char got[THNN_SIZES_TEXT], want[THNN_SIZES_TEXT];
    return TH_raisef(TH_E_SHAPE, "%s: got %s of sizes %s, want %s", fn, arg,
                     thnn_sizes_text(got, THTensor_sizes(t), THTensor_ndim(t)), thnn_sizes_text(want, sizes, ndim));
}

const char *thnn_sizes_text(char buf[THNN_SIZES_TEXT], const int64_t *sizes, int32_t ndim) {
    size_t at = (size_t)snprintf(buf, THNN_SIZES_TEXT, "[");
    for (int32_t i = 0; i < ndim && at < THNN_SIZES_TEXT; i++) {
        at += (size_t)snprintf(buf + at, THNN_SIZES_TEXT - at, "%s%" PRId64, i ? ", " : "", sizes[i]);
    }
    if (at < THNN_SIZES_TEXT) snprintf(buf + at, THNN_SIZES_TEXT - at, "]");
    return buf;
}
