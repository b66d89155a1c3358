// SPDX-License-Identifier: BSD-3-Clause
#include "core/row.hpp"
#include "support/errors.hpp"
#include <gtest/gtest.h>

using namespace wick;

namespace {
Tensor many(const Tensor &x, const Tensor &, const Tensor &, double, int64_t, Pair, Sizes, std::optional<int32_t>,
            DType, DType, std::string_view, bool, const Scalar &) {
    return x;
}
Tensor &change(Tensor &x, const Tensor &) { return x; }
void nothing(ListView<Tensor>, Dims) {}

template <auto Fn> OpRow row(const char *name, const char *variant, const char *parameters) {
    using F = std::remove_pointer_t<decltype(Fn)>;
    return {name, variant, parameters, "Doc.", 0, &detail::SignatureOf<F>::value, &detail::pointer_to<Fn>};
}
} // namespace

TEST(Row, SchemaFollowsFromTheParameters) {
    EXPECT_EQ(schema_text(row<&many>(
                  "many", "form",
                  "(WICK_VIEW const Tensor &x, const Tensor &y = {}, WICK_OPTIONAL const Tensor &z, double eps = 1e-5, "
                  "int64_t n = -1, Pair stride = 1, Sizes pads = {}, std::optional<int32_t> dim = {}, "
                  "DType a = kBFLOAT16, WICK_KEYWORD DType b = DType::none, std::string_view mode = \"a, b\", "
                  "bool on = true, const Scalar &s = 2.5)")),
              "many.form(Tensor(a) x, Tensor? y=None, Tensor? z, float eps=1e-05, int n=-1, int[2] stride=1, "
              "int[] pads=[], int? dim=None, dtype a=bfloat16, *, dtype? b=None, str mode='a, b', bool on=True, "
              "Scalar s=2.5) -> Tensor(a)");
    EXPECT_EQ(schema_text(row<&change>("change_", "", "(Tensor &x, const Tensor &src)")),
              "change_(Tensor(a!) x, Tensor src) -> Tensor(a!)");
    EXPECT_EQ(schema_text(row<&nothing>("nothing", "", "(ListView<Tensor> list, Dims dims = {1, -2})")),
              "nothing(Tensor[] list, int[] dims=[1, -2]) -> ()");
}

TEST(Row, DefaultsAreAClosedList) {
    for (const char *good : {"{}", "true", "false", "0", "-100", "0.5", "1e-5", "1.e5", "\"none\"", "\"\"", "kFLOAT32",
                             "DType::none", "{1, 2}", "{-1}"})
        EXPECT_TRUE(detail::is_literal(good)) << good;
    for (const char *bad : {"", "INT64_MAX", "1 + 1", "M_PI", "x", "1.0f", "0x10", "kx", "k", "\"a\\n\"", "\"it's\"",
                            "{a}", "{1, }", "nullptr", "DType::float32", "-", "e5", "1e", "Tensor()"})
        EXPECT_FALSE(detail::is_literal(bad)) << bad;
    static_assert(
        detail::literal_defaults("(const Tensor &x, double a = 0.5, std::optional<std::pair<int, int>> p = {})"));
    static_assert(!detail::literal_defaults("(const Tensor &x, double a = 0.5, int64_t n = LIMIT)"));
}

TEST(Row, EveryOpsSchemaParsesToItself) {
    EXPECT_GT(op_rows().size(), 200u);
    for (const OpRow &r : op_rows()) {
        std::string text = schema_text(r);
        Schema s = Schema::parse(text);
        EXPECT_EQ(s.arguments.size(), r.signature->count) << text;
        EXPECT_EQ(s.name.substr(0, s.name.find('.')), r.name) << text;
        bool in_place = text.find("(a!)") != std::string::npos;
        EXPECT_EQ((r.flags & Callable::IN_PLACE) != 0, in_place) << text;
    }
}
