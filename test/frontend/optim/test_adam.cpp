// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/optim/adam.hpp"

using namespace wick;
using namespace wick::test;

namespace {

/// Falls, so that amsgrad's maximum differs from the running mean.
double gradient(int t, size_t i) { return (std::sin(1.7 * t + static_cast<double>(i)) + 0.3) / t; }

/// Kingma and Ba's algorithm 1 with bias correction, in double; decoupled as in Loshchilov and Hutter's algorithm 2.
template <class O> std::vector<double> reference(std::vector<double> p, const O &o, int steps, bool decoupled) {
    for (size_t i = 0; i < p.size(); i++) {
        double m = 0, v = 0, largest = 0;
        for (int t = 1; t <= steps; t++) {
            double g = gradient(t, i);
            if (decoupled)
                p[i] -= o.lr * o.weight_decay * p[i];
            else
                g += o.weight_decay * p[i];
            m = o.betas[0] * m + (1 - o.betas[0]) * g;
            v = o.betas[1] * v + (1 - o.betas[1]) * g * g;
            largest = std::max(largest, v);
            double m_hat = m / (1 - std::pow(o.betas[0], t));
            double v_hat = (o.amsgrad ? largest : v) / (1 - std::pow(o.betas[1], t));
            p[i] -= o.lr * m_hat / (std::sqrt(v_hat) + o.eps);
        }
    }
    return p;
}

template <class Optimizer, class O> void follow(const O &o, bool decoupled) {
    Tensor p = tensor<double>({1, -2, 0.5}).requires_grad_();
    Optimizer optimizer({p}, o);
    for (int t = 1; t <= 12; t++) {
        p.set_grad(tensor<double>({gradient(t, 0), gradient(t, 1), gradient(t, 2)}));
        optimizer.step();
    }
    expect_values(p, reference(std::vector<double>{1, -2, 0.5}, o, 12, decoupled), 1e-12);
}

} // namespace

TEST(Adam, FollowsTheFormulas) {
    using O = optim::AdamOptions;
    follow<optim::Adam>(O{}, false);
    follow<optim::Adam>(O{.lr = 0.1, .betas = {0.5, 0.6}, .eps = 0.1}, false);
    follow<optim::Adam>(O{.lr = 0.1, .weight_decay = 0.3}, false);
    follow<optim::Adam>(O{.lr = 0.1, .betas = {0.9, 0.5}, .amsgrad = true}, false);
}

TEST(Adam, WDecaysApart) {
    using O = optim::AdamWOptions;
    EXPECT_EQ(O{}.weight_decay, 1e-2);
    follow<optim::AdamW>(O{.lr = 0.1}, true);
    follow<optim::AdamW>(O{.lr = 0.1, .betas = {0.9, 0.5}, .weight_decay = 0.5, .amsgrad = true}, true);
}

TEST(Adam, FirstStepIsTheLearningRate) {
    Tensor p = zeros({3}).requires_grad_();
    optim::Adam adam({p}, {.lr = 0.25});
    p.set_grad(make_tensor({1e-3F, -5, 1e4F}, {3}));
    adam.step();
    expect_values(p, {-0.25, 0.25, -0.25}, 1e-4);
}

TEST(Adam, KeepsItsState) {
    Tensor p = ones({2}).requires_grad_(), q = ones({2}).requires_grad_();
    optim::Adam a({p}, {.amsgrad = true}), b({q}, {.lr = 7});
    for (Tensor *t : {&p, &q}) t->set_grad(make_tensor({1, 2}, {2}));
    a.step();
    a.step();
    b.load_state_dict(a.state_dict());
    q.detach().copy_(p.detach());
    a.step();
    b.step();
    EXPECT_EQ(values(p), values(q));
    EXPECT_EQ(b.groups[0].state[0].step, 3);
    EXPECT_EQ(b.lr(), 1e-3);
    EXPECT_TRUE(b.groups[0].options.amsgrad);
    EXPECT_NE(a.groups[0].state[0].exp_avg.th(), b.groups[0].state[0].exp_avg.th());
}

