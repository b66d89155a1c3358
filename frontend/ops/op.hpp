// SPDX-License-Identifier: BSD-3-Clause
// What every source in this folder is written with. An op is one block: its schema and doc (WICK_OP), then its
// function, which computes through call<> and records closures for the gradient. The source ends with WICK_OPS(stem),
// which gathers its rows; families.def lists the stems.
#ifndef WICK_OPS_OP_HPP
#define WICK_OPS_OP_HPP

#include "THNN/THNN.h"
#include "autograd/node.hpp"
#include "wick/ops.hpp"
#include "wick/value.hpp"

namespace wick {

namespace detail {
/// An argument during a call.
template <class T> struct Held {
    explicit Held(const Value &v) : value(unbox<T>(v)) {}
    decltype(unbox<T>(std::declval<const Value &>())) value;
};
/// A tensor is borrowed from the caller, without counting.
template <> struct Held<Tensor> {
    explicit Held(const Value &v)
        : borrowed(v.tag == WICK_TAG_TENSOR),
          value(borrowed ? Tensor(Ref<TensorImpl>::adopt(impl(v))) : unbox<Tensor>(v)) {}
    ~Held() {
        if (!borrowed) value.~Tensor();
    }
    static TensorImpl *impl(const Value &v) {
        Object *o = v.u.o ? object(v.u.o) : nullptr;
        if (!o || o->kind() != Kind::Tensor) [[unlikely]]
            o = unbox_object(v, Kind::Tensor); // throws
        return static_cast<TensorImpl *>(o);
    }
    const bool borrowed;
    union {
        Tensor value;
    };
};
/// Hands a result on, without counting either.
inline Value give(Tensor t) {
    union Kept {
        Tensor tensor;
        ~Kept() {}
    } kept{std::move(t)};
    return box_object(kept.tensor.impl());
}

template <class F> struct Boxed;
template <class R, class... P> struct Boxed<R (*)(P...)> {
    template <R (*fn)(P...)> static void call(const Value *args, Value *results) {
        each<fn>(args, results, std::index_sequence_for<P...>{});
    }

  private:
    template <R (*fn)(P...), size_t... I>
    static void each(const Value *args, Value *results, std::index_sequence<I...>) {
        std::tuple<Held<Bare<P>>...> held(args[I]...);
        if constexpr (std::same_as<R, Tensor>)
            results[0] = give(fn(std::get<I>(held).value...));
        else
            results[0] = box(fn(std::get<I>(held).value...));
    }
};

template <int N> using Row = std::integral_constant<int, N>;
constexpr int FIRST_ROW = __COUNTER__ + 1;
} // namespace detail

inline std::vector<int64_t> sizes_of(const Tensor &x) { return {x.sizes().begin(), x.sizes().end()}; }

/// A height and a width from one value or two.
inline void to_pair(int64_t out[2], const char *fn, const char *name, Sizes v) {
    if (v.size() != 1 && v.size() != 2) fail(TH_E_ARG, "%s: got %zu values for %s, want 1 or 2", fn, v.size(), name);
    out[0] = v[0];
    out[1] = v[v.size() - 1];
}

/// A row of the registry for the function `fn` (declared in wick/ops.hpp).
#define WICK_OP(fn, schema, doc) WICK_ROW(__COUNTER__, fn, schema, doc)
#define WICK_ROW(n, fn, schema, doc)                                                                                   \
    [[maybe_unused]] static constexpr OpDef row(detail::Row<n>) {                                                      \
        return {schema, doc, &detail::Boxed<decltype(&fn)>::call<&fn>};                                                \
    }

/// Gathers the rows of this source, which __COUNTER__ numbers.
#define WICK_OPS(stem)                                                                                                 \
    static constexpr auto stem##_rows = []<int... I>(std::integer_sequence<int, I...>) {                               \
        return std::array{row(detail::Row<I + detail::FIRST_ROW>{})...};                                               \
    }                                                                                                                  \
    (std::make_integer_sequence<int, __COUNTER__ - detail::FIRST_ROW>{});                                              \
    extern const OpTable stem##_ops;                                                                                   \
    const OpTable stem##_ops{stem##_rows.data(), stem##_rows.size()};

} // namespace wick
#endif
