/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tensor.h"
#include "TH/memory.h"
#include "core/cast.h"
#include "core/device.h"
#include "core/dtype.h"
#include "expr/sizes.h"

#include <string.h>

/* ---- checks ---- */

THStatus th_dim(int32_t *out, const char *fn, int32_t dim, int32_t ndim) {
    int32_t n = ndim ? ndim : 1;
    if (dim < -n || dim >= n)
        return TH_raisef(TH_E_INDEX, "%s: got dim %d, want %d to %d for %d dimensions", fn, (int)dim, (int)-n,
                         (int)n - 1, (int)ndim);
    *out = dim < 0 ? dim + n : dim;
    return TH_OK;
}

THStatus th_check_sizes(int64_t *numel, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim) {
    if (ndim < 0 || ndim > TH_MAX_DIM)
        return TH_raisef(TH_E_SHAPE, "%s: got %d dimensions, want 0 to %d", fn, (int)ndim, TH_MAX_DIM);
    if (ndim > 0 && !sizes) return TH_raisef(TH_E_ARG, "%s: sizes is NULL", fn);
    int64_t bytes = TH_dtype_size(dtype), n = 1;
    if (bytes == 0) return TH_raisef(TH_E_TYPE, "%s: got code %d, want a dtype", fn, (int)dtype);
    int overflow = 0, negative = 0;
    for (int32_t i = 0; i < ndim; i++) {
        negative |= sizes[i] < 0;
        overflow |= __builtin_mul_overflow(bytes, sizes[i] > 1 ? sizes[i] : 1, &bytes);
        n = th_size_mul(n, sizes[i]);
    }
    if (negative || overflow) {
        th_text text;
        return TH_raisef(TH_E_SHAPE, "%s: got sizes %s, want %s", fn, th_sizes_text(text, sizes, ndim),
                         negative ? "none below 0" : "at most 2^63 - 1 bytes");
    }
    *numel = n;
    return TH_OK;
}

#define STRIDE_MAX (INT64_C(1) << 55)

/* That every element lies in the storage, aligned. */
static THStatus check_window(const char *fn, const THStorage *s, THDtype dtype, const int64_t *sizes,
                             const int64_t *strides, int32_t ndim, int64_t numel, int64_t offset) {
    int64_t size = TH_dtype_size(dtype), room = s->nbytes / size, last = offset;
    th_text text;
    /* Bounded also where a dimension does not move, so that views can compute with strides without checks. */
    for (int32_t i = 0; strides && i < ndim; i++)
        if (strides[i] < 0 || strides[i] > STRIDE_MAX / (sizes[i] > 1 ? sizes[i] : 1))
            return TH_raisef(TH_E_ARG, "%s: got strides %s, want none below 0%s", fn,
                             th_sizes_text(text, strides, ndim), strides[i] < 0 ? "" : " or beyond memory");
    int overflow = 0;
    for (int32_t i = 0; strides && numel > 0 && i < ndim; i++) {
        int64_t reach = 0;
        overflow |= __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach);
        overflow |= __builtin_add_overflow(last, reach, &last);
    }
    if (!strides && numel > 0) overflow = __builtin_add_overflow(last, numel - 1, &last);
    if (offset < 0 || overflow || (numel > 0 ? last >= room : offset > room))
        return TH_raisef(TH_E_ARG, "%s: got sizes %s at offset %lld, which end outside a storage of %lld elements", fn,
                         th_sizes_text(text, sizes, ndim), (long long)offset, (long long)room);
    if (s->device == TH_CPU && (uintptr_t)s->data % (uintptr_t)size != 0)
        return TH_raisef(TH_E_ARG, "%s: got an address that is no multiple of %lld, want one for %s", fn,
                         (long long)size, TH_dtype_name(dtype));
    return TH_OK;
}

/* ---- creation ---- */

static int64_t block_bytes(int32_t ndim) { return (int64_t)sizeof(THTensor) + 2 * ndim * (int64_t)sizeof(int64_t); }

