// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/registry.hpp
/// Ops and classes under their names: what the C ABI, and with it every other language, can reach.
#ifndef WICK_REGISTRY_HPP
#define WICK_REGISTRY_HPP

#include "wick/abi.h"
#include "wick/tensor.hpp"
#include <memory>
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
/// Called with exactly schema.arguments.size() values and room for as many results as the schema has, which it sets to
/// values that the caller will own; throws on failure. `object` is whose method it is.
using Invoke = void (*)(const Callable &self, Object *object, const Value *args, Value *results);

/// What is called with values and described by a schema: an op, several ops of one name, a constructor, a method. The
/// ABI's wick_op. Those of the registry live until the process ends.
struct WICK_API Callable {
    enum class Role : uint8_t { Op, Group, Constructor, Method };
    enum : uint32_t {
        METHOD = 1,   ///< an op that is also a method of tensors, on its first argument
        PROPERTY = 2, ///< and to be shown as a property where a language has such
        IN_PLACE = 4, ///< changes its first argument and returns it
        OUT = 8       ///< takes `out`, a tensor for the result, by name
    };
    Schema schema; ///< of a Group: the name alone
    std::string schema_text, doc;
    Invoke invoke = nullptr;
    const void *context = nullptr; ///< for invoke
    uint32_t flags = 0;
    Role role = Role::Op;
    bool added = false;                    ///< by register_op
    const char *sign = nullptr;            ///< the operator it is, as Python writes it: "+", "//"
    std::shared_ptr<const void> keepalive; ///< of what context points to

    /// Checks kinds, fills in defaults, calls; how many results there are. `names` are those of the last values. On
    /// failure nothing is left in results. `object`: for methods.
    size_t call(std::span<const Value> args, std::span<const char *const> names, std::span<Value> results,
                Object *object = nullptr) const;
    size_t call(std::span<const Value> args, std::span<Value> results) const { return call(args, {}, results); }
};
using Op = Callable;

/// The ops of one name. Which of them a call means is decided by its arguments: the first that they fit exactly, else
/// the first that they convert to (a number to a Tensor, an integer to a float, one number to a list). Ops that
/// register_op added come after all others, so that no call changes its meaning.
class WICK_API Group final : public Callable {
  public:
    /// In the order of registration; grows.
    std::span<const Callable *const> variants() const noexcept;
    /// The variant for these arguments. TypeError says why each variant was refused.
    const Callable &resolve(std::span<const Value> args, std::span<const char *const> names) const;

  private:
    friend struct Registry;
    /// Where the variant for some tags is remembered: the tags, and in the highest byte its index + 1. Further variants
    /// do not change what is true of them.
    std::atomic<uint64_t> &memo(uint64_t tags) const noexcept { return memo_[tags * 0x9E3779B97F4A7C15 >> 62]; }

    mutable std::atomic<uint64_t> memo_[4]{};
    std::vector<std::unique_ptr<std::vector<const Callable *>>> lists_; // the last is current; readers may be in others
    std::atomic<const std::vector<const Callable *> *> current_{nullptr};
};

/// The registry, filled on first use. Indices never change.
WICK_API size_t op_count();
WICK_API const Op &op_at(size_t index);
/// By its name ("max.dim"), or by the name that several share: a Group. nullptr if there is none.
WICK_API const Op *find_op(std::string_view name);
/// Adds an op, from any thread. "base.variant" joins the ops of that base name. ArgumentError for a schema that does
/// not parse, and for a name that is taken. The registry keeps `context`.
WICK_API const Op &register_op(std::string schema, std::string doc, Invoke invoke,
                               std::shared_ptr<const void> context = nullptr, uint32_t flags = 0);

/// Storage of values that bind_arguments() had to make.
struct BindScratch {
    std::vector<std::vector<int64_t>> lists;
};

/// Checks `args`, the last of which have `names`, against a schema's arguments, converts (int to float, one value to a
/// list of fixed length, lists of integers to INTS) and fills in defaults; out has room for schema.size() values, which
/// borrow from args, the schema and the scratch. `what` begins the error text.
WICK_API void bind_arguments(std::string_view what, const std::vector<Argument> &schema, std::span<const Value> args,
                             Value *out, BindScratch &scratch, std::span<const char *const> names = {});

/// How arguments suit a schema.
enum class Fit : uint8_t { Refused, Converts, Exact };
WICK_API Fit fit_arguments(const std::vector<Argument> &schema, std::span<const Value> args,
                           std::span<const char *const> names = {});

} // namespace wick
#endif
