/* SPDX-License-Identifier: BSD-3-Clause */
/* What every op does around its arithmetic: checks of inputs, making and checking outputs. */
#include "core/device.h"
#include "core/dtype.h"
#include "core/overlap.h"
#include "core/tensor.h"

#include <string.h>

static THStatus raise_device(const char *fn, const char *arg, const THTensor *t, THDevice device) {
    th_device_text got, want;
    return TH_raisef(TH_E_DEVICE, "%s: got %s on %s, want %s", fn, arg, th_device_name(got, t->storage->device),
                     device == TH_CPU ? "the CPU" : th_device_name(want, device));
}

THStatus TH_check_input(const char *fn, const char *arg, const THTensor *t) {
    if (!t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, arg);
    return t->storage->device == TH_CPU ? TH_OK : raise_device(fn, arg, t, TH_CPU);
}

THStatus TH_check_input_on(const char *fn, const char *arg, const THTensor *t, THDevice device) {
    if (!t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, arg);
    const int value = t->ndim == 0 && t->storage->device == TH_CPU;
    return value || t->storage->device == device ? TH_OK : raise_device(fn, arg, t, device);
}

static THStatus check_output(const char *fn, const THTensor *t, THDtype dtype, const int64_t *sizes, int32_t ndim,
                             int32_t exact, THDevice device) {
    th_text got, want;
    if (t->storage->device != device) return raise_device(fn, "out", t, device);
    if (t->ndim != ndim || (ndim > 0 && memcmp(th_sizes(t), sizes, (size_t)ndim * sizeof *sizes) != 0))
        return TH_raisef(TH_E_SHAPE, "%s: got out %s, want sizes %s", fn, th_tensor_text(got, t),
                         th_sizes_text(want, sizes, ndim));
    if (exact ? t->dtype != dtype : th_dtypes[t->dtype].category < th_dtypes[dtype].category)
        return TH_raisef(TH_E_TYPE, "%s: got out %s, want %s%s", fn, th_tensor_text(got, t),
                         exact ? "" : "a dtype that holds ", TH_dtype_name(dtype));
    if (t->storage->readonly)
        return TH_raisef(TH_E_ARG, "%s: got out %s that is read-only, want one that can be written", fn,
                         th_tensor_text(got, t));
    if (THTensor_overlaps_itself(t))
        return TH_raisef(TH_E_ARG, "%s: got out %s whose elements share memory (strides %s), want each on its own", fn,
                         th_tensor_text(got, t), th_sizes_text(want, th_strides(t), ndim));
    return TH_OK;
}

THStatus TH_output_begin_on(THTensor **result, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                            int32_t ndim, int32_t exact, int32_t inplace, const THTensor *const *inputs, int32_t n,
                            THDevice device) {
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    if (!*out) return th_tensor_new_on(result, fn, dtype, sizes, ndim, device);
    THTensor *t = *out;
    THStatus status = check_output(fn, t, dtype, sizes, ndim, exact, device);
    for (int32_t i = 0; i < n && status == TH_OK; i++) {
        th_text a, b;
        if (!inputs[i] || (inplace && th_same_geometry(t, inputs[i])) || !th_overlap(t, inputs[i])) continue;
        status =
            TH_raisef(TH_E_ARG, "%s: got out %s that shares memory with an input %s, want %s", fn, th_tensor_text(a, t),
                      th_tensor_text(b, inputs[i]), inplace ? "that input itself or memory apart" : "memory apart");
    }
    if (status == TH_OK) *result = THTensor_retain(t);
    return status;
}

THStatus TH_output_begin(THTensor **result, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                         int32_t ndim, int32_t exact, int32_t inplace, const THTensor *const *inputs, int32_t n) {
    if (out && !*out) return th_tensor_new_on(result, fn, dtype, sizes, ndim, TH_CPU); /* soon, for small ops */
    return TH_output_begin_on(result, fn, out, dtype, sizes, ndim, exact, inplace, inputs, n, TH_CPU);
}

THStatus TH_output_end(THTensor *result, THTensor **out, THStatus status) {
    if (status == TH_OK && !*out) {
        *out = result;
        return TH_OK;
    }
    if (status == TH_OK) THStorage_touch(result->storage);
    THTensor_free(result);
    return status;
}
