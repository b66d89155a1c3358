// SPDX-License-Identifier: BSD-3-Clause
// Arguments of a call against a schema.
#include "core/call.hpp"
#include "wick/value.hpp"
#include <algorithm>

namespace wick {

namespace {
using Type = Argument::Type;

bool is_number(const Value &v) { return v.tag == WICK_TAG_INT || v.tag == WICK_TAG_FLOAT || v.tag == WICK_TAG_BOOL; }

Fit exact_if(bool condition) { return condition ? Fit::Exact : Fit::Refused; }

/// One value for one of a type.
Fit fit_one(Type type, const Value &v) {
    switch (type) {
    case Type::Tensor:
        if (v.tag == WICK_TAG_TENSOR) return Fit::Exact;
        return is_number(v) ? Fit::Converts : Fit::Refused;
    case Type::Float:
        if (v.tag == WICK_TAG_FLOAT) return Fit::Exact;
        return v.tag == WICK_TAG_INT ? Fit::Converts : Fit::Refused;
    case Type::Scalar: return exact_if(is_number(v));
    case Type::Int: return exact_if(v.tag == WICK_TAG_INT);
    case Type::Bool: return exact_if(v.tag == WICK_TAG_BOOL);
    case Type::Str: return exact_if(v.tag == WICK_TAG_STR || v.tag == WICK_TAG_STRING);
    case Type::DType: return exact_if(v.tag == WICK_TAG_DTYPE);
    case Type::Device: // also by its name
        if (v.tag == WICK_TAG_DEVICE) return Fit::Exact;
        return v.tag == WICK_TAG_STR || v.tag == WICK_TAG_STRING ? Fit::Converts : Fit::Refused;
    case Type::Module: return exact_if(v.tag == WICK_TAG_MODULE);
    case Type::Function: return exact_if(v.tag == WICK_TAG_FUNCTION);
    case Type::Any: return Fit::Exact;
    }
    return Fit::Refused;
}

Fit fit_list(const Argument &a, const Value &v) {
    auto of_length = [&](size_t n, Fit fit) {
        if (a.length < 0 || static_cast<int64_t>(n) == a.length) return fit;
        return n == 1 && a.type == Type::Int ? std::min(fit, Fit::Converts) : Fit::Refused; // one for all
    };
    switch (v.tag) {
    case WICK_TAG_INTS:
        if (a.type == Type::Float) return of_length(v.aux, Fit::Converts);
        return a.type == Type::Int ? of_length(v.aux, Fit::Exact) : Fit::Refused;
    case WICK_TAG_FLOATS: return a.type == Type::Float ? of_length(v.aux, Fit::Exact) : Fit::Refused;
    case WICK_TAG_INT: return a.type == Type::Int ? Fit::Converts : Fit::Refused;
    case WICK_TAG_VALUES:
    case WICK_TAG_LIST: {
        std::span<const Value> items = unbox_items(v);
        Fit fit = of_length(items.size(), Fit::Exact);
        for (const Value &item : items) fit = std::min(fit, fit_one(a.type, item));
        return fit;
    }
    default: return Fit::Refused;
    }
}

Fit fit(const Argument &a, const Value &v) {
    if (v.tag == WICK_TAG_TENSOR && a.type == Type::Tensor) return exact_if(!a.list); // mostly
    if (v.tag == WICK_TAG_NONE) return exact_if(a.optional || a.type == Type::Any);
    return a.list ? fit_list(a, v) : fit_one(a.type, v);
}

/// The value in the form that unbox() reads, if it fits.
Value in_form(const Argument &a, const Value &v, BindScratch &scratch) {
    if (!a.list && a.type == Type::Float && v.tag == WICK_TAG_INT)
        return {WICK_TAG_FLOAT, 0, {.f = static_cast<double>(v.u.i)}};
    if (!a.list || a.type != Type::Int || v.tag == WICK_TAG_NONE) return v;
    if (v.tag == WICK_TAG_INTS && (a.length < 0 || static_cast<int64_t>(v.aux) == a.length)) return v;
    std::vector<int64_t> list = unbox<std::vector<int64_t>>(v);
    if (a.length > 0 && list.size() == 1) list.resize(static_cast<size_t>(a.length), list[0]);
    scratch.lists.push_back(std::move(list));
    const std::vector<int64_t> &kept = scratch.lists.back();
    return {WICK_TAG_INTS, static_cast<uint32_t>(kept.size()), {.ints = kept.data()}};
}

/// Where an argument of this name stands, or schema.size().
size_t position(const std::vector<Argument> &schema, const char *name) {
    size_t i = 0;
    while (i < schema.size() && (!name || schema[i].name != name)) i++;
    return i;
}

/// Values in the order of the schema; those that were not given are UNSET.
void place_named(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args,
                 std::span<const char *const> names, Value *placed) {
    int w = static_cast<int>(what.size());
    size_t count = args.size() - names.size();
    std::fill_n(placed, schema.size(), make_value(WICK_TAG_UNSET, 0));
    std::copy_n(args.begin(), std::min(count, schema.size()), placed);
    for (size_t i = 0; i < names.size(); i++) {
        size_t at = position(schema, names[i]);
        if (at == schema.size())
            fail(TH_E_ARG, "%.*s: got an argument named '%s', want one of its own", w, what.data(),
                 names[i] ? names[i] : "");
        if (placed[at].tag != WICK_TAG_UNSET)
            fail(TH_E_ARG, "%.*s: got %s twice, want it once", w, what.data(), names[i]);
        placed[at] = args[count + i];
    }
}

void check_counts(std::string_view what, const std::vector<Argument> &schema, size_t args, size_t names) {
    int w = static_cast<int>(what.size());
    if (names > args) fail(TH_E_ARG, "%.*s: got %zu names of %zu arguments", w, what.data(), names, args);
    if (args - names > schema.size())
        fail(TH_E_ARG, "%.*s: got %zu arguments, want at most %zu", w, what.data(), args - names, schema.size());
}
} // namespace

void bind_arguments(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args, Value *out,
                    BindScratch &scratch, std::span<const char *const> names) {
    if (args.size() > schema.size() || !names.empty()) [[unlikely]] {
        check_counts(what, schema, args.size(), names.size());
        place_named(what, schema, args, names, out);
        args = {out, schema.size()};
    }
    int w = static_cast<int>(what.size());
    for (size_t i = 0; i < schema.size(); i++) {
        const Argument &a = schema[i];
        if (i >= args.size() || args[i].tag == WICK_TAG_UNSET) {
            if (!a.has_default)
                fail(TH_E_ARG, "%.*s: got no value for argument %zu, want %s %s", w, what.data(), i + 1,
                     a.type_text.c_str(), a.name.c_str());
            out[i] = a.default_value;
        } else if (fit(a, args[i]) != Fit::Refused) {
            out[i] = in_form(a, args[i], scratch);
        } else {
            fail(TH_E_TYPE, "%.*s: got %s for argument %zu, want %s %s", w, what.data(), describe(args[i]).c_str(),
                 i + 1, a.type_text.c_str(), a.name.c_str());
        }
    }
}

Fit fit_arguments(const std::vector<Argument> &schema, std::span<const Value> args,
                  std::span<const char *const> names) {
    if (names.size() > args.size()) return Fit::Refused;
    size_t count = args.size() - names.size(), named = 0;
    if (count > schema.size()) return Fit::Refused;
    Fit all = Fit::Exact;
    for (size_t i = 0; i < schema.size(); i++) {
        const Value *v = i < count && args[i].tag != WICK_TAG_UNSET ? &args[i] : nullptr;
        for (size_t k = 0; k < names.size(); k++)
            if (names[k] && schema[i].name == names[k]) {
                if (v) return Fit::Refused; // twice
                v = &args[count + k];
                named++;
            }
        bool absent = !v || v->tag == WICK_TAG_UNSET;
        Fit one = absent ? exact_if(schema[i].has_default) : fit(schema[i], *v);
        if (one == Fit::Refused) return one;
        all = std::min(all, one);
    }
    return named == names.size() ? all : Fit::Refused;
}

} // namespace wick
