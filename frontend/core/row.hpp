// SPDX-License-Identifier: BSD-3-Clause
// Rows of include/wick/ops/*.def as the registry takes them: from a C++ function and its parameters as written to a
// schema and to a function of values.
#ifndef WICK_CORE_ROW_HPP
#define WICK_CORE_ROW_HPP

#include "wick/value.hpp"
#include <array>

namespace wick {

/// What a C++ parameter is in a schema.
struct ParameterType {
    std::string (*type)(); ///< "int[]"
    bool changed = false;  ///< Tensor &
    bool tensor = false;
};

/// What rows with functions of one type share.
struct Signature {
    Invoke invoke; ///< of Callables whose context points to a pointer to such a function
    std::string (*result)();
    const ParameterType *parameters;
    size_t count;
};

/// One row; constant data.
struct OpRow {
    const char *name, *variant; ///< "max", "dim"
    const char *parameters;     ///< "(const Tensor &x, int32_t dim, bool keepdim = false)"
    const char *doc;
    uint32_t flags; ///< of Callable
    const Signature *signature;
    const void *context;
};

/// The rows of wick/ops, in order (ops/rows.cpp).
WICK_API std::span<const OpRow> op_rows();

/// An op whose function takes values itself; constant data.
struct OpDef {
    const char *schema, *doc;
    Invoke invoke;
};

/// "max.dim(Tensor x, int dim, bool keepdim=False) -> Tensor"
WICK_API std::string schema_text(const OpRow &row);

namespace detail {

/// One parameter of a row as it is written.
struct Parameter {
    std::string_view name, value; ///< value: the default; empty without one
    bool view = false, optional = false, keyword = false;
};

constexpr std::string_view trimmed(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The first of "a, b, c"; rest becomes "b, c". Commas within brackets and strings do not count.
constexpr std::string_view next_item(std::string_view &rest) {
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < rest.size(); i++) {
        char c = rest[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '{' || c == '<') depth++;
        if (c == ')' || c == '}' || c == '>') depth--;
        if (c == ',' && depth == 0) break;
    }
    std::string_view item = rest.substr(0, i);
    rest.remove_prefix(i < rest.size() ? i + 1 : i);
    return trimmed(item);
}

constexpr bool take_prefix(std::string_view &s, std::string_view prefix) {
    if (!s.starts_with(prefix)) return false;
    s = trimmed(s.substr(prefix.size()));
    return true;
}

/// The first parameter of `rest`, which becomes what follows it.
constexpr Parameter next_parameter(std::string_view &rest) {
    std::string_view text = next_item(rest);
    Parameter p;
    for (bool more = true; more;) {
        more = false;
        if (take_prefix(text, "WICK_VIEW ")) more = p.view = true;
        if (take_prefix(text, "WICK_OPTIONAL ")) more = p.optional = true;
        if (take_prefix(text, "WICK_KEYWORD ")) more = p.keyword = true;
    }
    size_t equal = text.find('=');
    if (equal != std::string_view::npos) {
        p.value = trimmed(text.substr(equal + 1));
        text = trimmed(text.substr(0, equal));
    }
    size_t start = text.size();
    while (start > 0 && is_word(text[start - 1])) start--;
    p.name = text.substr(start);
    return p;
}

/// The parameters within "(...)".
constexpr std::string_view inside(std::string_view parameters) { return parameters.substr(1, parameters.size() - 2); }

constexpr bool is_number(std::string_view s) {
    if (!s.empty() && s.front() == '-') s.remove_prefix(1);
    size_t i = 0, digits = 0;
    auto skip = [&] {
        for (; i < s.size() && is_digit(s[i]); i++) digits++;
    };
    skip();
    if (i < s.size() && s[i] == '.') i++, skip();
    if (digits && i < s.size() && s[i] == 'e') {
        i++, digits = 0;
        if (i < s.size() && s[i] == '-') i++;
        skip();
    }
    return digits && i == s.size();
}

/// Whether a default is one of those that wick/ops/all.def allows.
constexpr bool is_literal(std::string_view s) {
    if (s == "{}" || s == "true" || s == "false" || s == "DType::none" || is_number(s)) return true;
    if (s.size() >= 2 && s.front() == '"' && s.back() == '"')
        return s.substr(1, s.size() - 2).find_first_of("\"'\\") == std::string_view::npos;
    if (s.starts_with("{") && s.ends_with("}")) {
        for (std::string_view rest = s.substr(1, s.size() - 2); !rest.empty();)
            if (!is_number(next_item(rest))) return false;
        return true;
    }
    if (!s.starts_with("k") || s.size() == 1) return false; // kFLOAT32
    for (char c : s.substr(1))
        if (!is_word(c) || (c >= 'a' && c <= 'z')) return false;
    return true;
}

constexpr bool literal_defaults(std::string_view parameters) {
    for (std::string_view rest = inside(parameters); !rest.empty();)
        if (Parameter p = next_parameter(rest); !p.value.empty() && !is_literal(p.value)) return false;
    return true;
}

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
inline Value hand_over(Tensor t) {
    union Kept {
        Tensor tensor;
        ~Kept() {}
    } kept{std::move(t)};
    return box_object(kept.tensor.impl());
}

/// How a C++ result becomes the results of a call.
template <class R> struct Result {
    static std::string type() { return Unbox<Bare<R>>::type(); }
    static void store(R &&r, Value *results) { results[0] = box(std::forward<R>(r)); }
};
template <> struct Result<Tensor> {
    static std::string type() { return "Tensor"; }
    static void store(Tensor &&t, Value *results) { results[0] = hand_over(std::move(t)); }
};
template <> struct Result<Tensor &> {
    static std::string type() { return "Tensor(a!)"; }
    static void store(const Tensor &t, Value *results) { results[0] = box(t); }
};
template <> struct Result<ValuesIndices> {
    static std::string type() { return "(Tensor values, Tensor indices)"; }
    static void store(ValuesIndices &&r, Value *results) {
        results[0] = hand_over(std::move(r.values));
        results[1] = hand_over(std::move(r.indices));
    }
};
template <> struct Result<void> {
    static std::string type() { return "()"; }
};

template <class F> struct Boxed;
template <class R, class... P> struct Boxed<R(P...)> {
    static void invoke(const Callable &self, Object *, const Value *args, Value *results) {
        each(*static_cast<R (*const *)(P...)>(self.context), args, results, std::index_sequence_for<P...>{});
    }
    static constexpr std::array<ParameterType, sizeof...(P)> parameters = {
        ParameterType{&Unbox<Bare<P>>::type, std::same_as<P, Tensor &>, std::same_as<Bare<P>, Tensor>}...};

  private:
    template <size_t... I>
    static void each(R (*fn)(P...), const Value *args, Value *results, std::index_sequence<I...>) {
        std::tuple<Held<Bare<P>>...> held(args[I]...);
        if constexpr (std::is_void_v<R>)
            fn(std::get<I>(held).value...), void(results);
        else
            Result<R>::store(fn(std::get<I>(held).value...), results);
    }
};
template <class F> struct SignatureOf;
template <class R, class... P> struct SignatureOf<R(P...)> {
    using Call = Boxed<R(P...)>;
    static constexpr Signature value{&Call::invoke, &Result<R>::type, Call::parameters.data(), sizeof...(P)};
};

/// A function pointer where a `const void *` can point to.
template <auto Fn> constexpr auto pointer_to = Fn;

} // namespace detail
} // namespace wick
#endif
