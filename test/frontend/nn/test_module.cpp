// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <sstream>

using namespace wick;
using namespace wick::test;

namespace {

struct Block : nn::Module {
    nn::Linear fc{{.in_features = 2, .out_features = 2, .bias = false}};
    nn::Buffer count{zeros({}, kINT64)};
    WICK_FIELDS(fc, count)
    Tensor forward(const Tensor &x) override { return tanh(fc(x)); }
};

struct Net : nn::Module {
    nn::Parameter scale{ones({2})};
    nn::Parameter absent;
    Block block;
    std::vector<Ref<nn::Module>> layers{make<nn::ReLU>(), make<nn::Linear>(nn::LinearOptions{2, 3})};
    Ref<nn::Dropout> drop = make<nn::Dropout>(nn::DropoutOptions{0.25});
    Ref<nn::Module> nothing;
    WICK_FIELDS(scale, absent, block, layers, drop, nothing)
    Tensor forward(const Tensor &x) override { return (*layers[1])((*layers[0])(block(x * scale))); }
};

std::vector<std::string> names(const NamedTensors &list) {
    std::vector<std::string> out;
    for (auto &[name, tensor] : list) out.push_back(name);
    return out;
}
using Names = std::vector<std::string>;

} // namespace

TEST(Module, NamesParametersAndBuffers) {
    Net net;
    EXPECT_EQ(names(net.named_parameters()), (Names{"scale", "block.fc.weight", "layers.1.weight", "layers.1.bias"}));
    EXPECT_EQ(names(net.named_buffers()), (Names{"block.count"}));
    EXPECT_EQ(names(net.state_dict()),
              (Names{"scale", "block.fc.weight", "block.count", "layers.1.weight", "layers.1.bias"}));
    EXPECT_EQ(net.parameters().size(), 4u);
    for (const Tensor &p : net.parameters()) EXPECT_TRUE(p.requires_grad() && p.is_leaf());
    for (auto &[name, t] : net.state_dict()) EXPECT_FALSE(t.requires_grad()) << name;
}

TEST(Module, SharedParametersCountOnce) {
    struct Tied : nn::Module {
        nn::Linear a{{.in_features = 2, .out_features = 2}}, b{{.in_features = 2, .out_features = 2}};
        WICK_FIELDS(a, b)
    } m;
    m.b.weight = m.a.weight;
    EXPECT_EQ(names(m.named_parameters()), (Names{"a.weight", "a.bias", "b.bias"}));
    EXPECT_EQ(m.state_dict().size(), 4u);
    m.to(kFLOAT64);
    EXPECT_EQ(m.a.weight.impl(), m.b.weight.impl());
    EXPECT_EQ(m.b.weight.dtype(), kFLOAT64);
    EXPECT_EQ(m.parameters().size(), 3u);
}

TEST(Module, Prints) {
    Net net;
    EXPECT_EQ(net.to_string(), "Net(\n"
                               "  (block): Block(\n"
                               "    (fc): Linear(in_features=2, out_features=2, bias=False)\n"
                               "  )\n"
                               "  (layers.0): ReLU()\n"
                               "  (layers.1): Linear(in_features=2, out_features=3)\n"
                               "  (drop): Dropout(p=0.25)\n"
                               ")");
    std::ostringstream os;
    os << nn::Identity();
    EXPECT_EQ(os.str(), "Identity()");
}

TEST(Module, TrainAndEvalReachEveryModule) {
    Net net;
    EXPECT_TRUE(net.is_training());
    net.eval();
    int count = 0;
    net.apply([&](nn::Module &m) {
        EXPECT_FALSE(m.is_training()) << m.class_name();
        count++;
    });
    EXPECT_EQ(count, 6); // fc, block, two layers, drop, net
    net.train();
    EXPECT_TRUE(net.block.fc.is_training());
}

TEST(Module, LoadsWhatItSaved) {
    Net a, b;
    NamedTensors state = a.state_dict();
    state[2].second.fill_(7);
    auto result = b.load_state_dict(state);
    EXPECT_TRUE(result.missing.empty() && result.unexpected.empty());
    EXPECT_EQ(values(a.block.fc.weight), values(b.block.fc.weight));
    EXPECT_EQ(b.block.count.item<int>(), 7);
    EXPECT_NE(a.block.fc.weight.th(), b.block.fc.weight.th());
    b.scale.detach().fill_(3); // not shared
    EXPECT_EQ(values(a.scale), (std::vector<double>{1, 1}));
}

TEST(Module, LoadingCasts) {
    nn::Linear fc{{.in_features = 2, .out_features = 1}};
    fc.load_state_dict({{"weight", tensor<double>({0.5, 2}).view({1, 2})}, {"bias", tensor<int64_t>({3})}});
    expect_values(fc.weight, {0.5, 2});
    expect_values(fc.bias, {3});
    EXPECT_EQ(fc.weight.dtype(), kFLOAT32);
}

