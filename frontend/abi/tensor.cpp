// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"
#include <algorithm>

#define TH_DTYPE(NAME, code, name, ctype, kind) static_assert(WICK_##NAME == code);
#include "TH/dtype.def"
#undef TH_DTYPE

namespace wick::abi {

static Sizes shape(const char *fn, const int64_t *sizes, uint32_t ndim) {
    if (ndim) need(fn, "sizes", sizes);
    if (ndim > TH_MAX_DIM) fail(TH_E_SHAPE, "%s: got %u dimensions, want at most %d", fn, ndim, TH_MAX_DIM);
    return {sizes, ndim};
}

static void need_cpu(const char *fn, uint64_t device) {
    if (device != TH_CPU)
        fail(TH_E_DEVICE, "%s: got device %#llx, want 0 (the CPU)", fn, static_cast<unsigned long long>(device));
}

static void need_dtype(const char *fn, int32_t dtype) {
    if (TH_dtype_size(dtype) == 0)
        fail(TH_E_TYPE, "%s: got dtype %d, want one of WICK_BOOL to WICK_FLOAT64", fn, dtype);
}

// Bytes from the first element to the end of the last.
static int64_t extent(const char *fn, int32_t dtype, Sizes sizes, const int64_t *strides) {
    int64_t last = 0, dense = 1, bytes = 0;
    bool overflow = false, empty = false;
    for (size_t d = sizes.size(); d-- > 0;) {
        int64_t stride = strides ? strides[d] : dense, reach = 0;
        if (sizes[d] < 0 || stride < 0)
            fail(TH_E_SHAPE, "%s: got size %lld and stride %lld, want neither negative", fn,
                 static_cast<long long>(sizes[d]), static_cast<long long>(stride));
        empty |= sizes[d] == 0;
        overflow |= __builtin_mul_overflow(sizes[d] - 1, stride, &reach) ||
                    __builtin_add_overflow(last, reach, &last) || __builtin_mul_overflow(dense, sizes[d], &dense);
    }
    if (empty) return 0;
    if (overflow || __builtin_add_overflow(last, 1, &last) ||
        __builtin_mul_overflow(last, TH_dtype_size(dtype), &bytes))
        fail(TH_E_SHAPE, "%s: got sizes and strides that reach past all memory", fn);
    return bytes;
}

static Tensor wrap(THStorage *storage, int32_t dtype, Sizes sizes, const int64_t *strides) {
    THTensor *th = nullptr;
    check(THTensor_new_over(&th, storage, dtype, sizes.data(), strides, static_cast<int32_t>(sizes.size()), 0));
    return Tensor::adopt(th);
}

// The object is made first: once the foreign tensor is taken over, nothing may fail.
static Tensor take_dlpack(void *managed) {
    void *place = TensorImpl::operator new(sizeof(TensorImpl));
    THTensor *th = nullptr;
    THStatus status = THTensor_from_dlpack(&th, managed);
    if (status != TH_OK) TensorImpl::operator delete(place, sizeof(TensorImpl));
    check(status);
    return Tensor(Ref<TensorImpl>::adopt(::new (place) TensorImpl(th)));
}

static void copy_numbers(Sizes from, uint32_t cap, int64_t *to, uint32_t *ndim) {
    if (to) std::copy_n(from.begin(), std::min<size_t>(cap, from.size()), to);
    if (ndim) *ndim = static_cast<uint32_t>(from.size());
}

} // namespace wick::abi

using namespace wick::abi;
using wick::Tensor;

int32_t wick_tensor_empty(int32_t dtype, uint64_t device, const int64_t *sizes, uint32_t ndim, wick_object **out) {
    const char *fn = "wick_tensor_empty";
    return guard(fn, [&] {
        need(fn, "out", out);
        need_dtype(fn, dtype);
        *out = give(wick::empty(shape(fn, sizes, ndim), static_cast<wick::DType>(dtype), wick::Device(device)));
    });
}

int32_t wick_tensor_from_data(const void *data, int32_t dtype, const int64_t *sizes, uint32_t ndim, wick_object **out) {
    const char *fn = "wick_tensor_from_data";
    return guard(fn, [&] {
        need(fn, "out", out);
        need_dtype(fn, dtype);
        if (extent(fn, dtype, shape(fn, sizes, ndim), nullptr) > 0) need(fn, "data", data);
        *out = give(wick::from_data(data, {sizes, ndim}, static_cast<wick::DType>(dtype)));
    });
}

