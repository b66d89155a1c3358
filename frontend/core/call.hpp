// SPDX-License-Identifier: BSD-3-Clause
// From C++ values to the C libraries and back: call<TH_mul>(a, b) is TH_mul with a new result, or an Error. Where a
// tensor is not on the CPU, it is the function of the same name with the device's prefix. Nothing in the frontend
// computes past these functions (tools/check/calls.py).
#ifndef WICK_CORE_CALL_HPP
#define WICK_CORE_CALL_HPP

#include "core/device.hpp"
#include "wick/tensor.hpp"

namespace wick {

inline const THTensor *raw(const Tensor &t) { return t.th(); }
/// A tensor that a function with another result changes too.
struct Changed {
    const Tensor &tensor;
};
inline THTensor *raw(const Changed &c) { return c.tensor.th(); }
inline const THScalar *raw(const Scalar &s) { return &s; }
inline THDtype raw(DType d) { return static_cast<THDtype>(d); }
template <class T>
requires(std::is_arithmetic_v<T> || std::is_pointer_v<T>) T raw(T v) { return v; }

namespace detail {
/// Arguments that are no tensors have no place.
inline const TensorImpl *impl_of(const Tensor &t) noexcept { return t.impl(); }
inline const TensorImpl *impl_of(const Changed &c) noexcept { return c.tensor.impl(); }
template <class T> const TensorImpl *impl_of(const T &) noexcept { return nullptr; }
inline uint8_t place_of(const Tensor &t) noexcept { return t.impl() ? t.impl()->place : uint8_t{0}; }
inline uint8_t place_of(const Changed &c) noexcept { return place_of(c.tensor); }
template <class T> uint8_t place_of(const T &) noexcept { return 0; }

/// What a call gave: its new tensor, or an Error. Out of line, which keeps call<> small enough to be inlined.
Tensor result(THStatus status, THTensor *out, uint8_t place);

/// Fn itself if all tensors are dense on the CPU, as `places` says: the bytes of all, or-ed.
template <auto Fn, class... A> auto serving(uint8_t places, const A &...a) {
    constexpr std::string_view name = function_name<Fn>();
    auto fn = Fn;
    if constexpr (!is_structural(name)) {
        if (places) [[unlikely]] {
            const TensorImpl *const tensors[] = {impl_of(a)...};
            fn = reinterpret_cast<decltype(fn)>(find_twin(twins<Fn>, name, tensors));
        }
    }
    return fn;
}
} // namespace detail

template <auto Fn, class... A> Tensor call(const A &...a) {
    const auto places = static_cast<uint8_t>((0 | ... | detail::place_of(a)));
    THTensor *out = nullptr;
    THStatus status = detail::serving<Fn>(places, a...)(&out, raw(a)...);
    return detail::result(status, out, places);
}

/// The same, written into `into`, which is borrowed and where the arguments are.
template <auto Fn, class... A> void call_into(THTensor *into, const A &...a) {
    const auto places = static_cast<uint8_t>((0 | ... | detail::place_of(a)));
    check(detail::serving<Fn>(places, a...)(&into, raw(a)...));
}

/// The same where the first result is not wanted: `a` points to others.
template <auto Fn, class... A> void call_rest(const A &...a) {
    const auto places = static_cast<uint8_t>((0 | ... | detail::place_of(a)));
    check(detail::serving<Fn>(places, a...)(nullptr, raw(a)...));
}

/// The same on a device that no argument says: for functions that create, and for lists of tensors.
template <auto Fn, class... A> Tensor call_on(Device device, const A &...a) {
    auto fn = Fn;
    THTensor *out = nullptr;
    if (device.type() == 0) {
        check(fn(&out, raw(a)...));
        return Tensor::adopt(out, 0);
    }
    constexpr std::string_view name = detail::function_name<Fn>();
    fn = reinterpret_cast<decltype(fn)>(detail::find_twin(detail::twins<Fn>, name, device));
    detail::Selected selected(device);
    check(fn(&out, raw(a)...));
    return Tensor::adopt(out);
}

/// For functions whose first argument is a list of tensors, whose devices decide.
template <auto Fn, class... A> Tensor call_list(std::span<const Tensor> tensors, const A &...a) {
    std::vector<const THTensor *> list;
    uint8_t places = 0;
    for (const Tensor &t : tensors) {
        list.push_back(t.th());
        places |= detail::place_of(t);
    }
    Device device;
    if (places) {
        std::vector<const TensorImpl *> impls;
        for (const Tensor &t : tensors) impls.push_back(t.impl());
        device = detail::common_device(detail::function_name<Fn>(), impls);
    }
    return call_on<Fn>(device, list.data(), static_cast<int32_t>(list.size()), a...);
}

/// For functions that change the tensor they are given: Fn(t, a...). `t` alone says where.
template <auto Fn, class... A> void change(THTensor *t, const A &...a) {
    auto fn = Fn;
    if (Device device = THTensor_device(t); device.type()) [[unlikely]]
        fn = reinterpret_cast<decltype(fn)>(detail::find_twin(detail::twins<Fn>, detail::function_name<Fn>(), device));
    check(fn(t, raw(a)...));
}

/// Fn(&out, a...) into `out`, which alone says where: for loops over TH's tensors that may not allocate.
template <auto Fn, class... A> void overwrite(THTensor *out, const A &...a) {
    auto fn = Fn;
    if (Device device = THTensor_device(out); device.type()) [[unlikely]]
        fn = reinterpret_cast<decltype(fn)>(detail::find_twin(detail::twins<Fn>, detail::function_name<Fn>(), device));
    check(fn(&out, raw(a)...));
}

/// A further result of a C function, which takes &out.th: freed unless taken.
struct Out {
    THTensor *th = nullptr;
    Out() = default;
    Out(const Out &) = delete;
    Out &operator=(const Out &) = delete;
    ~Out() { THTensor_free(th); }
    Tensor take() { return Tensor::adopt(std::exchange(th, nullptr)); }
};

/// Sizes and dims as the pair of arguments that the C libraries take.
inline int32_t length(const auto &list) { return static_cast<int32_t>(list.size()); }

template <class... A> [[noreturn]] void fail(THStatus status, const char *format, A... a) {
    if constexpr (sizeof...(a) == 0) {
        throw Error(status, format);
    } else {
        char text[1024];
        std::snprintf(text, sizeof text, format, a...);
        throw Error(status, text);
    }
}

} // namespace wick
#endif
