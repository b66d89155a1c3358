// SPDX-License-Identifier: BSD-3-Clause
#include "wick/tensor.hpp"
#include "core/call.hpp"
#include "wick/autograd.hpp"
#include <cmath>

namespace wick {

void Scalar::too_large(uint64_t value) {
    fail(TH_E_ARG, "Scalar: got %llu, want an integer of at most 2^63 - 1", static_cast<unsigned long long>(value));
}

uint64_t Scalar::to_integer(int64_t lowest, uint64_t highest) const {
    if (kind != TH_SCALAR_FLOAT) {
        if (v.i >= lowest && (v.i < 0 || static_cast<uint64_t>(v.i) <= highest)) return static_cast<uint64_t>(v.i);
        fail(TH_E_ARG, "Scalar: got %lld, want a number from %lld to %llu", static_cast<long long>(v.i),
             static_cast<long long>(lowest), static_cast<unsigned long long>(highest));
    }
    const double whole = std::trunc(v.d);
    // Both bounds are doubles: powers of two. NaN is within none.
    if (whole >= static_cast<double>(lowest) && whole < static_cast<double>(highest / 2 + 1) * 2)
        return whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
    fail(TH_E_ARG, "Scalar: got %g, want a number from %lld to %llu", v.d, static_cast<long long>(lowest),
         static_cast<unsigned long long>(highest));
}

/// 255 for types that no library can have.
static uint8_t place_of(const THTensor *th) {
    return static_cast<uint8_t>(std::min<THDevice>(THTensor_device(th) >> 32, 255));
}

TensorImpl::TensorImpl(THTensor *adopted, uint8_t where) noexcept : Object(Kind::Tensor), th(adopted), place(where) {}
TensorImpl::TensorImpl(THTensor *adopted) noexcept : TensorImpl(adopted, place_of(adopted)) {}

Tensor Tensor::adopt(THTensor *th) { return adopt(th, place_of(th)); }

Tensor detail::result(THStatus status, THTensor *out, uint8_t place) {
    check(status);
    return Tensor::adopt(out, place);
}

Tensor Tensor::adopt(THTensor *th, uint8_t place) {
    if (!th) return {};
    try {
        return Tensor(make<TensorImpl>(th, place));
    } catch (...) {
        THTensor_free(th);
        throw;
    }
}

Tensor::Tensor(const Scalar &value) : Tensor(call<THTensor_new_scalar>(value)) {}

static const THTensor *need(const Tensor &t, const char *fn) {
    if (!t.defined()) fail(TH_E_ARG, "Tensor::%s: got an undefined tensor, want a defined one", fn);
    return t.th();
}

int32_t Tensor::dim() const { return THTensor_ndim(need(*this, "dim")); }
int64_t Tensor::numel() const { return THTensor_numel(need(*this, "numel")); }
DType Tensor::dtype() const { return static_cast<DType>(THTensor_dtype(need(*this, "dtype"))); }
Device Tensor::device() const { return THTensor_device(need(*this, "device")); }
bool Tensor::is_contiguous() const { return THTensor_is_contiguous(need(*this, "is_contiguous")); }
bool Tensor::is_floating_point() const {
    return TH_dtype_is_floating(THTensor_dtype(need(*this, "is_floating_point")));
}

std::span<const int64_t> Tensor::sizes() const {
    const THTensor *t = need(*this, "sizes");
    return {THTensor_sizes(t), static_cast<size_t>(THTensor_ndim(t))};
}

std::span<const int64_t> Tensor::strides() const {
    const THTensor *t = need(*this, "strides");
    return {THTensor_strides(t), static_cast<size_t>(THTensor_ndim(t))};
}

int64_t Tensor::size(int32_t d) const {
    std::span<const int64_t> s = sizes();
    int64_t n = static_cast<int64_t>(s.size()), i = d < 0 ? d + n : d;
    if (i < 0 || i >= n)
        fail(TH_E_INDEX, "Tensor::size: got dim %d of %s, want one of its dimensions", d, describe().c_str());
    return s[static_cast<size_t>(i)];
}

std::string Tensor::describe() const {
    if (!defined()) return "undefined";
    char buf[256];
    THTensor_describe(th(), buf, sizeof buf);
    return buf;
}

void *Tensor::data(DType want) const {
    const THTensor *t = need(*this, "data");
    if (dtype() != want || device() != TH_CPU)
        fail(TH_E_TYPE, "Tensor::data: got %s, want %s on the CPU", describe().c_str(),
             TH_dtype_name(static_cast<THDtype>(want)));
    return THTensor_data(t);
}

Scalar Tensor::item_scalar() const {
    THScalar s;
    check(THTensor_item(&s, need(*this, "item")));
    return Scalar(s);
}

uint64_t Tensor::version() const { return THStorage_version(THTensor_storage(need(*this, "version"))); }

Tensor tensor(std::initializer_list<double> values) { return tensor<double>(values).to(get_default_dtype()); }
Tensor tensor(std::initializer_list<int> values) { return tensor<int>(values).to(kINT64); }

Tensor from_data(const void *p, Sizes sizes, DType dtype) {
    THTensor *out = nullptr;
    check(THTensor_new_copy(&out, static_cast<THDtype>(dtype), sizes.data(), length(sizes), p));
    return Tensor::adopt(out);
}

namespace {
/// A deleter that runs only once it is armed, so that a failed from_blob leaves the memory to the caller.
struct BlobOwner {
    std::function<void()> deleter;
    bool armed = false;
    static void run(void *user) {
        std::unique_ptr<BlobOwner> owner(static_cast<BlobOwner *>(user));
        if (owner->armed && owner->deleter) owner->deleter();
    }
};
} // namespace

Tensor from_blob(void *p, Sizes sizes, DType dtype, std::function<void()> deleter) {
    int64_t bytes = TH_dtype_size(static_cast<THDtype>(dtype));
    for (int64_t s : sizes)
        if (__builtin_mul_overflow(bytes, s, &bytes))
            fail(TH_E_SHAPE, "from_blob: got sizes whose product overflows, want smaller ones");
    auto owner = std::make_unique<BlobOwner>(BlobOwner{std::move(deleter)});
    BlobOwner *user = owner.get();
    THStorage *storage = nullptr;
    check(THStorage_new_foreign(&storage, p, bytes, TH_CPU, 0, BlobOwner::run, user));
    owner.release(); // the storage's
    THTensor *out = nullptr;
    THStatus status =
        THTensor_new_over(&out, storage, static_cast<THDtype>(dtype), sizes.data(), nullptr, length(sizes), 0);
    THStorage_free(storage);
    check(status);
    Tensor t = Tensor::adopt(out);
    user->armed = true;
    return t;
}

} // namespace wick
