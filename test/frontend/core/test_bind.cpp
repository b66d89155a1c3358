// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/value.hpp"
#include <gtest/gtest.h>

using namespace wick;

namespace {
const Schema &schema() {
    static const Schema s =
        Schema::parse("f(Tensor x, int n, float p=0.5, *, int[2] pair=1, str? mode=None) -> Tensor");
    return s;
}

struct Bound {
    BindScratch scratch;
    Value v[5];
    explicit Bound(std::initializer_list<Value> args, std::initializer_list<const char *> names = {}) {
        bind_arguments("f", schema().arguments, {args.begin(), args.size()}, v, scratch, {names.begin(), names.size()});
    }
};

Fit fit(const char *type, const Value &v) {
    Schema s = Schema::parse(std::string("f(") + type + " x) -> Tensor");
    return fit_arguments(s.arguments, {&v, 1});
}

const Value ONE = make_value(WICK_TAG_INT, 1), YES = make_value(WICK_TAG_BOOL, 1), NONE = Value{};
const Value HALF = {WICK_TAG_FLOAT, 0, {.f = 0.5}}, TEXT = {WICK_TAG_STR, 1, {.s = "x"}};
} // namespace

TEST(Bind, NamesPutValuesInPlace) {
    Bound b({ONE, TEXT, ONE, HALF}, {"mode", "n", "p"});
    EXPECT_EQ(b.v[0].tag, uint32_t{WICK_TAG_INT});
    EXPECT_EQ(b.v[1].u.i, 1);
    EXPECT_EQ(b.v[2].u.f, 0.5);
    ASSERT_EQ(b.v[3].aux, 2u); // the default
    EXPECT_EQ(b.v[3].u.ints[1], 1);
    EXPECT_EQ(b.v[4].tag, uint32_t{WICK_TAG_STR});
    EXPECT_EQ(Bound({ONE, ONE}, {"n", "x"}).v[1].u.i, 1);
}

TEST(Bind, NamesAreChecked) {
    EXPECT_WICK_ERROR(Bound({ONE, ONE, ONE}, {"nn"}), TH_E_ARG, "f: got an argument named 'nn'");
    EXPECT_WICK_ERROR(Bound({ONE, ONE, ONE}, {"x"}), TH_E_ARG, "f: got x twice");
    EXPECT_WICK_ERROR(Bound({ONE, ONE, HALF, HALF}, {"p", "p"}), TH_E_ARG, "f: got p twice");
    EXPECT_WICK_ERROR(Bound({ONE, HALF}, {"p"}), TH_E_ARG, "no value for argument 2, want int n");
    EXPECT_WICK_ERROR(Bound({ONE, ONE}, {nullptr}), TH_E_ARG, "named ''");
    EXPECT_WICK_ERROR(Bound({ONE}, {"n", "x"}), TH_E_ARG, "2 names of 1");
    EXPECT_WICK_ERROR(Bound({ONE, ONE, HALF, ONE, TEXT, ONE}), TH_E_ARG, "6 arguments, want at most 5");
    EXPECT_WICK_ERROR(Bound({ONE, ONE, HALF, ONE, TEXT, ONE, ONE}, {"n"}), TH_E_ARG, "6 arguments, want at most 5");
}

TEST(Bind, ConvertsAndFillsIn) {
    Value items[] = {make_value(WICK_TAG_INT, 3), make_value(WICK_TAG_INT, 4)};
    Bound b({HALF, ONE, ONE, {WICK_TAG_VALUES, 2, {.values = items}}});
    EXPECT_EQ(b.v[2].u.f, 1); // an integer for a float
    ASSERT_EQ(b.v[3].aux, 2u);
    EXPECT_EQ(b.v[3].u.ints[1], 4);
    EXPECT_EQ(Bound({ONE, ONE, HALF, make_value(WICK_TAG_INT, 7)}).v[3].u.ints[1], 7); // one for both
    Value three{WICK_TAG_VALUES, 1, {.values = items}};
    EXPECT_EQ(Bound({ONE, ONE, HALF, three}).v[3].u.ints[1], 3);
    int64_t many[] = {1, 2, 3};
    EXPECT_WICK_ERROR(Bound({ONE, ONE, HALF, {WICK_TAG_INTS, 3, {.ints = many}}}), TH_E_TYPE, "int[2] pair");
}

TEST(Bind, ExactAndConvertibleKinds) {
    Tensor t(1.0);
    Value tensor{WICK_TAG_TENSOR, 0, {.o = handle(t.impl())}}, two[] = {ONE, ONE}, mixed[] = {ONE, HALF},
                                                               tensors[] = {tensor, ONE};
    auto list = [](const Value *v) { return Value{WICK_TAG_VALUES, 2, {.values = v}}; };
    int64_t numbers[] = {1, 2};
    double floats[] = {1, 2};
    Value ints{WICK_TAG_INTS, 2, {.ints = numbers}}, doubles{WICK_TAG_FLOATS, 2, {.floats = floats}};
    for (const Value &number : {ONE, HALF, YES}) {
        EXPECT_EQ(fit("Tensor", number), Fit::Converts); // a number is no Tensor
        EXPECT_EQ(fit("Scalar", number), Fit::Exact);
    }
    EXPECT_EQ(fit("Tensor", tensor), Fit::Exact);
    EXPECT_EQ(fit("Tensor[]", tensor), Fit::Refused);
    EXPECT_EQ(fit("Tensor", TEXT), Fit::Refused);
    EXPECT_EQ(fit("int", YES), Fit::Refused); // a bool is no int
    EXPECT_EQ(fit("bool", ONE), Fit::Refused);
    EXPECT_EQ(fit("int", HALF), Fit::Refused);
    EXPECT_EQ(fit("float", ONE), Fit::Converts);
    EXPECT_EQ(fit("float", HALF), Fit::Exact);
    EXPECT_EQ(fit("float", YES), Fit::Refused);
    for (const char *type : {"Tensor", "int", "float", "str", "int[]", "dtype", "Scalar"}) {
        EXPECT_EQ(fit(type, NONE), Fit::Refused) << type; // None only for ?
        EXPECT_EQ(fit((std::string(type) + "?").c_str(), NONE), Fit::Exact) << type;
    }
    EXPECT_EQ(fit("int[]", ints), Fit::Exact);
    EXPECT_EQ(fit("int[]", list(two)), Fit::Exact);
    EXPECT_EQ(fit("int[]", list(mixed)), Fit::Refused);
    EXPECT_EQ(fit("int[]", ONE), Fit::Converts);
    EXPECT_EQ(fit("int[2]", ints), Fit::Exact);
    EXPECT_EQ(fit("int[3]", ints), Fit::Refused);
    EXPECT_EQ(fit("float[]", doubles), Fit::Exact);
    EXPECT_EQ(fit("float[]", ints), Fit::Converts);
    EXPECT_EQ(fit("float[]", list(mixed)), Fit::Converts);
    EXPECT_EQ(fit("int[]", doubles), Fit::Refused);
    EXPECT_EQ(fit("Tensor[]", list(tensors)), Fit::Converts);
    EXPECT_EQ(fit("str[]", list(two)), Fit::Refused);
    EXPECT_EQ(fit("any", YES), Fit::Exact);
}
