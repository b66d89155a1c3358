// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"

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
                       [&] { return index < wick::op_count() ? wick::abi::handle(&wick::op_at(index)) : nullptr; });
}

int32_t wick_op_find(const char *name, wick_op **out) {
    return guard("wick_op_find", [&] {
        need("wick_op_find", "out", out);
        const wick::Op *op = wick::find_op(need("wick_op_find", "name", name));
        if (!op) wick::fail(TH_E_NOTFOUND, "wick_op_find: got '%s', want the name of an op", name);
        *out = wick::abi::handle(op);
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

int32_t wick_op_call(wick_op *op, const wick_value *args, uint32_t nargs, wick_value *results, uint32_t nresults,
                     wick_error **err) {
    const wick::Callable *c = callable(op);
    return guard_call("wick_op_call", c ? c->schema.name.c_str() : nullptr, {args, nargs}, {results, nresults}, err,
                      [&] {
                          if (!need("wick_op_call", "op", c)->invoke) [[unlikely]]
                              wick::fail(TH_E_TYPE, "wick_op_call: got the constructor or method %s, want an operator",
                                         c->schema.name.c_str());
                          need_results(*c, nresults);
                          static_cast<const wick::Op *>(c)->call({args, nargs}, {results, nresults});
                      });
}
