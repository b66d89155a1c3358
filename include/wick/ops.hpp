// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/ops.hpp
/// Functions on tensors, differentiable where that means something. The list of them, with what each computes and
/// takes, is wick/ops/*.def (see all.def there); their contracts in detail are those of the TH and THNN functions of
/// the same name.
#ifndef WICK_OPS_HPP
#define WICK_OPS_HPP

#include "wick/tensor.hpp"

namespace wick {

/// The largest or smallest values along a dimension, and where each was first.
struct ValuesIndices {
    Tensor values, indices;
};

#define WICK_ROW(R, fn, variant, params, ...) WICK_API R fn params;
#include "wick/ops/all.def"

/// A floating number is no dim: the larger of x and 0.5 is max(x, Tensor(0.5)).
template <std::floating_point T> ValuesIndices max(const Tensor &x, T, bool = false) = delete;
template <std::floating_point T> ValuesIndices min(const Tensor &x, T, bool = false) = delete;

namespace methods {
#define WICK_METHOD_METHOD(fn)                                                                                         \
    struct call_##fn {                                                                                                 \
        template <class... A> auto operator()(A &&...a) const -> decltype(wick::fn(std::forward<A>(a)...)) {           \
            return wick::fn(std::forward<A>(a)...);                                                                    \
        }                                                                                                              \
    };
#define WICK_METHOD_PROPERTY(fn) WICK_METHOD_METHOD(fn)
#define WICK_METHOD_IN_PLACE(fn) WICK_METHOD_METHOD(fn)
#define WICK_ROW(R, fn, variant, params, text, doc, ...) WICK_METHOD_##__VA_ARGS__(fn)
#include "wick/ops/all.def"
#undef WICK_METHOD_METHOD
#undef WICK_METHOD_PROPERTY
#undef WICK_METHOD_IN_PLACE
#undef WICK_METHOD_
} // namespace methods

#define WICK_OPERATOR(fn, sign)
#define WICK_CPP_OPERATOR(fn, sign, cpp)                                                                               \
    inline Tensor operator cpp(const Tensor &a, const Tensor &b) { return fn(a, b); }
#include "wick/ops/operators.def"
#undef WICK_OPERATOR
#undef WICK_CPP_OPERATOR
inline Tensor operator-(const Tensor &x) { return neg(x); }

inline Tensor Tensor::operator=(const Tensor &src) && { return copy_(src); }
inline Tensor Tensor::operator=(Tensor &&src) && { return copy_(src); }
template <class T>
requires std::is_arithmetic_v<T> Tensor Tensor::operator=(T value) && { return fill_(Scalar(value)); }
inline Tensor &Tensor::zero_() { return fill_(0); }
inline Tensor Tensor::operator[](int64_t index) const { return select(0, index); }
inline Tensor &Tensor::operator+=(const Tensor &o) { return add_(o); }
inline Tensor &Tensor::operator-=(const Tensor &o) { return sub_(o); }
inline Tensor &Tensor::operator*=(const Tensor &o) { return mul_(o); }
inline Tensor &Tensor::operator/=(const Tensor &o) { return div_(o); }

} // namespace wick
#endif
