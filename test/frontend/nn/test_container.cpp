// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn.hpp"

using namespace wick;
using namespace wick::test;

TEST(Container, SequentialTakesValuesAndReferences) {
    Ref<nn::Module> shared = make<nn::Linear>(nn::LinearOptions{2, 2});
    nn::Linear value{{.in_features = 2, .out_features = 1, .bias = false}};
    const TensorImpl *weight = value.weight.impl();
    nn::Sequential net{shared, nn::ReLU{}, std::move(value)};
    EXPECT_EQ(net.size(), 3u);
    EXPECT_EQ(net.parameters()[2].impl(), weight);
    EXPECT_EQ(net.named_parameters()[0].first, "0.weight");
    EXPECT_EQ(net.named_parameters()[2].first, "2.weight");
    EXPECT_EQ(net.parameters()[0].impl(), shared->parameters()[0].impl());
    EXPECT_EQ(sizes(net(ones({3, 2}))), (std::vector<int64_t>{3, 1}));
    EXPECT_EQ(net.to_string(), "Sequential(\n  (0): Linear(in_features=2, out_features=2)\n  (1): ReLU()\n"
                               "  (2): Linear(in_features=2, out_features=1, bias=False)\n)");
}

TEST(Container, SequentialAppliesInOrder) {
    nn::Linear twice{{.in_features = 1, .out_features = 1}}, minus{{.in_features = 1, .out_features = 1}};
    twice.load_state_dict({{"weight", make_tensor({2}, {1, 1})}, {"bias", make_tensor({0}, {1})}});
    minus.load_state_dict({{"weight", make_tensor({1}, {1, 1})}, {"bias", make_tensor({-3}, {1})}});
    nn::Sequential net{std::move(twice), std::move(minus), nn::ReLU{}};
    expect_values(net(make_tensor({1, 5}, {2, 1})), {0, 7});
    EXPECT_EQ(nn::Sequential{}(ones({2})).numel(), 2);
    net.eval();
    EXPECT_FALSE(net[1].is_training());
}

TEST(Container, MovesWithItsModules) {
    nn::Sequential inner{nn::ReLU{}, nn::Dropout{}};
    inner.eval();
    nn::Sequential outer{std::move(inner), nn::Tanh{}};
    EXPECT_EQ(outer.size(), 2u);
    EXPECT_EQ(outer[0].class_name(), "Sequential");
    EXPECT_FALSE(outer[0].is_training());
}

TEST(Container, RefusesWhatCannotBe) {
    Ref<nn::Sequential> a = make<nn::Sequential>(nn::ReLU{}), b = make<nn::Sequential>(a);
    EXPECT_EQ(error_of([&] { a->append(Ref<nn::Module>(b)); }),
              "ArgumentError: Sequential.append: got a module that holds this one, want another");
    EXPECT_EQ(error_of([&] { a->append(Ref<nn::Module>(a)); }).substr(0, 14), "ArgumentError:");
    EXPECT_EQ(error_of([&] { a->append(Ref<nn::Module>()); }), "ArgumentError: Sequential.append: got no module");
    EXPECT_EQ(error_of([&] { (*a)[1]; }), "IndexError: Sequential: got index 1, want below 1");
    nn::ModuleList list{nn::ReLU{}};
    EXPECT_EQ(error_of([&] { list(ones({1})); }), "UnsupportedError: ModuleList: has no forward of one tensor");
}
