// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/options.hpp
/// Options of modules and optimizers: plain structs for designated initialisers, which list their members once:
///
///     struct PoolOptions {
///         Required<Pair> kernel_size;
///         std::optional<Pair> stride = {};
///         bool ceil_mode = false;
///         WICK_OPTIONS(kernel_size, stride, ceil_mode)
///     };
///
/// Schemas ("int[2] kernel_size, int[2]? stride=None, bool ceil_mode=False"), conversion from the ABI's values, and
/// printing come from that.
#ifndef WICK_OPTIONS_HPP
#define WICK_OPTIONS_HPP

#include "wick/value.hpp"
#include <algorithm>
#include <array>
#include <ranges>
#include <tuple>

/// The members of a struct, in the order of the schema. Also lists the state that an optimizer keeps per parameter.
#define WICK_OPTIONS(...)                                                                                              \
    static constexpr const char *option_names() noexcept { return #__VA_ARGS__; }                                      \
    auto option_refs() noexcept { return std::tie(__VA_ARGS__); }                                                      \
    auto option_refs() const noexcept { return std::tie(__VA_ARGS__); }

namespace wick {

/// An option without a default.
template <class T> class Required {
  public:
    constexpr Required() = default;
    template <class U>
    requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Required>) constexpr Required(U &&value)
        : value_(std::forward<U>(value)) {}
    template <class... A>
    requires(sizeof...(A) > 1 && std::constructible_from<T, A...>) constexpr Required(A... a) : value_(T(a...)) {}
    bool is_set() const noexcept { return value_.has_value(); }
    /// Set in every constructed module and optimizer.
    const T &get() const noexcept { return *value_; }
    operator const T &() const noexcept { return *value_; }

  private:
    std::optional<T> value_;
};

template <size_t N> struct Unbox<std::array<double, N>> {
    static std::array<double, N> get(const Value &v) {
        std::vector<double> list = unbox<std::vector<double>>(v);
        if (list.size() != N) throw Error(TH_E_ARG, "value: got " + describe(v) + ", want " + type());
        std::array<double, N> out{};
        std::copy(list.begin(), list.end(), out.begin());
        return out;
    }
    static std::string type() { return "float[" + std::to_string(N) + "]"; }
};
template <class T> struct Unbox<Required<T>> : Unbox<T> {};

template <size_t N> Value box(const PerDim<N> &p) { return box(std::vector<int64_t>(p.v, p.v + N)); }
template <size_t N> Value box(const std::array<double, N> &a) { return box(std::vector<double>(a.begin(), a.end())); }
template <class T> Value box(const Required<T> &r) { return box(r.get()); }

/// How a schema writes a value: 3, 0.1, True, 'mean', [1, 2], None.
WICK_API std::string literal(bool v);
WICK_API std::string literal(int64_t v);
WICK_API std::string literal(double v);
WICK_API std::string literal(const std::string &v);
WICK_API std::string literal(const Tensor &v);
inline std::string literal(int32_t v) { return literal(static_cast<int64_t>(v)); }
template <class T> std::string literal(const Required<T> &v) { return literal(v.get()); }
template <class T> std::string literal(const std::optional<T> &v) { return v ? literal(*v) : "None"; }
template <std::ranges::range T> std::string literal(const T &list) {
    std::string out = "[";
    for (const auto &v : list) {
        if (out.size() > 1) out += ", ";
        out += literal(v);
    }
    return out += "]";
}
template <size_t N> std::string literal(const PerDim<N> &p) {
    Sizes sizes = p;
    return std::ranges::all_of(sizes, [&](int64_t each) { return each == p.v[0]; }) ? literal(p.v[0]) : literal(sizes);
}

namespace detail {
/// The names of "a, b, c".
WICK_API std::vector<std::string_view> split_names(std::string_view names);

template <class T> constexpr bool is_required = false;
template <class T> constexpr bool is_required<Required<T>> = true;
} // namespace detail

/// f(name, member) for every member that WICK_OPTIONS lists.
template <class O, class F> void for_each_option(O &&options, F f) {
    auto names = detail::split_names(Bare<O>::option_names());
    size_t i = 0;
    std::apply([&](auto &...member) { (f(names[i++], member), ...); }, options.option_refs());
}

/// "Conv2d(int in_channels, ..., bool bias=True) -> ()"; `first` comes before the options.
template <class O> std::string constructor_schema(std::string_view name, std::string first = "") {
    for_each_option(O{}, [&]<class T>(std::string_view option, const T &value) {
        if (!first.empty()) first += ", ";
        first.append(Unbox<T>::type()).append(std::same_as<T, Tensor> ? "? " : " ").append(option);
        if constexpr (!detail::is_required<T>) first.append("=").append(literal(value));
    });
    return std::string(name) + "(" + first + ") -> ()";
}

/// Options from the values of a call, bound to that schema.
template <class O> O options_from_values(const Value *args) {
    O options{};
    for_each_option(options, [&]<class T>(std::string_view, T &value) { value = unbox<T>(*args++); });
    return options;
}

/// Options handed through, or ArgumentError naming the required one that was not given.
template <class O> O check_required(std::string_view what, O options) {
    for_each_option(options, [&]<class T>(std::string_view name, T &value) {
        if constexpr (detail::is_required<T>)
            if (!value.is_set())
                throw Error(TH_E_ARG,
                            std::string(what) + ": got no " + std::string(name) + ", want " + Unbox<T>::type());
    });
    return options;
}

/// What makes these options differ from the defaults: "in_channels=1, out_channels=32, kernel_size=3".
template <class O> std::string describe_options(const O &options) {
    std::vector<std::string> defaults;
    for_each_option(O{}, [&]<class T>(std::string_view, const T &value) {
        if constexpr (detail::is_required<T>)
            defaults.emplace_back();
        else
            defaults.push_back(literal(value));
    });
    std::string out;
    size_t i = 0;
    for_each_option(options, [&](std::string_view name, const auto &value) {
        if (std::string text = literal(value); text != defaults[i++])
            out.append(out.empty() ? "" : ", ").append(name).append("=").append(text);
    });
    return out;
}

} // namespace wick
#endif
