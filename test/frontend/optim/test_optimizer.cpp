// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <sstream>

using namespace wick;
using namespace wick::test;

namespace {

Tensor leaf(Sizes sizes) { return ones(sizes).requires_grad_(); }
std::vector<std::string> names(const NamedTensors &list) {
    std::vector<std::string> out;
    for (auto &[name, tensor] : list) out.push_back(name);
    return out;
}

} // namespace

TEST(Optimizer, GroupsHaveTheirOwnOptions) {
    Tensor a = leaf({1}), b = leaf({1}), c = leaf({1});
    optim::SGD sgd({a}, {.lr = 1});
    sgd.add_param_group({b}, {.lr = 2});
    sgd.add_param_group({c});
    for (Tensor *t : {&a, &b, &c}) t->set_grad(ones({1}));
    sgd.step();
    expect_values(a, {0});
    expect_values(b, {-1});
    expect_values(c, {0});
    sgd.set_lr(0.5);
    EXPECT_EQ(sgd.lr(1), 0.5);
    sgd.set_lr(3, 2);
    EXPECT_EQ(sgd.lr(0), 0.5);
    EXPECT_EQ(sgd.lr(2), 3);
    EXPECT_EQ(sgd.to_string(), "SGD(\n  group 0: 1 parameters, lr=0.5\n  group 1: 1 parameters, lr=0.5\n"
                               "  group 2: 1 parameters, lr=3.0\n)");
}

TEST(Optimizer, OptionsByName) {
    optim::Adam adam({leaf({1})}, {.lr = 0.5});
    OwnedValue betas(adam.get("betas"));
    EXPECT_EQ(unbox<std::vector<double>>(betas), (std::vector<double>{0.9, 0.999}));
    adam.set("betas", OwnedValue(box(std::vector<double>{0.1, 0.2})));
    EXPECT_EQ(adam.groups[0].options.betas[1], 0.2);
    adam.set("amsgrad", box(true));
    EXPECT_TRUE(adam.groups[0].options.amsgrad);
    EXPECT_EQ(error_of([&] { adam.set("momentum", box(0.5)); }), "NotFoundError: Adam: got unknown 'momentum'");
    EXPECT_EQ(error_of([&] { adam.get("momentum"); }), "NotFoundError: Adam: got unknown 'momentum'");
    EXPECT_EQ(error_of([&] { adam.get("lr", 1); }), "IndexError: Adam: got group 1, want below 1");
    EXPECT_EQ(error_of([&] { adam.set_lr(-1); }), "ArgumentError: Adam: got lr -1.0, want at least 0");
    EXPECT_EQ(adam.lr(), 0.5);
}

TEST(Optimizer, RefusesWhatCannotBeTrained) {
    Tensor a = leaf({2});
    EXPECT_EQ(error_of([&] {
                  optim::SGD s({a, a});
              }),
              "ArgumentError: SGD: got parameter 1 a second time, want each once");
    EXPECT_EQ(error_of([&] { optim::SGD s({a * 2}); }),
              "ArgumentError: SGD: got parameter 0 computed by an op, want a leaf");
    EXPECT_EQ(error_of([&] { optim::SGD s({Tensor()}); }),
              "ArgumentError: SGD: got parameter 0 undefined, want a tensor");
    EXPECT_EQ(error_of([&] { optim::SGD s({ones({1}, kINT64)}); }),
              "TypeError: SGD: got parameter 0 of int64[1], want a floating dtype");
    optim::SGD sgd({a});
    EXPECT_EQ(error_of([&] { sgd.add_param_group({a}); }),
              "ArgumentError: SGD: got parameter 0 a second time, want each once");
    EXPECT_EQ(sgd.group_count(), 1u);
}

TEST(Optimizer, ZeroesGradients) {
    Tensor a = leaf({2}), b = leaf({2});
    optim::SGD sgd({a, b});
    a.set_grad(ones({2}));
    sgd.zero_grad(false);
    EXPECT_EQ(values(a.grad()), (std::vector<double>{0, 0}));
    EXPECT_FALSE(b.grad().defined());
    sgd.zero_grad();
    EXPECT_FALSE(a.grad().defined());
}

