// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace wick;

namespace {
Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad_(); }
std::vector<double> list(const Tensor &t) {
    Tensor c = t.detach().to(kFLOAT64).contiguous();
    return {c.data<double>(), c.data<double>() + c.numel()};
}
using Doubles = std::vector<double>;
} // namespace

TEST(Engine, ChainRule) {
    Tensor x = leaf({1, 2, 3});
    Tensor y = (x * x + 3 * x).sum();
    y.backward();
    EXPECT_EQ(list(x.grad()), (Doubles{5, 7, 9})); // 2x + 3
}

TEST(Engine, GradientsAddUpInLeaves) {
    Tensor x = leaf({2});
    for (int i = 0; i < 3; i++) (x * 4).sum().backward();
    EXPECT_EQ(list(x.grad()), (Doubles{12}));
}

TEST(Engine, LeafUsedManyTimes) {
    Tensor x = leaf({2, 5});
    Tensor y = x + x + x * x;
    y.backward(tensor<double>({1.0, 10.0}));
    EXPECT_EQ(list(x.grad()), (Doubles{6, 120}));
}

TEST(Engine, DiamondWaitsForAllGradients) {
    Tensor x = leaf({3});
    Tensor a = x * 2;
    Tensor y = a * a + a; // dy/da = 2a + 1 = 13
    y.backward();
    EXPECT_EQ(list(x.grad()), (Doubles{26}));
}

TEST(Engine, BroadcastGradientsAreSummed) {
    Tensor a = ones({2, 3}, kFLOAT64).requires_grad_(), b = leaf({1, 2, 3}),
           c = Tensor(2.0).to(kFLOAT64).requires_grad_();
    sum(a * b * c).backward();
    EXPECT_EQ(list(a.grad()), (Doubles{2, 4, 6, 2, 4, 6}));
    EXPECT_EQ(list(b.grad()), (Doubles{4, 4, 4}));
    EXPECT_EQ(list(c.grad()), (Doubles{12}));
    EXPECT_EQ(c.grad().dim(), 0);
}

TEST(Engine, AddsToNoExpandedGradient) {
    Tensor x = leaf({1, 2});
    Tensor b = 3 * x;
    (b + relu(b)).sum().backward();
    EXPECT_EQ(list(x.grad()), (Doubles{6, 6}));
    x.set_grad({});
    b = 3 * x;
    (b.sum() + (b * b).sum()).backward();
    EXPECT_EQ(list(x.grad()), (Doubles{21, 39})); // 3 + 18 x
    x.set_grad({});
    b = 3 * x;
    Tensor y = sum(square(b - b.mean())), inputs[] = {b, x};
    std::vector<Tensor> g = grad({&y, 1}, inputs); // b = [3, 6]: 2 (b - mean b), times 3
    EXPECT_EQ(list(g[0]), (Doubles{-3, 3}));
    EXPECT_EQ(list(g[1]), (Doubles{-9, 9}));
    Tensor z = b.sum() + relu(b).sum();
    EXPECT_EQ(list(grad({&z, 1}, {&b, 1})[0]), (Doubles{2, 2}));
}

TEST(Engine, AddsToAResidualBeforeAMeanOverDims) {
    Tensor x = ones({2, 3, 4, 4}, kFLOAT64).requires_grad_();
    Tensor h = x * 2;
    (h + relu(h)).mean({2, 3}).sum().backward();
    for (double v : list(x.grad())) EXPECT_EQ(v, 4 / 16.0);
}

TEST(Engine, AddsToNoGradientThatOthersSee) {
    Tensor x = leaf({1, 2}), seed = tensor<double>({1.0, 1.0}), kept;
    Tensor b = x * 1;
    b.register_hook([&](const Tensor &g) {
        kept = g;
        return Tensor();
    });
    (b + x).backward(seed);
    EXPECT_EQ(list(seed), (Doubles{1, 1}));
    EXPECT_EQ(list(kept), (Doubles{1, 1}));
    EXPECT_EQ(list(x.grad()), (Doubles{2, 2}));
    x.backward(seed);
    EXPECT_EQ(list(x.grad()), (Doubles{3, 3}));
    EXPECT_EQ(list(seed), (Doubles{1, 1}));
    Tensor z = leaf({1, 2});
    z.backward(seed);
    z.backward(seed);
    EXPECT_EQ(list(seed), (Doubles{1, 1})); // z.grad is its own
}