TEST(Module, LoadingListsEveryFaultAndChangesNothing) {
    nn::Linear fc{{.in_features = 2, .out_features = 1}};
    std::vector<double> before = values(fc.weight);
    NamedTensors state{{"weight", zeros({1, 2})}, {"bais", zeros({1})}};
    EXPECT_EQ(error_of([&] { fc.load_state_dict(state); }),
              "ArgumentError: Linear.load_state_dict: got no 'bias'; got unknown 'bais'");
    EXPECT_EQ(values(fc.weight), before);
    state = {{"weight", zeros({1, 2})}, {"bias", zeros({2})}};
    EXPECT_EQ(error_of([&] { fc.load_state_dict(state); }),
              "ShapeError: Linear.load_state_dict: got 'bias' of float32[2], want float32[1]");
    EXPECT_EQ(error_of([&] {
                  fc.load_state_dict({{"weight", Tensor()}}, false);
              }),
              "ShapeError: Linear.load_state_dict: got 'weight' of nothing, want float32[1, 2]");
    EXPECT_EQ(values(fc.weight), before);
    auto result = fc.load_state_dict({{"weight", zeros({1, 2})}, {"more", zeros({1})}}, false);
    EXPECT_EQ(result.missing, (Names{"bias"}));
    EXPECT_EQ(result.unexpected, (Names{"more"}));
    EXPECT_EQ(values(fc.weight), (std::vector<double>{0, 0}));
}

TEST(Module, CastsFloatingFieldsOnly) {
    Net net;
    net.to(kFLOAT64);
    EXPECT_EQ(net.scale.dtype(), kFLOAT64);
    EXPECT_TRUE(net.scale.requires_grad() && net.scale.is_leaf());
    EXPECT_EQ(net.block.count.dtype(), kINT64);
    EXPECT_EQ(net(ones({1, 2}, kFLOAT64)).dtype(), kFLOAT64);
}

TEST(Module, GradientsReachEveryParameter) {
    Net net;
    net.layers[0] = make<nn::Sigmoid>();
    sum(net(ones({4, 2}))).backward();
    for (auto &[name, p] : net.named_parameters()) ASSERT_TRUE(p.grad().defined()) << name;
    net.zero_grad(false);
    EXPECT_EQ(values(net.scale.grad()), (std::vector<double>{0, 0}));
    net.zero_grad();
    EXPECT_FALSE(net.scale.grad().defined());
}

TEST(Module, RequiresGradCanBeTurnedOff) {
    Net net;
    net.requires_grad_(false);
    EXPECT_FALSE(net(ones({1, 2})).requires_grad());
    net.requires_grad_();
    EXPECT_TRUE(net(ones({1, 2})).requires_grad());
}

TEST(Module, ChildrenOutliveTheirParentsHandle) {
    Ref<Net> net = make<Net>();
    auto children = net->named_children();
    ASSERT_EQ(children.size(), 4u);
    EXPECT_EQ(children[0].first, "block");
    Ref<nn::Module> block = children[0].second;
    NamedTensors parameters = net->named_parameters();
    children.clear();
    net = nullptr;
    EXPECT_EQ(block->parameters()[0].impl(), parameters[1].second.impl());
    EXPECT_EQ(block->class_name(), "Block");
    block->eval();
    EXPECT_FALSE(block->self().is_training());
    Ref<nn::Module> fc = block->named_children()[0].second; // a part of a part
    block = nullptr;
    EXPECT_EQ(sizes((*fc)(ones({5, 2}))), (std::vector<int64_t>{5, 2}));
    EXPECT_EQ(fc->to_string(), "Linear(in_features=2, out_features=2, bias=False)");
}

TEST(Module, WithoutForwardSaysSo) {
    struct Empty : nn::Module {
    } m;
    EXPECT_EQ(error_of([&] { m(ones({1})); }), "UnsupportedError: Empty: has no forward of one tensor");
    EXPECT_TRUE(m.parameters().empty());
    EXPECT_EQ(m.to_string(), "Empty()");
}

TEST(Module, FitsXor) {
    manual_seed(1);
    nn::Sequential net{nn::Linear{{.in_features = 2, .out_features = 8}}, nn::Tanh{},
                       nn::Linear{{.in_features = 8, .out_features = 2}}};
    nn::CrossEntropyLoss loss;
    optim::SGD sgd{net.parameters(), {.lr = 0.5, .momentum = 0.9}};
    Tensor x = make_tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), y = tensor<int64_t>({0, 1, 1, 0});
    double last = 0;
    for (int i = 0; i < 200; i++) {
        Tensor l = loss(net(x), y);
        sgd.zero_grad();
        l.backward();
        sgd.step();
        last = l.item<double>();
    }
    EXPECT_LT(last, 0.05);
    EXPECT_EQ(values(argmax(net(x), 1)), (std::vector<double>{0, 1, 1, 0}));
}
