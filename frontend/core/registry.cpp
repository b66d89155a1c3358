// SPDX-License-Identifier: BSD-3-Clause
#include "wick/registry.hpp"
#include "core/call.hpp"
#include "core/row.hpp"
#include "wick/value.hpp"
#include <unordered_map>

namespace wick {

extern const OpTable io_ops;

namespace {
struct Registry {
    std::vector<Op> ops;
    std::unordered_map<std::string_view, const Op *> by_name;

    Registry() {
        ops.reserve(op_rows().size() + io_ops.count);
        for (const OpRow &row : op_rows()) {
            Op &op = add(schema_text(row));
            op.doc = std::string(row.flags & Op::IN_PLACE ? "In place: " : "") + row.doc;
            op.invoke = row.signature->invoke;
            op.context = row.context;
            op.flags = row.flags;
        }
        for (const OpDef &def : std::span(io_ops.rows, io_ops.count)) {
            Op &op = add(def.schema);
            op.doc = def.doc;
            op.invoke = def.invoke;
        }
    }

    Op &add(std::string text) {
        Op op;
        op.schema = Schema::parse(text);
        op.schema_text = std::move(text);
        ops.push_back(std::move(op));
        if (!by_name.emplace(ops.back().schema.name, &ops.back()).second)
            fail(TH_E_INTERNAL, "registry: got a second op '%s', want each name once", ops.back().schema.name.c_str());
        return ops.back();
    }
};

const Registry &registry() {
    static const Registry r;
    return r;
}

using Type = Argument::Type;

bool is_number(const Value &v) { return v.tag == WICK_TAG_INT || v.tag == WICK_TAG_FLOAT || v.tag == WICK_TAG_BOOL; }

/// Whether the value can stay as it is.
bool fits(const Argument &a, const Value &v) {
    if (v.tag == WICK_TAG_TENSOR && a.type == Type::Tensor) return !a.list; // mostly
    if (v.tag == WICK_TAG_NONE) return a.optional || a.type == Type::Any;
    if (a.list) {
        if (v.tag == WICK_TAG_VALUES || v.tag == WICK_TAG_LIST) return a.type != Type::Int;
        bool length = a.length < 0 || static_cast<int64_t>(v.aux) == a.length;
        return length && ((v.tag == WICK_TAG_INTS && (a.type == Type::Int || a.type == Type::Float)) ||
                          (v.tag == WICK_TAG_FLOATS && a.type == Type::Float));
    }
    switch (a.type) {
    case Type::Tensor: return v.tag == WICK_TAG_TENSOR || is_number(v);
    case Type::Scalar: return is_number(v);
    case Type::Int: return v.tag == WICK_TAG_INT;
    case Type::Float: return v.tag == WICK_TAG_FLOAT;
    case Type::Bool: return v.tag == WICK_TAG_BOOL;
    case Type::Str: return v.tag == WICK_TAG_STR || v.tag == WICK_TAG_STRING;
    case Type::DType: return v.tag == WICK_TAG_DTYPE;
    case Type::Device: return v.tag == WICK_TAG_DEVICE;
    case Type::Module: return v.tag == WICK_TAG_MODULE;
    case Type::Function: return v.tag == WICK_TAG_FUNCTION;
    case Type::Any: return true;
    }
    return false;
}

Value ints(BindScratch &scratch, std::vector<int64_t> list) {
    scratch.lists.push_back(std::move(list));
    const std::vector<int64_t> &kept = scratch.lists.back();
    return {WICK_TAG_INTS, static_cast<uint32_t>(kept.size()), {.ints = kept.data()}};
}

/// Converts what does not fit as it is; false if that is not allowed.
bool convert(const Argument &a, const Value &v, Value &out, BindScratch &scratch) {
    if (!a.list && a.type == Type::Float && v.tag == WICK_TAG_INT) {
        out = {WICK_TAG_FLOAT, 0, {.f = static_cast<double>(v.u.i)}};
        return true;
    }
    if (!a.list || a.type != Type::Int) return false;
    if (v.tag == WICK_TAG_INT) {
        out = ints(scratch, std::vector<int64_t>(a.length > 0 ? static_cast<size_t>(a.length) : 1, v.u.i));
        return true;
    }
    if (v.tag == WICK_TAG_INTS && v.aux == 1 && a.length > 0) {
        out = ints(scratch, std::vector<int64_t>(static_cast<size_t>(a.length), v.u.ints[0]));
        return true;
    }
    if (v.tag != WICK_TAG_VALUES && v.tag != WICK_TAG_LIST) return false;
    std::vector<int64_t> list;
    for (const Value &item : unbox_items(v)) {
        if (item.tag != WICK_TAG_INT) return false;
        list.push_back(item.u.i);
    }
    if (a.length >= 0 && static_cast<int64_t>(list.size()) != a.length) return false;
    out = ints(scratch, std::move(list));
    return true;
}
} // namespace

void bind_arguments(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args, Value *out,
                    BindScratch &scratch) {
    int w = static_cast<int>(what.size());
    if (args.size() > schema.size())
        fail(TH_E_ARG, "%.*s: got %zu arguments, want at most %zu", w, what.data(), args.size(), schema.size());
    for (size_t i = 0; i < schema.size(); i++) {
        const Argument &a = schema[i];
        if (i >= args.size() || args[i].tag == WICK_TAG_UNSET) {
            if (!a.has_default)
                fail(TH_E_ARG, "%.*s: got no value for argument %zu, want %s %s", w, what.data(), i + 1,
                     a.type_text.c_str(), a.name.c_str());
            out[i] = a.default_value;
        } else if (fits(a, args[i])) {
            out[i] = args[i];
        } else if (!convert(a, args[i], out[i], scratch)) {
            fail(TH_E_TYPE, "%.*s: got %s for argument %zu, want %s %s", w, what.data(), describe(args[i]).c_str(),
                 i + 1, a.type_text.c_str(), a.name.c_str());
        }
    }
}

void Op::call(std::span<const Value> args, std::span<Value> results) const {
    if (results.size() < schema.results.size())
        fail(TH_E_ARG, "%s: got room for %zu results, want %zu", schema.name.c_str(), results.size(),
             schema.results.size());
    constexpr size_t FEW = 16;
    Value few[FEW];
    std::vector<Value> many(schema.arguments.size() > FEW ? schema.arguments.size() : 0);
    Value *bound = many.empty() ? few : many.data();
    BindScratch scratch;
    bind_arguments(schema.name, schema.arguments, args, bound, scratch);
    invoke(*this, nullptr, bound, results.data());
}

size_t op_count() { return registry().ops.size(); }

const Op &op_at(size_t index) {
    if (index >= op_count()) fail(TH_E_INDEX, "op_at: got index %zu, want one below %zu", index, op_count());
    return registry().ops[index];
}

const Op *find_op(std::string_view name) {
    auto found = registry().by_name.find(name);
    return found == registry().by_name.end() ? nullptr : found->second;
}

} // namespace wick
