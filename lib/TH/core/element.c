/* SPDX-License-Identifier: BSD-3-Clause */
/* Single elements as numbers. */
#include "core/cast.h"
#include "core/device.h"
#include "core/number.h"

/* The address of an element, on t's device. */
static THStatus locate(void **p, const char *fn, const THTensor *t, const int64_t *index) {
    th_text text, have;
    if (!t || (!index && t->ndim > 0)) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, t ? "index" : "t");
    const int64_t *sizes = th_sizes(t), *strides = th_strides(t);
    int64_t at = 0;
    for (int32_t k = 0; k < t->ndim; k++) {
        int64_t i = index[k] < 0 ? index[k] + sizes[k] : index[k];
        if (i < 0 || i >= sizes[k])
            return TH_raisef(TH_E_INDEX, "%s: got index %s, want one inside %s", fn,
                             th_sizes_text(text, index, t->ndim), th_tensor_text(have, t));
        at += i * strides[k];
    }
    *p = (char *)t->data + at * TH_dtype_size(t->dtype);
    return TH_OK;
}

/* The element at p of t's storage. */
static THStatus read_at(THScalar *out, const char *fn, const THTensor *t, const void *p) {
    th_slot bits;
    THStatus status = TH_OK;
    if (t->storage->device != TH_CPU) {
        status = th_device_move(fn, &bits, TH_CPU, p, t->storage->device, TH_dtype_size(t->dtype));
        p = &bits;
    }
    if (status == TH_OK) *out = th_load(p, t->dtype);
    return status;
}

THStatus THTensor_get(THScalar *out, const THTensor *t, const int64_t *index) {
    void *p;
    if (!out) return TH_raisef(TH_E_ARG, "THTensor_get: out is NULL");
    THStatus status = locate(&p, "THTensor_get", t, index);
    return status == TH_OK ? read_at(out, "THTensor_get", t, p) : status;
}

THStatus THTensor_set(THTensor *t, const int64_t *index, const THScalar *value) {
    static const char fn[] = "THTensor_set";
    void *p;
    THStatus status = locate(&p, fn, t, index);
    if (status == TH_OK) status = th_check_number(fn, "value", value, t->dtype);
    if (status != TH_OK) return status;
    if (t->storage->readonly)
        return TH_raisef(TH_E_ARG, "%s: got a read-only tensor, want one that can be written", fn);
    th_slot bits;
    const THDevice device = t->storage->device;
    th_store(device == TH_CPU ? p : &bits, t->dtype, value);
    if (device != TH_CPU) status = th_device_move(fn, p, device, &bits, TH_CPU, TH_dtype_size(t->dtype));
    if (status == TH_OK) THStorage_touch(t->storage);
    return status;
}

THStatus THTensor_item(THScalar *out, const THTensor *t) {
    th_text text;
    if (!out || !t) return TH_raisef(TH_E_ARG, "THTensor_item: %s is NULL", out ? "t" : "out");
    if (t->numel != 1) return TH_raisef(TH_E_SHAPE, "THTensor_item: got %s, want one element", th_tensor_text(text, t));
    return read_at(out, "THTensor_item", t, t->data);
}