/* Row-major strides, as if zero sizes were ones. */
static void fill_strides(int64_t *strides, const int64_t *sizes, int32_t ndim) {
    int64_t step = 1;
    for (int32_t i = ndim - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i] > 1 ? sizes[i] : 1;
    }
}

static int is_contiguous(const int64_t *sizes, const int64_t *strides, int32_t ndim) {
    int64_t step = 1;
    for (int32_t i = ndim - 1; i >= 0; i--) {
        if (sizes[i] == 1) continue;
        if (strides[i] != step) return 0;
        step *= sizes[i];
    }
    return 1;
}

/* th_tensor_make that takes over the caller's reference to storage, unless it fails. */
static THTensor *make_owner(THStorage *storage, THDtype dtype, const int64_t *sizes, const int64_t *strides,
                            int32_t ndim, int64_t offset) {
    THTensor *t = TH_alloc(block_bytes(ndim));
    if (!t) return NULL;
    t->refs = 1;
    t->storage = storage;
    t->elsewhere = storage->device != TH_CPU;
    t->offset = offset;
    t->data =
        storage->data ? (char *)storage->data + offset * th_dtype_size(dtype) : NULL; /* NULL + 0 is not defined */
    t->numel = 1;
    t->dtype = dtype;
    t->ndim = ndim;
    t->number = 0;
    for (int32_t i = 0; i < ndim; i++) {
        t->geometry[i] = sizes[i];
        t->numel = th_size_mul(t->numel, sizes[i]);
    }
    if (strides)
        for (int32_t i = 0; i < ndim; i++) t->geometry[ndim + i] = strides[i];
    else
        fill_strides(t->geometry + ndim, sizes, ndim);
    t->contiguous = (uint8_t)(!strides || t->numel == 0 || is_contiguous(sizes, strides, ndim));
    return t;
}

THTensor *th_tensor_make(THStorage *storage, THDtype dtype, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                         int64_t offset) {
    THTensor *t = make_owner(storage, dtype, sizes, strides, ndim, offset);
    if (t) THStorage_retain(storage);
    return t;
}

THStatus th_tensor_new_on(THTensor **out, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim,
                          THDevice device) {
    int64_t numel = 0;
    THStorage *storage;
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    THStatus status = th_check_sizes(&numel, fn, dtype, sizes, ndim);
    if (status != TH_OK) return status;
    const int64_t nbytes = th_size_mul(numel, th_dtype_size(dtype));
    const THDeviceLibrary *library;
    if (device != TH_CPU && (status = th_device_serve(&library, fn, device)) != TH_OK) return status;
    status = device == TH_CPU ? THStorage_new(&storage, nbytes) : THStorage_new_on(&storage, nbytes, device);
    if (status != TH_OK) return status;
    THTensor *t = make_owner(storage, dtype, sizes, NULL, ndim, 0);
    if (!t) {
        THStorage_free(storage);
        return TH_E_MEMORY;
    }
    *out = t;
    return TH_OK;
}

THStatus th_tensor_new(THTensor **out, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim) {
    return th_tensor_new_on(out, fn, dtype, sizes, ndim, TH_CPU);
}

THStatus THTensor_new(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim) {
    return th_tensor_new(out, "THTensor_new", dtype, sizes, ndim);
}

static THStatus make_over(THTensor **out, const char *fn, THStorage *storage, THDtype dtype, const int64_t *sizes,
                          const int64_t *strides, int32_t ndim, int64_t offset) {
    int64_t numel = 0;
    THStatus status = th_check_sizes(&numel, fn, dtype, sizes, ndim);
    if (status != TH_OK) return status;
    status = check_window(fn, storage, dtype, sizes, strides, ndim, numel, offset);
    if (status != TH_OK) return status;
    THTensor *t = th_tensor_make(storage, dtype, sizes, strides, ndim, offset);
    if (!t) return TH_E_MEMORY;
    *out = t;
    return TH_OK;
}

THStatus THTensor_new_over(THTensor **out, THStorage *storage, THDtype dtype, const int64_t *sizes,
                           const int64_t *strides, int32_t ndim, int64_t offset) {
    if (!out || !storage) return TH_raisef(TH_E_ARG, "THTensor_new_over: %s is NULL", out ? "storage" : "out");
    return make_over(out, "THTensor_new_over", storage, dtype, sizes, strides, ndim, offset);
}

