// SPDX-License-Identifier: BSD-3-Clause
#include "wick/registry.hpp"
#include "core/call.hpp"
#include "core/registry.hpp"
#include "wick/autograd.hpp"
#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace wick {

/// Callables stay where they are; readers hold the mutex for look-ups alone.
struct Registry {
    std::shared_mutex mutex;
    std::deque<Op> ops;
    std::deque<Group> groups;
    std::unordered_map<std::string, const Op *> by_name, by_base;

    Registry() {
        add_contents([this](Op op) -> const Op & { return add(std::move(op)); });
    }
    static Registry &get() {
        static Registry registry;
        return registry;
    }

    /// Behind the mutex, or while it is made.
    const Op &add(Op op) {
        if (by_name.contains(op.schema.name))
            fail(TH_E_ARG, "register_op: got a second op '%s', want each name once", op.schema.name.c_str());
        std::string base = op.schema.name.substr(0, op.schema.name.find('.'));
        const Op &added = ops.emplace_back(std::move(op));
        try {
            by_name.emplace(added.schema.name, &added);
            auto [at, first] = by_base.emplace(base, &added);
            if (!first) at->second = &join(*at->second, added, base);
        } catch (...) { // no memory
            by_name.erase(added.schema.name);
            ops.pop_back();
            throw;
        }
        return added;
    }

    /// The group that `there` is, or becomes with a second op of its name.
    const Group &join(const Op &there, const Op &added, const std::string &base) {
        bool is_group = there.role == Op::Role::Group;
        Group &group = is_group ? const_cast<Group &>(static_cast<const Group &>(there)) : groups.emplace_back();
        auto list = std::make_unique<std::vector<const Op *>>(group.variants().begin(), group.variants().end());
        if (!is_group) { // nobody sees it yet
            list->push_back(&there);
            group.role = Op::Role::Group;
            group.schema.name = base;
            group.doc = there.doc;
            group.flags = there.flags;
        }
        list->push_back(&added);
        group.lists_.push_back(std::move(list));
        group.current_.store(group.lists_.back().get(), std::memory_order_release);
        return group;
    }
};

std::span<const Callable *const> Group::variants() const noexcept {
    const auto *list = current_.load(std::memory_order_acquire);
    return list ? std::span<const Callable *const>(*list) : std::span<const Callable *const>();
}

namespace {
[[noreturn]] void refuse_all(const Group &group, std::span<const Value> args, std::span<const char *const> names) {
    std::string text = group.schema.name + ": got (";
    for (size_t i = 0; i < args.size(); i++) {
        size_t first_name = args.size() - std::min(args.size(), names.size());
        text += i ? ", " : "";
        if (i >= first_name && names[i - first_name]) text.append(names[i - first_name]).append("=");
        text += describe(args[i]);
    }
    text += "), want one of";
    for (const Op *variant : group.variants()) {
        BindScratch scratch;
        std::vector<Value> bound(variant->schema.arguments.size());
        try {
            bind_arguments("", variant->schema.arguments, args, bound.data(), scratch, names);
        } catch (const Error &e) {
            text += "\n  " + variant->schema_text + e.message();
        }
    }
    throw Error(TH_E_TYPE, text);
}

/// The tags of up to seven values, a byte each, if those alone say what the values fit: not of lists, whose items do.
/// Else 0.
uint64_t plain_tags(std::span<const Value> args) {
    uint64_t tags = 0;
    if (args.size() > 7) return 0;
    for (size_t i = 0; i < args.size(); i++) {
        const uint32_t tag = args[i].tag;
        if (tag != WICK_TAG_TENSOR && tag != WICK_TAG_INT && tag != WICK_TAG_FLOAT && tag != WICK_TAG_BOOL &&
            tag != WICK_TAG_NONE)
            return 0;
        tags |= uint64_t{tag + 1} << (8 * i); // None is 0
    }
    return tags;
}
constexpr int INDEX_SHIFT = 56;

/// The index of the variant that the arguments fit; the number of variants if they fit none.
size_t find_variant(std::span<const Callable *const> variants, std::span<const Value> args,
                    std::span<const char *const> names) {
    size_t found = variants.size();
    for (size_t i = 0; i < variants.size(); i++) {
        if (found < i && variants[i]->added) break;
        Fit fit = fit_arguments(variants[i]->schema.arguments, args, names);
        if (fit == Fit::Exact) return i;
        if (fit == Fit::Converts && found == variants.size()) found = i;
    }
    return found;
}
} // namespace

const Callable &Group::resolve(std::span<const Value> args, std::span<const char *const> names) const {
    const uint64_t tags = names.empty() ? plain_tags(args) : 0;
    std::atomic<uint64_t> &known = memo(tags);
    const uint64_t word = known.load(std::memory_order_acquire); // before variants(), which then has the index
    if (tags && (word ^ tags) << (64 - INDEX_SHIFT) == 0) return *variants()[(word >> INDEX_SHIFT) - 1];
    const size_t i = find_variant(variants(), args, names);
    if (i == variants().size()) refuse_all(*this, args, names);
    if (tags && i < 255) known.store(uint64_t{i + 1} << INDEX_SHIFT | tags, std::memory_order_release);
    return *variants()[i];
}

