// SPDX-License-Identifier: BSD-3-Clause
// The rows of wick/ops/*.def as the registry gets them. This is the only source that includes them all.
#include "core/row.hpp"
#include "ops/op.hpp"

namespace wick {

/// A function of every row's own type: it tells overloads apart, and has no default arguments.
namespace rows {
#define WICK_ROW(R, fn, variant, params, text, ...)                                                                    \
    R fn##_##variant params;                                                                                           \
    static_assert(detail::literal_defaults(text), "a default of " #fn " is none that wick/ops/all.def allows");
#include "wick/ops/all.def"
} // namespace rows

namespace docs {
#define TH_UNARY(name, ...) extern const char name[];
#define TH_BINARY(name, ...) extern const char name[];
#include "TH/ops/binary.def"
#include "TH/ops/unary.def"
#undef TH_UNARY
#undef TH_BINARY
} // namespace docs

namespace {
[[maybe_unused]] constexpr uint32_t METHOD = Callable::METHOD, PROPERTY = METHOD + Callable::PROPERTY,
                                    IN_PLACE = METHOD + Callable::IN_PLACE;
constexpr uint32_t flag(uint32_t f = 0) { return f; }

// clang-format off
#define WICK_ROW(R, fn, variant, params, text, doc, ...)                                                               \
    {#fn, #variant, text, doc, flag(__VA_ARGS__), &detail::SignatureOf<decltype(rows::fn##_##variant)>::value,         \
     &detail::pointer_to<static_cast<decltype(&rows::fn##_##variant)>(&wick::fn)>},
constexpr OpRow TABLE[] = {
#include "wick/ops/all.def"
};
// clang-format on
} // namespace

std::span<const OpRow> op_rows() { return TABLE; }

} // namespace wick