TEST(Optimizer, SavesAndLoads) {
    Tensor a = leaf({2}), b = leaf({3}), c = leaf({2}), d = leaf({3});
    optim::SGD one({a}, {.lr = 0.1, .momentum = 0.9}), two({c});
    one.add_param_group({b}, {.lr = 0.2, .momentum = 0.8, .nesterov = true});
    two.add_param_group({d});
    for (int t = 0; t < 2; t++) {
        b.set_grad(full({3}, 1.0 + t));
        one.step();
    }
    NamedTensors state = one.state_dict();
    EXPECT_EQ(names(state),
              (std::vector<std::string>{"group.0.lr", "group.0.momentum", "group.0.dampening", "group.0.weight_decay",
                                        "group.0.nesterov", "group.1.lr", "group.1.momentum", "group.1.dampening",
                                        "group.1.weight_decay", "group.1.nesterov", "state.1.momentum_buffer"}));
    two.load_state_dict(state);
    EXPECT_EQ(two.lr(0), 0.1);
    EXPECT_TRUE(two.groups[1].options.nesterov);
    EXPECT_FALSE(two.groups[0].state[0].momentum_buffer.defined());
    expect_values(two.groups[1].state[0].momentum_buffer, {2.8, 2.8, 2.8});
}

TEST(Optimizer, LoadsAllOrNothing) {
    Tensor a = leaf({2});
    optim::SGD sgd({a}, {.lr = 0.1, .momentum = 0.9});
    a.set_grad(ones({2}));
    sgd.step();
    auto fails = [&](NamedTensors state) {
        std::string text = error_of([&] { sgd.load_state_dict(state); });
        EXPECT_EQ(sgd.lr(), 0.1);
        EXPECT_TRUE(sgd.groups[0].state[0].momentum_buffer.defined());
        return text;
    };
    Tensor half(0.5), two(2);
    EXPECT_EQ(fails({{"group.0.lr", half}, {"group.0.speed", half}}),
              "NotFoundError: SGD.load_state_dict: got unknown 'speed'");
    EXPECT_EQ(fails({{"group.0.lr", half}, {"state.0.momentum_buffer", ones({3})}}),
              "ShapeError: load_state_dict: got state of float32[3] for a parameter of float32[2]");
    EXPECT_EQ(fails({{"group.0.lr", half}, {"group.1.lr", half}}),
              "ArgumentError: SGD.load_state_dict: got 'group.1.lr', want at most 1 groups and 1 states");
    EXPECT_EQ(fails({{"group.0.lr", half}, {"state.1.momentum_buffer", half}}),
              "ArgumentError: SGD.load_state_dict: got 'state.1.momentum_buffer', want at most 1 groups and 1 states");
    EXPECT_EQ(fails({{"group.0.lr", Tensor(-1.0)}}), "ArgumentError: SGD: got lr -1.0, want at least 0");
    for (const char *key : {"", "group", "group.0", "group.x.lr", "group.-1.lr", "group.0x.lr", "group..lr",
                            "group.99999999999999999999.lr"})
        EXPECT_EQ(fails({{"group.0.lr", half}, {key, half}}),
                  std::string("ArgumentError: load_state_dict: got '") + key +
                      "', want 'group.<index>.<name>' or 'state.<index>.<name>'");
    EXPECT_NE(fails({}), "");
    EXPECT_NE(fails({{"group.0.lr", Tensor()}}), "");
    EXPECT_NE(fails({{"group.0.lr", ones({2})}}), "");
}

TEST(Optimizer, StateTakesTheParametersDtype) {
    Tensor a = ones({2}, kFLOAT64).requires_grad_();
    optim::SGD sgd({a}, {.momentum = 0.9});
    sgd.load_state_dict({{"group.0.lr", Tensor(1)}, {"state.0.momentum_buffer", ones({2})}});
    EXPECT_EQ(sgd.groups[0].state[0].momentum_buffer.dtype(), kFLOAT64);
    EXPECT_EQ(sgd.lr(), 1);
    EXPECT_EQ(sgd.groups[0].options.momentum, 0.9); // not in the dict
}

TEST(Optimizer, RefusesWhatAStepCouldNotWrite) {
    EXPECT_EQ(error_of([&] { optim::SGD s({ones({1}).expand({3})}); }),
              "ArgumentError: SGD: got parameter 0 whose elements share memory, want each on its own");
}
