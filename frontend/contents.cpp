// SPDX-License-Identifier: BSD-3-Clause
// What the registry holds from the start: the one place that knows every part of the frontend.
#include "core/registry.hpp"
#include "core/row.hpp"

namespace wick {

std::span<const OpDef> io_ops();
namespace nn {
Family class_family();
}
namespace optim {
Family class_family();
}

namespace {
Op op_of(std::string schema, std::string doc, Invoke invoke) {
    Op op;
    op.schema = Schema::parse(schema);
    op.schema_text = std::move(schema);
    op.doc = std::move(doc);
    op.invoke = invoke;
    return op;
}

const char *sign_of(std::string_view name) {
#define WICK_OPERATOR(fn, text)                                                                                        \
    if (name == #fn) return text;
#define WICK_CPP_OPERATOR(fn, text, cpp) WICK_OPERATOR(fn, text)
#include "wick/ops/operators.def"
#undef WICK_OPERATOR
#undef WICK_CPP_OPERATOR
    return nullptr;
}
} // namespace

void add_contents(const std::function<const Op &(Op)> &add) {
    for (const OpRow &row : op_rows()) {
        Op op = op_of(schema_text(row), std::string(row.flags & Op::IN_PLACE ? "In place: " : "") + row.doc,
                      row.signature->invoke);
        op.context = row.context;
        op.flags = row.flags;
        if (op.schema.results == std::vector<std::string>{"Tensor"}) op.flags |= Op::OUT;
        op.sign = sign_of(op.schema.name);
        add(std::move(op));
    }
    for (const OpDef &def : io_ops()) add(op_of(def.schema, def.doc, def.invoke));
}

std::deque<Family> class_families() {
    std::deque<Family> out;
    out.push_back(nn::class_family());
    out.push_back(optim::class_family());
    return out;
}

} // namespace wick