THStatus THTensor_as_strided(THTensor **out, const THTensor *t, const int64_t *sizes, const int64_t *strides,
                             int32_t ndim, int64_t offset) {
    if (!out || !t) return TH_raisef(TH_E_ARG, "THTensor_as_strided: %s is NULL", out ? "t" : "out");
    if (ndim > 0 && !strides) return TH_raisef(TH_E_ARG, "THTensor_as_strided: strides is NULL");
    return make_over(out, "THTensor_as_strided", t->storage, t->dtype, sizes, strides, ndim, offset);
}

THStatus THTensor_new_copy(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim, const void *data) {
    THTensor *t;
    if (!out) return TH_raisef(TH_E_ARG, "THTensor_new_copy: out is NULL");
    THStatus status = th_tensor_new(&t, "THTensor_new_copy", dtype, sizes, ndim);
    if (status != TH_OK) return status;
    if (t->numel > 0 && !data) {
        THTensor_free(t);
        return TH_raisef(TH_E_ARG, "THTensor_new_copy: data is NULL");
    }
    if (t->numel > 0) memcpy(t->data, data, (size_t)t->storage->nbytes);
    *out = t;
    return TH_OK;
}

THStatus THTensor_new_scalar(THTensor **out, const THScalar *value) {
    if (!out || !value) return TH_raisef(TH_E_ARG, "THTensor_new_scalar: %s is NULL", out ? "value" : "out");
    if (value->kind < TH_SCALAR_BOOL || value->kind > TH_SCALAR_FLOAT)
        return TH_raisef(TH_E_TYPE, "THTensor_new_scalar: got a scalar of kind %d, want bool, int or float",
                         (int)value->kind);
    static const THDtype dtypes[] = {
        [TH_SCALAR_BOOL] = TH_BOOL, [TH_SCALAR_INT] = TH_INT64, [TH_SCALAR_FLOAT] = TH_FLOAT64};
    THTensor *t;
    THStatus status = th_tensor_new(&t, "THTensor_new_scalar", dtypes[value->kind], NULL, 0);
    if (status != TH_OK) return status;
    t->number = 1;
    th_store(t->data, t->dtype, value);
    *out = t;
    return TH_OK;
}

THTensor *THTensor_retain(THTensor *t) {
    if (t) __atomic_fetch_add(&t->refs, 1, __ATOMIC_RELAXED);
    return t;
}

void THTensor_free(THTensor *t) {
    if (!t) return;
    if (__atomic_load_n(&t->refs, __ATOMIC_ACQUIRE) != 1 && __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    THStorage_free(t->storage);
    TH_free(t, block_bytes(t->ndim));
}

int64_t THTensor_refcount(const THTensor *t) { return t ? __atomic_load_n(&t->refs, __ATOMIC_ACQUIRE) : 0; }

/* ---- the descriptor ---- */

int32_t THTensor_ndim(const THTensor *t) { return t ? t->ndim : 0; }
const int64_t *THTensor_sizes(const THTensor *t) { return t ? th_sizes(t) : NULL; }
const int64_t *THTensor_strides(const THTensor *t) { return t ? th_strides(t) : NULL; }
int64_t THTensor_numel(const THTensor *t) { return t ? t->numel : 0; }
int64_t THTensor_offset(const THTensor *t) { return t ? t->offset : 0; }
THDtype THTensor_dtype(const THTensor *t) { return t ? t->dtype : TH_DTYPE_DEFAULT; }
THDevice THTensor_device(const THTensor *t) { return t ? t->storage->device : TH_CPU; }
THStorage *THTensor_storage(const THTensor *t) { return t ? t->storage : NULL; }
void *THTensor_data(const THTensor *t) { return t ? t->data : NULL; }
int32_t THTensor_is_contiguous(const THTensor *t) { return t && t->contiguous; }
int32_t THTensor_is_number(const THTensor *t) { return t && t->number; }
