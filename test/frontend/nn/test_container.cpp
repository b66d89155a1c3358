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

TEST(Container, NestedDeep) {
    constexpr int DEPTH = 100'000;
    auto linear = make<nn::Linear>(nn::LinearOptions{.in_features = 1, .out_features = 1, .bias = false});
    Ref<nn::Module> constructed = linear, appended = linear;
    for (int i = 0; i < DEPTH; i++) {
        constructed = make<nn::Sequential>(constructed);
        auto outer = make<nn::Sequential>();
        outer->append(appended);
        appended = outer;
    }
    for (const Ref<nn::Module> &net : {constructed, appended}) {
        EXPECT_EQ(net->parameters().size(), 1u);
        EXPECT_EQ(net->named_parameters()[0].first.size(), 2u * DEPTH + 6);
        EXPECT_EQ(net->state_dict().size(), 1u);
        NamedTensors state = net->state_dict();
        state[0].second = state[0].second.clone();
        net->load_state_dict(state);
        net->eval();
        EXPECT_FALSE(linear->is_training());
        net->train();
        net->zero_grad();
        net->requires_grad_();
        net->to(kFLOAT64);
        EXPECT_EQ(linear->weight.dtype(), kFLOAT64);
        EXPECT_EQ((*net)(ones({1, 1}, kFLOAT64)).numel(), 1);
        std::string text = net->to_string();
        EXPECT_LT(text.size(), 20'000u);
        EXPECT_NE(text.find("..."), std::string::npos);
        size_t count = 0;
        net->apply([&](nn::Module &) { count++; });
        EXPECT_EQ(count, size_t{DEPTH} + 1);
    }
    Ref<nn::Sequential> inner = make<nn::Sequential>();
    Ref<nn::Module> outer = inner;
    for (int i = 0; i < 100; i++) outer = make<nn::Sequential>(outer);
    EXPECT_EQ(error_of([&] { inner->append(outer); }).substr(0, 14), "ArgumentError:");
}

// Two of the same, thirty levels deep: 2^30 ways to the innermost.
TEST(Container, SharedModulesAreVisitedOnce) {
    Ref<nn::Module> net = make<nn::Linear>(nn::LinearOptions{.in_features = 1, .out_features = 1});
    for (int i = 0; i < 30; i++) net = make<nn::Sequential>(net, net);
    EXPECT_EQ(net->parameters().size(), 2u);
    EXPECT_EQ(net->named_parameters().size(), 2u);
    int count = 0;
    net->apply([&](nn::Module &) { count++; });
    EXPECT_EQ(count, 31);
    net->eval();
    net->to(kFLOAT64);
    EXPECT_LT(net->to_string().size(), 2'000'000u);
    EXPECT_EQ(error_of([&] { net->state_dict(); }),
              "ArgumentError: Sequential: got modules nested or shared so that there are more than 1048576 names, want "
              "fewer");
    nn::Sequential twice(net->named_children()[0].second, nn::ReLU());
    Ref<nn::Module> relu = make<nn::ReLU>();
    EXPECT_EQ(nn::Sequential(relu, relu).to_string(), "Sequential(\n  (0): ReLU()\n  (1): ReLU()\n)");
    Ref<nn::Module> shared = make<nn::Linear>(nn::LinearOptions{.in_features = 1, .out_features = 1, .bias = false});
    EXPECT_EQ(nn::Sequential(shared, shared).state_dict().size(), 2u); // under both names
}

// A list that is a member, or behind a reference, of what is to be appended.
TEST(Container, FindsItselfInsideOtherModules) {
    struct Holder : nn::Module {
        nn::Sequential member;
        Ref<nn::Sequential> other = make<nn::Sequential>();
        WICK_FIELDS(member, other)
    };
    auto holder = make<Holder>();
    auto list = make<nn::Sequential>(holder);
    for (Ref<nn::Module> m : {Ref<nn::Module>(holder), Ref<nn::Module>(list)}) {
        EXPECT_NE(error_of([&] { holder->member.append(m); }), "");
        EXPECT_NE(error_of([&] { holder->other->append(m); }), "");
    }
}