int32_t wick_tensor_from_blob(void *data, int32_t dtype, uint64_t device, const int64_t *sizes, const int64_t *strides,
                              uint32_t ndim, uint32_t flags, void (*deleter)(void *user), void *user,
                              wick_object **out) {
    const char *fn = "wick_tensor_from_blob";
    return guard(fn, [&] {
        need(fn, "out", out);
        need_dtype(fn, dtype);
        need_cpu(fn, device);
        int64_t nbytes = extent(fn, dtype, shape(fn, sizes, ndim), strides);
        if (nbytes > 0) need(fn, "data", data);
        auto *owner = new UserData(user, flags);
        THStorage *storage = nullptr;
        THStatus status = THStorage_new_foreign(&storage, data, nbytes, device, (flags & WICK_BLOB_READONLY) != 0,
                                                UserData::drop, owner);
        if (status != TH_OK) UserData::drop(owner);
        wick::check(status);
        std::unique_ptr<THStorage, decltype(&THStorage_free)> hold(storage, THStorage_free);
        *out = give(wrap(storage, dtype, {sizes, ndim}, strides));
        owner->arm(deleter);
    });
}

int32_t wick_tensor_dtype(const wick_object *t, int32_t *dtype) {
    const char *fn = "wick_tensor_dtype";
    return guard(fn, [&] { *need(fn, "dtype", dtype) = THTensor_dtype(need_tensor(fn, "t", t).th()); });
}

int32_t wick_tensor_device(const wick_object *t, uint64_t *device) {
    const char *fn = "wick_tensor_device";
    return guard(fn, [&] { *need(fn, "device", device) = THTensor_device(need_tensor(fn, "t", t).th()); });
}

int32_t wick_tensor_sizes(const wick_object *t, uint32_t cap, int64_t *sizes, uint32_t *ndim) {
    const char *fn = "wick_tensor_sizes";
    return guard(fn, [&] { copy_numbers(need_tensor(fn, "t", t).sizes(), cap, sizes, ndim); });
}

int32_t wick_tensor_strides(const wick_object *t, uint32_t cap, int64_t *strides, uint32_t *ndim) {
    const char *fn = "wick_tensor_strides";
    return guard(fn, [&] { copy_numbers(need_tensor(fn, "t", t).strides(), cap, strides, ndim); });
}

int32_t wick_tensor_data(const wick_object *t, void **data) {
    const char *fn = "wick_tensor_data";
    return guard(fn, [&] { *need(fn, "data", data) = THTensor_data(need_tensor(fn, "t", t).th()); });
}

int32_t wick_tensor_touch(wick_object *t) {
    const char *fn = "wick_tensor_touch";
    return guard(fn, [&] { THStorage_touch(THTensor_storage(need_tensor(fn, "t", t).th())); });
}

int32_t wick_tensor_version(const wick_object *t, uint64_t *version) {
    const char *fn = "wick_tensor_version";
    return guard(fn, [&] { *need(fn, "version", version) = need_tensor(fn, "t", t).version(); });
}

int32_t wick_tensor_item(const wick_object *t, wick_value *out) {
    const char *fn = "wick_tensor_item";
    return guard(fn, [&] { *need(fn, "out", out) = wick::box(need_tensor(fn, "t", t).item_scalar()); });
}

int32_t wick_tensor_string(const wick_object *t, int32_t elements, wick_object **out) {
    const char *fn = "wick_tensor_string";
    return guard(fn, [&] {
        need(fn, "out", out);
        Tensor tensor = need_tensor(fn, "t", t);
        *out = wick::box(elements ? tensor.to_string() : tensor.describe()).u.o;
    });
}

int32_t wick_tensor_from_dlpack(void *managed, wick_object **out) {
    const char *fn = "wick_tensor_from_dlpack";
    return guard(fn, [&] {
        need(fn, "out", out);
        *out = give(take_dlpack(need(fn, "managed", managed)));
    });
}

int32_t wick_tensor_to_dlpack(const wick_object *t, uint64_t stream, void **managed) {
    const char *fn = "wick_tensor_to_dlpack";
    return guard(fn, [&] {
        need(fn, "managed", managed);
        if (stream)
            wick::fail(TH_E_DEVICE, "wick_tensor_to_dlpack: got stream %#llx, want 0 on the CPU",
                       static_cast<unsigned long long>(stream));
        wick::check(THTensor_to_dlpack(managed, need_tensor(fn, "t", t).th()));
    });
}
