// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/options.hpp"

using namespace wick;
using namespace wick::test;

namespace {

struct Options {
    Required<int64_t> channels;
    Required<Pair> kernel;
    Pair stride = 1;
    std::optional<Pair> padding = {};
    double eps = 1e-5;
    std::optional<double> momentum = 0.1;
    bool bias = true;
    std::string reduction = "mean";
    Tensor weight = {};
    std::array<double, 2> betas = {0.9, 0.999};
    WICK_OPTIONS(channels, kernel, stride, padding, eps, momentum, bias, reduction, weight, betas)
};

} // namespace

TEST(Options, WriteTheirSchema) {
    std::string text = constructor_schema<Options>("Thing", "Tensor[] params");
    EXPECT_EQ(text, "Thing(Tensor[] params, int channels, int[2] kernel, int[2] stride=1, int[2]? padding=None, "
                    "float eps=1e-05, float? momentum=0.1, bool bias=True, str reduction='mean', Tensor? weight=None, "
                    "float[2] betas=[0.9, 0.999]) -> ()");
    Schema schema = Schema::parse(text);
    ASSERT_EQ(schema.arguments.size(), 11u);
    EXPECT_FALSE(schema.arguments[2].has_default);
    EXPECT_EQ(schema.arguments[5].default_value.u.f, 1e-5);
    EXPECT_EQ(unbox<std::vector<double>>(schema.arguments[10].default_value), (std::vector<double>{0.9, 0.999}));
}

TEST(Options, ComeFromValues) {
    Schema schema = Schema::parse(constructor_schema<Options>("Thing"));
    const int64_t kernel[2] = {3, 4};
    std::vector<Value> args{box(8), {WICK_TAG_INTS, 2, {.ints = kernel}}, box(2), box(1), box(1)};
    std::vector<Value> bound(schema.arguments.size());
    BindScratch scratch;
    bind_arguments("Thing", schema.arguments, args, bound.data(), scratch);
    auto o = options_from_values<Options>(bound.data());
    EXPECT_EQ(o.channels.get(), 8);
    EXPECT_EQ(o.kernel.get().v[1], 4);
    EXPECT_EQ(o.stride.v[1], 2);
    EXPECT_EQ(o.padding->v[0], 1);
    EXPECT_EQ(o.eps, 1);
    EXPECT_EQ(*o.momentum, 0.1);
    EXPECT_TRUE(o.bias);
    EXPECT_EQ(o.reduction, "mean");
    EXPECT_FALSE(o.weight.defined());
    EXPECT_EQ(o.betas[1], 0.999);
}

TEST(Options, ShowWhatIsNotDefault) {
    EXPECT_EQ(describe_options(Options{.channels = 3, .kernel = {1, 2}}), "channels=3, kernel=[1, 2]");
    EXPECT_EQ(describe_options(Options{.channels = 3, .kernel = 2, .padding = 1, .momentum = {}, .bias = false}),
              "channels=3, kernel=2, padding=1, momentum=None, bias=False");
}

TEST(Options, AreRequiredWhereSaid) {
    Options o;
    EXPECT_EQ(error_of([&] { check_required("Thing", o); }), "ArgumentError: Thing: got no channels, want int");
    o.channels = 2;
    EXPECT_EQ(error_of([&] { check_required("Thing", o); }), "ArgumentError: Thing: got no kernel, want int[2]");
    EXPECT_EQ(check_required("Thing", Options{.channels = 2, .kernel = 1}).channels.get(), 2);
}

TEST(Options, WriteLiterals) {
    EXPECT_EQ(literal(1.0), "1.0");
    EXPECT_EQ(literal(-0.25), "-0.25");
    EXPECT_EQ(literal(1e-8), "1e-08");
    EXPECT_EQ(literal(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(literal(Pair(2, 2)), "2");
    EXPECT_EQ(literal(std::vector<int64_t>{}), "[]");
    EXPECT_EQ(literal(true), "True");
}
