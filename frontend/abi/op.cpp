// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"
#include <algorithm>

namespace wick::abi {

static const Argument &argument(const wick_op *op, uint32_t i) {
    const Schema &schema = callable(need("wick_op_arg", "op", op))->schema;
    if (i >= schema.arguments.size())
        fail(TH_E_INDEX, "wick_op_arg: got argument %u of %s, want one of %zu", i, schema.name.c_str(),
             schema.arguments.size());
    return schema.arguments[i];
}

static uint32_t flags_of(const Argument &a) {
    uint32_t flags = 0;
    if (a.optional) flags |= WICK_ARG_OPTIONAL;
    if (a.has_default) flags |= WICK_ARG_DEFAULT;
    if (a.keyword_only) flags |= WICK_ARG_KEYWORD;
    if (a.list) flags |= WICK_ARG_LIST;
    return flags;
}

} // namespace wick::abi

using namespace wick::abi;

uint32_t wick_op_count(void) {
    return guard_value("wick_op_count", 0u, [] { return static_cast<uint32_t>(wick::op_count()); });
}

wick_op *wick_op_at(uint32_t index) {
    return guard_value("wick_op_at", static_cast<wick_op *>(nullptr),
                       [&] { return index < wick::op_count() ? op_handle(&wick::op_at(index)) : nullptr; });
}

int32_t wick_op_find(const char *name, wick_op **out) {
    return guard("wick_op_find", [&] {
        need("wick_op_find", "out", out);
        const wick::Op *op = wick::find_op(need("wick_op_find", "name", name));
        if (!op) wick::fail(TH_E_NOTFOUND, "wick_op_find: got '%s', want the name of an op", name);
        *out = op_handle(op);
    });
}

const char *wick_op_name(const wick_op *op) { return op ? callable(op)->schema.name.c_str() : ""; }
const char *wick_op_schema(const wick_op *op) { return op ? callable(op)->schema_text.c_str() : ""; }
const char *wick_op_doc(const wick_op *op) { return op ? callable(op)->doc.c_str() : ""; }
uint32_t wick_op_arg_count(const wick_op *op) {
    return op ? static_cast<uint32_t>(callable(op)->schema.arguments.size()) : 0;
}
uint32_t wick_op_result_count(const wick_op *op) {
    return op ? static_cast<uint32_t>(callable(op)->schema.results.size()) : 0;
}

int32_t wick_op_arg(const wick_op *op, uint32_t i, const char **name, const char **type, uint32_t *flags,
                    wick_value *dflt) {
    return guard("wick_op_arg", [&] {
        const wick::Argument &a = argument(op, i);
        if (name) *name = a.name.c_str();
        if (type) *type = a.type_text.c_str();
        if (flags) *flags = flags_of(a);
        if (dflt) *dflt = a.has_default ? a.default_value : wick::make_value(WICK_TAG_UNSET, 0);
    });
}

int32_t wick_op_result(const wick_op *op, uint32_t i, const char **type) {
    return guard("wick_op_result", [&] {
        const wick::Schema &schema = callable(need("wick_op_result", "op", op))->schema;
        if (i >= schema.results.size())
            wick::fail(TH_E_INDEX, "wick_op_result: got result %u of %s, want one of %zu", i, schema.name.c_str(),
                       schema.results.size());
        *need("wick_op_result", "type", type) = schema.results[i].c_str();
    });
}

uint32_t wick_op_flags(const wick_op *op) {
    using wick::Callable;
    if (!op) return 0;
    const Callable &c = *callable(op);
    uint32_t flags = c.flags;
    if (c.sign) flags |= WICK_OP_OPERATOR;
    if (c.role == Callable::Role::Group) flags |= WICK_OP_GROUP;
    if (c.role == Callable::Role::Constructor) flags |= WICK_OP_CONSTRUCTOR;
    if (c.role == Callable::Role::Method) flags |= WICK_OP_OF_OBJECT;
    return flags;
}

const char *wick_op_operator(const wick_op *op) { return op ? callable(op)->sign : nullptr; }

uint32_t wick_op_variant_count(const wick_op *op) {
    const wick::Callable *c = callable(op);
    if (!c || c->role != wick::Callable::Role::Group) return c ? 1 : 0;
    return static_cast<uint32_t>(static_cast<const wick::Group *>(c)->variants().size());
}

wick_op *wick_op_variant(const wick_op *op, uint32_t index) {
    if (index >= wick_op_variant_count(op)) return nullptr;
    const wick::Callable *c = callable(op);
    if (c->role != wick::Callable::Role::Group) return op_handle(c);
    return op_handle(static_cast<const wick::Group *>(c)->variants()[index]);
}

int32_t wick_op_call(wick_op *op, const wick_value *args, uint32_t nargs, const char *const *names, uint32_t nnames,
                     wick_value *results, uint32_t *nresults, wick_error **err) {
    const char *fn = "wick_op_call";
    const wick::Callable *c = callable(op);
    return guard_call(fn, c ? c->schema.name.c_str() : nullptr, {args, nargs}, results, nresults, err,
                      [&](std::span<wick::Value> room) {
                          if (need(fn, "op", c)->role == wick::Callable::Role::Method) [[unlikely]]
                              wick::fail(TH_E_TYPE, "wick_op_call: got the method %s, want one of wick_object_call",
                                         c->schema.name.c_str());
                          return c->call({args, nargs}, need_names(fn, names, nnames, nargs), room);
                      });
}

namespace wick::abi {

/// An op of the host language.
struct Registered {
    wick_callback fn;
    void *user;

    static void invoke(const Callable &self, Object *, const Value *args, Value *results) {
        const auto &op = *static_cast<const Registered *>(self.context);
        const char *name = self.schema.name.c_str();
        std::span<Value> room(results, self.schema.results.size());
        run_callback(op.fn, op.user, name, {args, self.schema.arguments.size()}, room);
        size_t unset = static_cast<size_t>(std::ranges::count(room, uint32_t{WICK_TAG_UNSET}, &Value::tag));
        if (unset == 0) return;
        drop(room);
        fail(TH_E_CALLBACK, "%s: the callback left %zu of %zu results unset", name, unset, room.size());
    }
};

} // namespace wick::abi

int32_t wick_op_register(const char *schema, const char *doc, uint32_t flags, wick_callback call, void *user,
                         wick_op **out) {
    const char *fn = "wick_op_register";
    return guard(fn, [&] {
        need(fn, "call", reinterpret_cast<void *>(call));
        if (flags & ~uint32_t{WICK_OP_METHOD | WICK_OP_PROPERTY})
            wick::fail(TH_E_ARG, "wick_op_register: got flags %u, want WICK_OP_METHOD, WICK_OP_PROPERTY or 0", flags);
        auto context = std::make_unique<Registered>(Registered{call, user});
        const wick::Op &op = wick::register_op(need(fn, "schema", schema), doc ? doc : "", &Registered::invoke,
                                               std::shared_ptr<const void>(std::move(context)), flags);
        if (out) *out = op_handle(&op);
    });
}