TEST(Engine, AddsToAGradientThatCannotBeWrittenInPlace) {
    Tensor x = leaf({1, 2});
    x.set_grad(ones({1}, kFLOAT64).expand({2}));
    (x * 3).sum().backward();
    EXPECT_EQ(list(x.grad()), (Doubles{4, 4}));
}

TEST(Engine, LeavesTakeGradientsWithoutACopy) {
    Tensor x = ones({1000}).requires_grad_(), made, y = x * 1;
    y = record("mine", y.detach(), wrt(x, [&](const Tensor &g) {
                   Tensor gx = g * 2;
                   made = from_blob(gx.data<float>(), {1}, kFLOAT32); // where it lies
                   return gx;
               }));
    y.backward(ones({1000}));
    EXPECT_EQ(x.grad().data<float>(), made.data<float>());
    Tensor z = ones({10, 10}).requires_grad_(); // a view of what nobody else holds
    record("mine", ones({100}),
           wrt(z,
               [&](const Tensor &g) {
                   Tensor gz = g * 2;
                   made = from_blob(gz.data<float>(), {1}, kFLOAT32);
                   return reshape(gz, {10, 10});
               }))
        .backward(ones({100}));
    EXPECT_EQ(z.grad().data<float>(), made.data<float>());
    EXPECT_NO_THROW(z.grad().mul_(ones({10, 10}).requires_grad_())); // and no view that was made without recording
}

TEST(Engine, LeavesKeepNoLargerMemoryAlive) {
    Tensor x = ones({2}).requires_grad_();
    record("mine", ones({2}), wrt(x, [&](const Tensor &) { return ones({100000}).narrow(0, 5, 2); }))
        .backward(ones({2}));
    EXPECT_EQ(THStorage_nbytes(THTensor_storage(x.grad().th())), 8);
}

TEST(Engine, GradientHasTheInputsDtype) {
    Tensor a = ones({3}, kFLOAT32).requires_grad_(), b = ones({3}, kFLOAT64).requires_grad_();
    Tensor y = a * b;
    EXPECT_EQ(y.dtype(), kFLOAT64);
    sum(y).backward();
    EXPECT_EQ(a.grad().dtype(), kFLOAT32);
    EXPECT_EQ(b.grad().dtype(), kFLOAT64);
}

TEST(Engine, GradOfAGradientOfAGradient) {
    Tensor x = leaf({2});
    Tensor y = x * x * x * x, roots[] = {y}, inputs[] = {x};
    Tensor d1 = grad(roots, inputs, {}, {.create_graph = true})[0];
    Tensor d2 = grad({&d1, 1}, inputs, {}, {.create_graph = true})[0];
    Tensor d3 = grad({&d2, 1}, inputs)[0];
    EXPECT_EQ(d1.item<double>(), 32);
    EXPECT_EQ(d2.item<double>(), 48);
    EXPECT_EQ(d3.item<double>(), 48);
    EXPECT_FALSE(x.grad().defined());
}

TEST(Engine, GradForANonLeafAndUnusedInputs) {
    Tensor x = leaf({3}), z = leaf({1});
    Tensor a = x * 2;
    Tensor y = a * a, inputs[] = {a, x}, with_unused[] = {z};
    std::vector<Tensor> g = grad({&y, 1}, inputs, {}, {.retain_graph = true});
    EXPECT_EQ(g[0].item<double>(), 12);
    EXPECT_EQ(g[1].item<double>(), 24);
    EXPECT_FALSE(grad({&y, 1}, with_unused, {}, {.retain_graph = true}, true)[0].defined());
    EXPECT_WICK_ERROR(grad({&y, 1}, with_unused), TH_E_AUTOGRAD, "no root depends on");
}

