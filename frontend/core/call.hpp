// SPDX-License-Identifier: BSD-3-Clause
// From C++ values to the C libraries and back: call<TH_mul>(a, b) is TH_mul with a new result, or an Error.
#ifndef WICK_CORE_CALL_HPP
#define WICK_CORE_CALL_HPP

#include "wick/tensor.hpp"

namespace wick {

inline const THTensor *raw(const Tensor &t) { return t.th(); }
inline const THScalar *raw(const Scalar &s) { return &s; }
inline THDtype raw(DType d) { return static_cast<THDtype>(d); }
template <class T>
requires(std::is_arithmetic_v<T> || std::is_pointer_v<T>) T raw(T v) { return v; }

template <auto Fn, class... A> Tensor call(const A &...a) {
    THTensor *out = nullptr;
    check(Fn(&out, raw(a)...));
    return Tensor::adopt(out);
}

/// The same, written into `into` (borrowed) unless that is NULL. The result has no history.
template <auto Fn, class... A> Tensor call_into(THTensor *into, const A &...a) {
    if (!into) return call<Fn>(a...);
    Tensor y = Tensor::adopt(THTensor_retain(into)); // while `into` is as it was
    check(Fn(&into, raw(a)...));
    return y;
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
    char text[1024];
    std::snprintf(text, sizeof text, format, a...);
    throw Error(status, text);
}

} // namespace wick
#endif
