// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/registry.hpp
/// Ops and classes under their names: what the C ABI, and with it every other language, can reach.
#ifndef WICK_REGISTRY_HPP
#define WICK_REGISTRY_HPP

#include "wick/abi.h"
#include "wick/tensor.hpp"
#include <string_view>

namespace wick {

/// The ABI's tagged value, as it is.
using Value = wick_value;

/// One parsed argument of a schema.
struct Argument {
    enum class Type : uint32_t { Tensor, Scalar, Int, Float, Bool, Str, DType, Device, Module, Function, Any };
    std::string name;
    std::string type_text; ///< "Tensor?", "int[2]"
    Type type = Type::Any;
    bool list = false;
    int64_t length = -1; ///< of a list with a fixed length; one value is then repeated
    bool optional = false;
    bool keyword_only = false;
    bool has_default = false;
    Value default_value{};             ///< borrows from `storage`
    std::vector<int64_t> storage;      ///< of a list default
    std::string text_storage;          ///< of a string default
};

/// "name(Tensor a, int[2] stride=1, *, float eps=1e-05) -> Tensor", parsed. Grammar: docs/schema.md.
struct Schema {
    std::string name; ///< "add" or "ns::name.variant"
    std::vector<Argument> arguments;
    std::vector<std::string> results; ///< type texts
    /// Throws ArgumentError with the place of the fault.
    static Schema parse(std::string_view text);
};

/// Called with exactly schema.arguments.size() values and as many UNSET results as the schema has; throws on failure.
using BoxedFn = void (*)(const Value *args, Value *results);

/// A row written in a frontend/ops source: constant data, no constructor runs at load.
struct OpDef {
    const char *schema;
    const char *doc;
    BoxedFn boxed;
};
struct OpTable {
    const OpDef *rows;
    size_t count;
};

/// A registered op.
class Op {
  public:
    Schema schema;
    std::string schema_text, doc;
    BoxedFn boxed = nullptr;
    /// Checks kinds, fills in defaults, calls. results must have room for schema.results.size() values.
    void call(std::span<const Value> args, std::span<Value> results) const;
};

/// The registry, filled on first use. Indices never change.
WICK_API size_t op_count();
WICK_API const Op &op_at(size_t index);
/// nullptr if there is none.
WICK_API const Op *find_op(std::string_view name);

/// Checks `args` against a schema's arguments, converts (int to float, one value to a list of fixed length) and fills in defaults. `what` begins
/// the error text. The result borrows from args and from the schema; `scratch` keeps lists it had to make.
WICK_API std::vector<Value> bind_arguments(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args,
                                           std::vector<std::vector<int64_t>> &scratch);

} // namespace wick
#endif