TEST(Engine, SecondBackwardNeedsRetainGraph) {
    Tensor x = leaf({3});
    Tensor y = x * x;
    y.backward({}, {.retain_graph = true});
    y.backward();
    EXPECT_EQ(list(x.grad()), (Doubles{12}));
    EXPECT_WICK_ERROR(y.backward(), TH_E_AUTOGRAD, "retain_graph");
}

TEST(Engine, SavedTensorsAreFreedAsBackwardGoes) {
    Tensor x = ones({1000}).requires_grad_();
    Tensor y = x;
    for (int i = 0; i < 50; i++) y = exp(y * 0.5);
    THMemoryStats before{sizeof(THMemoryStats), 0, 0, 0, 0, 0, 0}, inside = before;
    check(TH_memory_stats(&before));
    // A hook on the second oldest node looks when all newer ones have run.
    Tensor seen = y.sum();
    Tensor first = x * 2;
    first.register_hook([&](const Tensor &) {
        check(TH_memory_stats(&inside));
        return Tensor();
    });
    Tensor z = first;
    for (int i = 0; i < 50; i++) z = exp(z * 0.5);
    THMemoryStats built{sizeof(THMemoryStats), 0, 0, 0, 0, 0, 0};
    check(TH_memory_stats(&built));
    z.sum().backward();
    EXPECT_GT(built.allocated - before.allocated, 50 * 4000);
    EXPECT_LT(inside.allocated, built.allocated - 40 * 4000);
}

TEST(Engine, AMillionNodesNeitherRecurseInBackwardNorWhenFreed) {
    Tensor x = leaf({1});
    {
        Tensor y = x;
        for (int i = 0; i < 1000000; i++) y = y + 1.0;
        y.sum().backward();
        EXPECT_EQ(list(x.grad()), (Doubles{1}));
    }
    {
        Tensor y = x;
        for (int i = 0; i < 1000000; i++) y = y * 1.0; // saves its inputs: chains through saved tensors
    }
    SUCCEED();
}

TEST(Engine, Hooks) {
    Tensor x = leaf({1});
    Tensor a = x * 3;
    int calls = 0;
    uint64_t id = a.register_hook([&](const Tensor &g) {
        calls++;
        return g * 10;
    });
    x.register_hook([&](const Tensor &g) {
        calls += 10;
        return g + 1;
    });
    Tensor y = a * 2;
    y.backward({}, {.retain_graph = true});
    EXPECT_EQ(calls, 11);
    EXPECT_EQ(list(x.grad()), (Doubles{61})); // 2 * 10 * 3 + 1
    a.remove_hook(id);
    x.set_grad({});
    y.backward();
    EXPECT_EQ(calls, 21);
    EXPECT_EQ(list(x.grad()), (Doubles{7}));
    Tensor b = x * 1;
    b.register_hook([](const Tensor &) { return zeros({5}, kFLOAT64); });
    EXPECT_WICK_ERROR(b.backward(), TH_E_SHAPE, "hook returned float64[5]");
}

TEST(Engine, HooksOfALeafSeeTheWholeGradient) {
    Tensor z = leaf({0, 0}), seen;
    int calls = 0;
    z.register_hook([&](const Tensor &g) {
        calls++;
        seen = g;
        return clamp(g, -3, 3);
    });
    sum(z * 2 + z * 2).backward();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(list(seen), (Doubles{4, 4}));
    EXPECT_EQ(list(z.grad()), (Doubles{3, 3}));
    sum(z * 2 + z * 2).backward(); // before accumulation, not after
    EXPECT_EQ(list(seen), (Doubles{4, 4}));
    EXPECT_EQ(list(z.grad()), (Doubles{6, 6}));
    Tensor y = sum(z * 2 + z * 2);
    EXPECT_EQ(list(grad({&y, 1}, {&z, 1})[0]), (Doubles{3, 3}));
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(list(z.grad()), (Doubles{6, 6}));
}

