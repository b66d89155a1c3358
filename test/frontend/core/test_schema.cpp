// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/registry.hpp"
#include <gtest/gtest.h>

using namespace wick;

TEST(Schema, ParsesEveryPart) {
    Schema s = Schema::parse(
        "ns::op.variant(Tensor(a!) x, Tensor[] list, int[2] stride=1, int[] pads=[1, -2], *, float eps=1e-05, "
        "bool on=True, str mode='none', dtype? dtype=None, Scalar s=2.5, int? dim=None) -> (Tensor y, int[])");
    EXPECT_EQ(s.name, "ns::op.variant");
    ASSERT_EQ(s.arguments.size(), 10u);
    EXPECT_EQ(s.results, (std::vector<std::string>{"Tensor", "int[]"}));
    const auto &a = s.arguments;
    EXPECT_EQ(a[0].name, "x");
    EXPECT_EQ(a[0].type, Argument::Type::Tensor);
    EXPECT_FALSE(a[0].has_default);
    EXPECT_TRUE(a[1].list);
    EXPECT_EQ(a[2].length, 2);
    ASSERT_EQ(a[2].default_value.aux, 2u);
    EXPECT_EQ(a[2].default_value.u.ints[1], 1);
    ASSERT_EQ(a[3].default_value.aux, 2u);
    EXPECT_EQ(a[3].default_value.u.ints[1], -2);
    EXPECT_FALSE(a[3].keyword_only);
    EXPECT_TRUE(a[4].keyword_only);
    EXPECT_EQ(a[4].default_value.tag, uint32_t{WICK_TAG_FLOAT});
    EXPECT_EQ(a[4].default_value.u.f, 1e-5);
    EXPECT_EQ(a[5].default_value.u.i, 1);
    EXPECT_EQ(std::string(a[6].default_value.u.s, a[6].default_value.aux), "none");
    EXPECT_TRUE(a[7].optional);
    EXPECT_EQ(a[7].default_value.tag, uint32_t{WICK_TAG_NONE});
    EXPECT_EQ(a[8].default_value.u.f, 2.5);
    EXPECT_EQ(a[9].type_text, "int?");
}

TEST(Schema, IntegerDefaultsOfFloatsAreFloats) {
    Schema s = Schema::parse("f(float a=1, int b=-3, Scalar c=1) -> Tensor");
    EXPECT_EQ(s.arguments[0].default_value.tag, uint32_t{WICK_TAG_FLOAT});
    EXPECT_EQ(s.arguments[1].default_value.u.i, -3);
    EXPECT_EQ(s.arguments[2].default_value.tag, uint32_t{WICK_TAG_INT});
}

TEST(Schema, IntegerDefaultsAreExact) {
    Schema s = Schema::parse("f(int a=9223372036854775807, int b=-9223372036854775808, int c=9007199254740993) -> any");
    EXPECT_EQ(s.arguments[0].default_value.u.i, INT64_MAX);
    EXPECT_EQ(s.arguments[1].default_value.u.i, INT64_MIN);
    EXPECT_EQ(s.arguments[2].default_value.u.i, 9007199254740993); // 2^53 + 1 is no double
    EXPECT_WICK_ERROR(Schema::parse("f(int a=9223372036854775808) -> any"), TH_E_ARG, "column 9");
}

TEST(Schema, FaultsNameTheirPlace) {
    const char *faulty[] = {"",
                            "f",
                            "f(",
                            "f()",
                            "f() -> ",
                            "f(Tensr x) -> Tensor",
                            "f(Tensor) -> Tensor",
                            "f(int x=) -> Tensor",
                            "f(int[x] y) -> Tensor",
                            "f(int[0] y) -> Tensor",
                            "f(int[-3] y=1) -> Tensor",
                            "f(float[8888888888883] y=9) -> Tensor",
                            "f(str s='a) -> Tensor",
                            "f(Tensor x) -> Tensor y",
                            "f(int a int b) -> Tensor",
                            "f(dtype d=float31) -> Tensor",
                            "f(int[] x=[1 2]) -> Tensor"};
    for (const char *text : faulty) EXPECT_WICK_ERROR(Schema::parse(text), TH_E_ARG, "column");
}
