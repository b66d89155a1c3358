// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/optim/sgd.hpp"

using namespace wick;
using namespace wick::test;

namespace {

/// The gradient that both sides use at step t.
double gradient(int t, size_t i) { return std::sin(1.7 * t + static_cast<double>(i)) + 0.3; }

/// The documented formulas of torch.optim.SGD, in double.
std::vector<double> reference(std::vector<double> p, const optim::SGDOptions &o, int steps) {
    for (size_t i = 0; i < p.size(); i++) {
        double b = 0;
        for (int t = 1; t <= steps; t++) {
            double g = gradient(t, i) + o.weight_decay * p[i];
            if (o.momentum != 0) {
                b = t == 1 ? g : o.momentum * b + (1 - o.dampening) * g;
                g = o.nesterov ? g + o.momentum * b : b;
            }
            p[i] -= o.lr * g;
        }
    }
    return p;
}

void set_gradient(Tensor &p, int t) {
    std::vector<double> g;
    for (int64_t i = 0; i < p.numel(); i++) g.push_back(gradient(t, static_cast<size_t>(i)));
    p.set_grad(tensor(g).to(p.dtype()));
}

void follow(const optim::SGDOptions &o) {
    Tensor p = tensor<double>({1, -2, 0.5}).requires_grad_();
    optim::SGD sgd({p}, o);
    for (int t = 1; t <= 8; t++) {
        set_gradient(p, t);
        sgd.step();
    }
    expect_values(p, reference({1, -2, 0.5}, o, 8), 1e-12);
}

} // namespace

TEST(SGD, FollowsTheFormulas) {
    follow({.lr = 0.1});
    follow({.lr = 0.1, .weight_decay = 0.3});
    follow({.lr = 0.1, .momentum = 0.9});
    follow({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.3});
    follow({.lr = 0.1, .momentum = 0.9, .dampening = 0.4});
    follow({.lr = 0.1, .momentum = 0.9, .dampening = 0.4, .weight_decay = 0.3});
    follow({.lr = 0.1, .momentum = 0.9, .nesterov = true});
    follow({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.3, .nesterov = true});
}

TEST(SGD, LeavesParametersWithoutGradient) {
    Tensor a = ones({2}).requires_grad_(), b = ones({2}).requires_grad_();
    optim::SGD sgd({a, b}, {.lr = 1, .momentum = 0.5, .weight_decay = 0.1});
    a.set_grad(ones({2}));
    sgd.step();
    expect_values(a, {-0.1, -0.1});
    expect_values(b, {1, 1});
    EXPECT_FALSE(sgd.groups[0].state[1].momentum_buffer.defined());
    EXPECT_TRUE(a.is_leaf() && a.requires_grad());
}

TEST(SGD, LeavesGradientsAsTheyAre) {
    Tensor p = ones({2}).requires_grad_();
    optim::SGD sgd({p}, {.lr = 1, .momentum = 0.5, .weight_decay = 0.1});
    p.set_grad(ones({2}));
    sgd.step();
    sgd.step();
    expect_values(p.grad(), {1, 1});
}

TEST(SGD, WorksOnHalves) {
    Tensor p = ones({2}, kBFLOAT16).requires_grad_();
    optim::SGD sgd({p}, {.lr = 0.5, .momentum = 0.5});
    p.set_grad(ones({2}, kBFLOAT16));
    sgd.step();
    sgd.step();
    expect_values(p, {1 - 0.5 - 0.75, -0.25});
    EXPECT_EQ(sgd.groups[0].state[0].momentum_buffer.dtype(), kFLOAT32);
}

TEST(SGD, RefusesBadOptions) {
    std::vector<Tensor> p{ones({1}).requires_grad_()};
    EXPECT_EQ(error_of([&] { optim::SGD s(p, {.lr = -1}); }), "ArgumentError: SGD: got lr -1.0, want at least 0");
    EXPECT_EQ(error_of([&] { optim::SGD s(p, {.momentum = std::nan("")}); }),
              "ArgumentError: SGD: got momentum nan, want at least 0");
    EXPECT_EQ(error_of([&] { optim::SGD s(p, {.nesterov = true}); }),
              "ArgumentError: SGD: got nesterov with momentum 0.0 and dampening 0.0, want a momentum and no dampening");
    EXPECT_EQ(error_of([&] { optim::SGD s({}); }), "ArgumentError: SGD: got no parameters, want at least one");
}

/// The momentum, and the update, are those of float32, rounded at each step.
TEST(SGD, HalvesHaveMomentumInFloat32) {
    for (DType half : {kFLOAT16, kBFLOAT16}) {
        Tensor p = zeros({1}, half).requires_grad_(), q = zeros({1}).requires_grad_();
        optim::SGDOptions o{.lr = 0.125, .momentum = 1, .weight_decay = 0.5};
        optim::SGD narrow({p}, o), wide({q}, o);
        for (int t = 0; t < 5; t++) {
            p.set_grad(full({1}, t ? 0x1p-12 : 1, half));
            q.set_grad(p.grad().detach().to(kFLOAT32));
            {
                NoGrad guard;
                q.copy_(p.detach());
            }
            narrow.step(), wide.step();
            EXPECT_EQ(values(p), values(q.detach().to(half)));
        }
        for (auto &[name, state] : narrow.state_dict())
            if (name.find("momentum_buffer") != std::string::npos) {
                EXPECT_EQ(state.dtype(), kFLOAT32) << name;
            }
    }
}