TEST(Engine, HooksMayChangeTheListOfHooks) {
    Tensor x = leaf({1});
    uint64_t id = 0;
    int calls = 0;
    id = x.register_hook([&, big = std::array<double, 8>{1}](const Tensor &g) {
        x.remove_hook(id);
        for (int i = 0; i < 20; i++) x.register_hook([&](const Tensor &) { return calls++, Tensor(); });
        return g * big[0];
    });
    (x * 2).backward();
    EXPECT_EQ(calls, 0);
    (x * 2).backward();
    EXPECT_EQ(calls, 20);
    EXPECT_EQ(list(x.grad()), (Doubles{4}));
}

TEST(Engine, FrozenLeavesTakeNothing) {
    Tensor x = leaf({1}), y = leaf({2});
    Tensor z = x * y;
    x.requires_grad_(false);
    z.backward({}, {.retain_graph = true});
    EXPECT_FALSE(x.grad().defined());
    EXPECT_FALSE((x * 2).requires_grad());
    x.requires_grad_();
    z.backward();
    EXPECT_EQ(list(x.grad()), (Doubles{2}));
    EXPECT_EQ(list(y.grad()), (Doubles{2}));
    Tensor w = x * 3;
    x = Tensor(); // gone before its gradient comes
    w.backward();
}

TEST(Engine, RetainedGradientsAddUp) {
    Tensor x = leaf({1, 2});
    Tensor a = x * 1, y = sum(a * 2);
    a.retain_grad();
    y.backward({}, {.retain_graph = true});
    y.backward();
    EXPECT_EQ(list(a.grad()), (Doubles{4, 4}));
}

TEST(Engine, RetainGradSurvivesAndForgetsDeadTensors) {
    Tensor x = leaf({2});
    Tensor a = x * x;
    a.retain_grad();
    Tensor y = a * 5;
    {
        Tensor dying = y;
        Tensor other = y * 1;
        other.retain_grad();
        other.backward({}, {.retain_graph = true});
    }
    EXPECT_EQ(list(a.grad()), (Doubles{5}));
}

TEST(Engine, ErrorsCarryTheForwardOpsName) {
    Tensor x = leaf({1});
    Tensor a = exp(x);
    a.register_hook([](const Tensor &) -> Tensor { throw Error(TH_E_CALLBACK, "mine"); });
    Tensor y = a * 2;
    try {
        y.backward({}, {.retain_graph = true});
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.status(), TH_E_CALLBACK);
        ASSERT_EQ(e.frames().size(), 1u);
        EXPECT_EQ(e.frames()[0].what, "exp");
    }
    Tensor b = exp(x);
    (b * 3).backward(); // the failed run left nothing behind
    EXPECT_NEAR(x.grad().item<double>(), 3 * std::exp(1.0), 1e-12);
}

TEST(Engine, BadRootsAndSeeds) {
    Tensor x = leaf({1, 2}), c = ones({2}, kFLOAT64);
    EXPECT_WICK_ERROR((x * 1).backward(), TH_E_SHAPE, "without a seed");
    EXPECT_WICK_ERROR((x * 1).backward(ones({3}, kFLOAT64)), TH_E_SHAPE, "float64[3]");
    EXPECT_WICK_ERROR(c.backward(), TH_E_AUTOGRAD, "requires no gradient");
    EXPECT_WICK_ERROR(Tensor().backward(), TH_E_AUTOGRAD, "undefined");
    EXPECT_WICK_ERROR(ones({2}, kINT64).requires_grad_(), TH_E_TYPE, "floating");
}

TEST(Engine, NoGradRecordsNothing) {
    Tensor x = leaf({1});
    {
        NoGrad guard;
        EXPECT_FALSE((x * 2).requires_grad());
        {
            GradMode on(true);
            EXPECT_TRUE((x * 2).requires_grad());
        }
    }
    EXPECT_TRUE((x * 2).requires_grad());
    EXPECT_FALSE((x.detach() * 2).requires_grad());
}

TEST(Engine, ThreadsHaveTheirOwnModeAndMayShareLeaves) {
    Tensor x = leaf({1});
    NoGrad guard;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < 250; i++) (x * 2).backward();
        });
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(x.grad().item<double>(), 2000);
}
