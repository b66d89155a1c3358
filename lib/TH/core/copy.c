/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/copy.h"
#include "core/device.h"
#include "core/iter.h"

#include <string.h>

/* dst = src without checks, wherever they are. */
static THStatus copy_any(const char *fn, THTensor *dst, const THTensor *src) {
    if (dst->storage->device != TH_CPU || src->storage->device != TH_CPU) return th_device_copy(fn, dst, src);
    th_copy(dst, src);
    return TH_OK;
}

THStatus THTensor_copy(THTensor *dst, const THTensor *src) {
    const char *fn = "THTensor_copy";
    if (!dst || !src) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, dst ? "src" : "dst");
    if (!th_broadcasts_to(src, th_sizes(dst), dst->ndim)) {
        th_text got, want;
        return TH_raisef(TH_E_SHAPE, "%s: got src %s, want sizes that broadcast to dst's, %s", fn,
                         th_tensor_text(got, src), th_sizes_text(want, th_sizes(dst), dst->ndim));
    }
    THTensor *result;
    THStatus status = TH_output_begin_on(&result, fn, &dst, dst->dtype, th_sizes(dst), dst->ndim, 1, 1, &src, 1,
                                         dst->storage->device);
    if (status != TH_OK) return status;
    if (dst != src) status = copy_any(fn, dst, src);
    return TH_output_end(result, &dst, status);
}

/* A contiguous copy with the given dtype, on t's device. */
static THStatus make_copy(THTensor **out, const char *fn, const THTensor *t, THDtype dtype) {
    THTensor *copy;
    THStatus status = th_tensor_new_on(&copy, fn, dtype, th_sizes(t), t->ndim, t->storage->device);
    if (status != TH_OK) return status;
    status = copy_any(fn, copy, t);
    if (status == TH_OK)
        *out = copy;
    else
        THTensor_free(copy);
    return status;
}

static THStatus check_new(const char *fn, THTensor **out, const THTensor *t) {
    return out && t ? TH_OK : TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "t" : "out");
}

THStatus THTensor_clone(THTensor **out, const THTensor *t) {
    THStatus status = check_new("THTensor_clone", out, t);
    return status == TH_OK ? make_copy(out, "THTensor_clone", t, t->dtype) : status;
}

THStatus THTensor_contiguous(THTensor **out, const THTensor *t) {
    THStatus status = check_new("THTensor_contiguous", out, t);
    if (status != TH_OK) return status;
    if (!t->contiguous) return make_copy(out, "THTensor_contiguous", t, t->dtype);
    *out = THTensor_retain((THTensor *)t);
    return TH_OK;
}

THStatus THTensor_to(THTensor **out, const THTensor *t, THDtype dtype) {
    THStatus status = check_new("THTensor_to", out, t);
    if (status != TH_OK) return status;
    if (!TH_dtype_size(dtype))
        return TH_raisef(TH_E_TYPE, "THTensor_to: got dtype %d, want one of TH/dtype.def", (int)dtype);
    if (t->dtype != dtype || t->number) return make_copy(out, "THTensor_to", t, dtype);
    *out = THTensor_retain((THTensor *)t);
    return TH_OK;
}