TEST(Adam, RefusesBadOptions) {
    std::vector<Tensor> p{ones({1}).requires_grad_()};
    EXPECT_EQ(error_of([&] {
                  optim::Adam a(p, {.betas = {0.9, 1}});
              }),
              "ArgumentError: Adam: got betas [0.9, 1.0], want 0 to below 1");
    EXPECT_EQ(error_of([&] { optim::AdamW a(p, {.eps = -1}); }), "ArgumentError: AdamW: got eps -1.0, want at least 0");
}

// Half parameters keep their state in float32 and are rounded once a step.
TEST(Adam, StateOfHalvesIsFloat32) {
    for (DType dtype : {kFLOAT16, kBFLOAT16}) {
        Tensor p = ones({4}, dtype).requires_grad_();
        optim::Adam adam({p}, {.amsgrad = true});
        p.set_grad(tensor<double>({0, 1e-4, -3, 1}).to(dtype));
        adam.step();
        EXPECT_EQ(values(p), (values(tensor<double>({1, 0.999, 1.001, 0.999}).to(dtype))));
        const optim::AdamState &state = adam.groups[0].state[0];
        for (const Tensor *t : {&state.exp_avg, &state.exp_avg_sq, &state.max_exp_avg_sq})
            EXPECT_EQ(t->dtype(), kFLOAT32);
        expect_values(state.exp_avg_sq, {0, 1e-11, 9e-3, 1e-3}, 1e-9);
        optim::Adam other({p}, {.amsgrad = true});
        other.load_state_dict(adam.state_dict());
        EXPECT_EQ(other.groups[0].state[0].exp_avg_sq.dtype(), kFLOAT32);
        EXPECT_EQ(values(other.groups[0].state[0].exp_avg_sq), values(state.exp_avg_sq));
    }
}

namespace {
/// A half parameter follows the float32 one, rounded at each step.
template <class Optimizer, class O> void follow_halves(DType half, const O &o) {
    for (double g : {0.0, 1e-4, 1e-7, 300.0}) {
        Tensor p = full({2}, 1, half).requires_grad_(), q = full({2}, 1, kFLOAT32).requires_grad_();
        Optimizer narrow({p}, o), wide({q}, o);
        for (int t = 0; t < 5; t++) {
            p.set_grad(full({2}, g, half));
            q.set_grad(p.grad().detach().to(kFLOAT32));
            {
                NoGrad guard;
                q.copy_(p.detach());
            }
            narrow.step(), wide.step();
            EXPECT_EQ(values(p), values(q.detach().to(half))) << "gradient " << g << ", step " << t;
        }
        for (auto &[name, state] : narrow.state_dict())
            if (name.find("exp_avg") != std::string::npos) {
                EXPECT_EQ(state.dtype(), kFLOAT32) << name;
            }
        Optimizer again({p}, o);
        again.load_state_dict(narrow.state_dict());
        for (auto &[name, state] : again.state_dict())
            if (name.find("exp_avg") != std::string::npos) {
                EXPECT_EQ(state.dtype(), kFLOAT32) << name;
            }
    }
}
} // namespace

TEST(Adam, HalvesHaveStateInFloat32) {
    for (DType half : {kFLOAT16, kBFLOAT16}) {
        follow_halves<optim::Adam>(half, optim::AdamOptions{.lr = 0.01, .weight_decay = 0.1, .amsgrad = true});
        follow_halves<optim::Adam>(half, optim::AdamOptions{});
        follow_halves<optim::AdamW>(half, optim::AdamWOptions{});
    }
    Tensor p = full({1}, 1, kFLOAT16).requires_grad_();
    optim::Adam adam({p});
    p.set_grad(zeros({1}, kFLOAT16));
    adam.step();
    EXPECT_EQ(values(p), (std::vector<double>{1}));
}