namespace {
/// Takes `out` from the named arguments.
Tensor take_out(const Callable &op, std::vector<Value> &args, std::vector<const char *> &names) {
    size_t first = args.size() - names.size();
    for (size_t i = 0; i < names.size(); i++) {
        if (!names[i] || std::string_view(names[i]) != "out") continue;
        const Value v = args[first + i];
        if (v.tag != WICK_TAG_TENSOR)
            fail(TH_E_TYPE, "%s: got %s for out, want Tensor", op.schema.name.c_str(), describe(v).c_str());
        args.erase(args.begin() + static_cast<std::ptrdiff_t>(first + i));
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
        return unbox<Tensor>(v);
    }
    return {};
}

bool requires_grad(const Value &v) {
    if (v.tag == WICK_TAG_TENSOR) return unbox<Tensor>(v).requires_grad();
    return (v.tag == WICK_TAG_VALUES || v.tag == WICK_TAG_LIST) && std::ranges::any_of(unbox_items(v), requires_grad);
}

/// A result that goes into a tensor of the caller: as TH takes one, cast but not into a lower kind of number.
void write_out(const char *op, const Tensor &out, const Tensor &y) {
    if (!std::ranges::equal(out.sizes(), y.sizes()))
        fail(TH_E_SHAPE, "%s: got out of %s, want the sizes of %s", op, out.describe().c_str(), y.describe().c_str());
    if ((y.is_floating_point() && !out.is_floating_point()) || (out.dtype() == kBOOL && y.dtype() != kBOOL))
        fail(TH_E_TYPE, "%s: got out of %s for a result of %s, want a dtype that holds it", op, out.describe().c_str(),
             y.describe().c_str());
    check(THTensor_copy(out.th(), y.th()));
}

size_t call_with_out(const Callable &op, std::span<const Value> given, std::span<const char *const> given_names,
                     std::span<Value> results) {
    std::vector<Value> args(given.begin(), given.end());
    std::vector<const char *> names(given_names.begin(), given_names.end());
    Tensor out = take_out(op, args, names);
    if (!out.defined()) return op.call(args, names, results);
    const Callable &chosen = op.role == Op::Role::Group ? static_cast<const Group &>(op).resolve(args, names) : op;
    const char *name = chosen.schema.name.c_str();
    if (!(chosen.flags & Op::OUT)) fail(TH_E_ARG, "%s: got out, which it does not take", name);
    if (grad_enabled() && (out.requires_grad() || std::ranges::any_of(args, requires_grad)))
        fail(TH_E_AUTOGRAD, "%s: got out while recording, want tensors that require no gradient, or a NoGrad scope",
             name);
    if (results.empty()) fail(TH_E_ARG, "%s: got room for 0 results, want 1", name);
    Value raw{};
    chosen.call(args, names, {&raw, 1});
    OwnedValue y(raw);
    write_out(name, out, unbox<Tensor>(y.get()));
    results[0] = box(out);
    return 1;
}

bool names_out(std::span<const char *const> names) {
    return std::ranges::any_of(names, [](const char *n) { return n && std::string_view(n) == "out"; });
}

/// Several results: none is left if the function fails after the first.
void invoke_all(const Callable &c, Object *object, const Value *bound, std::span<Value> results) {
    for (Value &v : results) v = Value{};
    try {
        c.invoke(c, object, bound, results.data());
    } catch (...) {
        for (Value &v : results) clear(v);
        throw;
    }
}
} // namespace

size_t Callable::call(std::span<const Value> args, std::span<const char *const> names, std::span<Value> results,
                      Object *object) const {
    if (!names.empty() && names.size() <= args.size() && names_out(names)) [[unlikely]]
        if (flags & OUT || role == Role::Group) return call_with_out(*this, args, names, results);
    const Callable &op = role == Role::Group ? static_cast<const Group *>(this)->resolve(args, names) : *this;
    const Schema &form = op.schema;
    size_t count = form.results.size();
    if (results.size() < count)
        fail(TH_E_ARG, "%s: got room for %zu results, want %zu", form.name.c_str(), results.size(), count);
    constexpr size_t FEW = 16;
    Value few[FEW];
    std::vector<Value> many(form.arguments.size() > FEW ? form.arguments.size() : 0);
    Value *bound = many.empty() ? few : many.data();
    BindScratch scratch;
    bind_arguments(form.name, form.arguments, args, bound, scratch, names);
    if (count == 1)
        op.invoke(op, object, bound, results.data());
    else
        invoke_all(op, object, bound, results.first(count));
    return count;
}

size_t op_count() {
    Registry &registry = Registry::get();
    std::shared_lock lock(registry.mutex);
    return registry.ops.size();
}

const Op &op_at(size_t index) {
    Registry &registry = Registry::get();
    std::shared_lock lock(registry.mutex);
    if (index >= registry.ops.size())
        fail(TH_E_INDEX, "op_at: got index %zu, want one below %zu", index, registry.ops.size());
    return registry.ops[index];
}

const Op *find_op(std::string_view name) {
    Registry &registry = Registry::get();
    std::shared_lock lock(registry.mutex);
    std::string key(name);
    if (auto base = registry.by_base.find(key); base != registry.by_base.end()) return base->second;
    auto found = registry.by_name.find(key);
    return found == registry.by_name.end() ? nullptr : found->second;
}

const Op &register_op(std::string schema, std::string doc, Invoke invoke, std::shared_ptr<const void> context,
                      uint32_t flags) {
    Op op;
    op.schema = Schema::parse(schema);
    op.schema_text = std::move(schema);
    op.doc = std::move(doc);
    op.invoke = invoke;
    op.context = context.get();
    op.keepalive = std::move(context);
    op.flags = flags;
    op.added = true;
    Registry &registry = Registry::get();
    std::unique_lock lock(registry.mutex);
    return registry.add(std::move(op));
}

} // namespace wick
