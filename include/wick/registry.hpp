// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/registry.hpp
/// Ops and classes under their names: what the C ABI, and with it every other language, can reach.
#ifndef WICK_REGISTRY_HPP
#define WICK_REGISTRY_HPP

#include "wick/abi.h"
#include "wick/tensor.hpp"
#include <string_view>
#include <vector>

namespace wick {

/// The ABI's tagged value, as it is.
using Value = wick_value;

/// One parsed argument of a schema. Movable, not copyable: default_value borrows from the storage behind it.
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
    Value default_value{};
    std::vector<int64_t> storage; ///< of a list default
    std::vector<double> float_storage;
    std::vector<char> text_storage; ///< of a string default

    Argument() = default;
    Argument(Argument &&) = default;
    Argument &operator=(Argument &&) = default;
};

/// "name(Tensor a, int[2] stride=1, *, float eps=1e-05) -> Tensor", parsed. Grammar: docs/schema.md.
struct WICK_API Schema {
    std::string name; ///< "add" or "ns::name.variant"
    std::vector<Argument> arguments;
    std::vector<std::string> results; ///< type texts
    /// Throws ArgumentError with the place of the fault.
    static Schema parse(std::string_view text);
};

struct Callable;
/// Called with exactly schema.arguments.size() values and as many UNSET results as the schema has; throws on failure.
/// `object` is whose method it is.
using Invoke = void (*)(const Callable &self, Object *object, const Value *args, Value *results);

/// An op whose function takes values itself: constant data, no constructor runs at load.
struct OpDef {
    const char *schema;
    const char *doc;
    Invoke invoke;
};
struct OpTable {
    const OpDef *rows;
    size_t count;
};

/// What is called with values and described by a schema: an op, a constructor, a method. The ABI's wick_op.
struct WICK_API Callable {
    enum : uint32_t { METHOD = 1, PROPERTY = 2, IN_PLACE = 4 };
    Schema schema;
    std::string schema_text, doc;
    Invoke invoke = nullptr;       ///< of ops only
    const void *context = nullptr; ///< for invoke
    uint32_t flags = 0;
};

/// A registered op.
class WICK_API Op : public Callable {
  public:
    /// Checks kinds, fills in defaults, calls. results must have room for schema.results.size() values.
    void call(std::span<const Value> args, std::span<Value> results) const;
};

/// The registry, filled on first use. Indices never change.
WICK_API size_t op_count();
WICK_API const Op &op_at(size_t index);
/// nullptr if there is none.
WICK_API const Op *find_op(std::string_view name);

/// Storage of values that bind_arguments() had to make.
struct BindScratch {
    std::vector<std::vector<int64_t>> lists;
};

/// Checks `args` against a schema's arguments, converts (int to float, one value to a list of fixed length, Lists of
/// integers to INTS) and fills in defaults; out has room for schema.size() values, which borrow from args, the schema
/// and the scratch. `what` begins the error text.
WICK_API void bind_arguments(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args,
                             Value *out, BindScratch &scratch);

} // namespace wick
#endif
