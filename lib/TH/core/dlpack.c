/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of DLPack 1.x's structs, from https://dmlc.github.io/dlpack/latest/c_api.html */
#include "TH/dlpack.h"
#include "TH/memory.h"
#include "core/tensor.h"
#include "expr/sizes.h"

#include <string.h>

typedef struct DLPackVersion {
    uint32_t major, minor;
} DLPackVersion;

typedef struct DLDevice {
    int32_t device_type; /* 1: CPU */
    int32_t device_id;
} DLDevice;

typedef struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides; /* strides NULL: row-major */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

enum { DL_READ_ONLY = 1, DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

static const DLDataType dl_types[TH_DTYPE_COUNT] = {
    [TH_BOOL] = {DL_BOOL, 8, 1},      [TH_UINT8] = {DL_UINT, 8, 1},       [TH_INT8] = {DL_INT, 8, 1},
    [TH_INT16] = {DL_INT, 16, 1},     [TH_INT32] = {DL_INT, 32, 1},       [TH_INT64] = {DL_INT, 64, 1},
    [TH_FLOAT16] = {DL_FLOAT, 16, 1}, [TH_BFLOAT16] = {DL_BFLOAT, 16, 1}, [TH_FLOAT32] = {DL_FLOAT, 32, 1},
    [TH_FLOAT64] = {DL_FLOAT, 64, 1},
};

static THDtype dtype_of(DLDataType d) {
    for (THDtype t = 0; t < TH_DTYPE_COUNT; t++)
        if (dl_types[t].code == d.code && dl_types[t].bits == d.bits && dl_types[t].lanes == d.lanes) return t;
    return TH_DTYPE_DEFAULT;
}

/* ---- in ---- */

static const char import_fn[] = "THTensor_from_dlpack";

static THStatus check_import(const DLManagedTensorVersioned *m) {
    const DLTensor *d = &m->dl_tensor;
    if (m->version.major != 1)
        return TH_raisef(TH_E_ABI, "%s: got DLPack version %u.%u, want 1.x", import_fn, (unsigned)m->version.major,
                         (unsigned)m->version.minor);
    if (dtype_of(d->dtype) == TH_DTYPE_DEFAULT)
        return TH_raisef(TH_E_TYPE, "%s: got type code %d of %d bits and %d lanes, want one of this library's dtypes",
                         import_fn, d->dtype.code, d->dtype.bits, d->dtype.lanes);
    if (d->device.device_type < 1 || d->device.device_id < 0)
        return TH_raisef(TH_E_DEVICE, "%s: got device %d:%d, want a DLPack device", import_fn,
                         (int)d->device.device_type, (int)d->device.device_id);
    int64_t numel;
    THStatus status = th_check_sizes(&numel, import_fn, dtype_of(d->dtype), d->shape, d->ndim);
    if (status != TH_OK) return status;
    for (int32_t i = 0; d->strides && i < d->ndim; i++)
        if (d->strides[i] < 0 && d->shape[i] > 1)
            return TH_raisef(TH_E_UNSUPPORTED, "%s: got stride %lld, want none below 0", import_fn,
                             (long long)d->strides[i]);
    return TH_OK;
}

/* Bytes from the first element to the end of the last. */
static THStatus reach(int64_t *nbytes, const DLTensor *d, const int64_t *strides) {
    int64_t last = 0, size = TH_dtype_size(dtype_of(d->dtype)), empty = 0;
    int overflow = 0;
    for (int32_t i = 0; i < d->ndim; i++) {
        int64_t step = 0;
        if (d->shape[i] == 0)
            empty = 1;
        else
            overflow |= __builtin_mul_overflow(d->shape[i] - 1, strides[i], &step);
        overflow |= __builtin_add_overflow(last, step, &last);
    }
    overflow |= __builtin_mul_overflow(last, size, &last) || __builtin_add_overflow(last, size, &last);
    if (!empty && overflow) {
        th_text text;
        return TH_raisef(TH_E_SHAPE, "%s: got strides %s, want at most 2^63 - 1 bytes", import_fn,
                         th_sizes_text(text, strides, d->ndim));
    }
    *nbytes = empty ? 0 : last;
    return TH_OK;
}

static void release_import(void *user) {
    DLManagedTensorVersioned *m = user;
    if (m->deleter) m->deleter(m);
}

/* A storage that does not own yet: nothing may be deleted while the import can still fail. */
static void wait(void *user) { (void)user; }

THStatus THTensor_from_dlpack(THTensor **out, void *managed) {
    DLManagedTensorVersioned *m = managed;
    if (!out || !m) return TH_raisef(TH_E_ARG, "%s: %s is NULL", import_fn, out ? "managed" : "out");
    THStatus status = check_import(m);
    if (status != TH_OK) return status;
    const DLTensor *d = &m->dl_tensor;
    int64_t strides[TH_MAX_DIM], nbytes = 0, step = 1;
    for (int32_t i = d->ndim - 1; i >= 0; i--) {
        /* the stride of a dimension that does not move may be anything, also negative */
        strides[i] = d->strides && d->shape[i] > 1 ? d->strides[i] : step;
        step = th_size_mul(step, d->shape[i] > 1 ? d->shape[i] : 1);
    }
    if ((status = reach(&nbytes, d, strides)) != TH_OK) return status;
    if (nbytes > 0 && !d->data) return TH_raisef(TH_E_ARG, "%s: data is NULL", import_fn);
    THStorage *storage;
    THDevice device = (uint64_t)(d->device.device_type - 1) << 32 | (uint32_t)d->device.device_id;
    void *data = d->data ? (char *)d->data + d->byte_offset : NULL;
    status = THStorage_new_foreign(&storage, data, nbytes, device, (m->flags & DL_READ_ONLY) != 0, wait, m);
    if (status != TH_OK) return status;
    status = THTensor_new_over(out, storage, dtype_of(d->dtype), d->shape, strides, d->ndim, 0);
    if (status == TH_OK) storage->deleter = release_import;
    THStorage_free(storage);
    return status;
}

/* ---- out ---- */

typedef struct export {
    DLManagedTensorVersioned managed;
    THTensor *tensor;
}
export;

static void release_export(DLManagedTensorVersioned *m) {
    export *e = m->manager_ctx;
    THTensor_free(e->tensor);
    TH_free(e, sizeof *e);
}

THStatus THTensor_to_dlpack(void **managed, const THTensor *t) {
    if (!managed || !t) return TH_raisef(TH_E_ARG, "THTensor_to_dlpack: %s is NULL", managed ? "t" : "managed");
    if (t->number) return TH_raisef(TH_E_TYPE, "THTensor_to_dlpack: got a number, want a tensor");
    export *e = TH_alloc(sizeof *e);
    if (!e) return TH_E_MEMORY;
    THTensor *kept = NULL; /* a descriptor of its own: its geometry is lent to the consumer */
    if (THTensor_alias(&kept, t) != TH_OK) {
        TH_free(e, sizeof *e);
        return TH_E_MEMORY;
    }
    DLTensor d = {.data = kept->data,
                  .device = {(int32_t)(kept->storage->device >> 32) + 1, (int32_t)(uint32_t)kept->storage->device},
                  .ndim = kept->ndim,
                  .dtype = dl_types[kept->dtype],
                  .shape = kept->geometry,
                  .strides = kept->geometry + kept->ndim};
    *e = (export){.managed = {.version = {1, 0},
                              .manager_ctx = e,
                              .deleter = release_export,
                              .flags = kept->storage->readonly ? DL_READ_ONLY : 0,
                              .dl_tensor = d},
                  .tensor = kept};
    *managed = e;
    return TH_OK;
}
