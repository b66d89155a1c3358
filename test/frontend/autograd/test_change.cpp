// SPDX-License-Identifier: BSD-3-Clause
// In-place changes, through views too: histories, old values, refusals.
#include "support/errors.hpp"
#include "support/leaks.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include "wick/value.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace wick;

namespace {
using Doubles = std::vector<double>;
Doubles list(const Tensor &t) {
    Tensor c = t.detach().to(kFLOAT64).contiguous();
    return {c.data<double>(), c.data<double>() + c.numel()};
}
} // namespace

TEST(InPlace, HistoryFollows) {
    Tensor x = tensor<double>({2.0, 3.0}).requires_grad_();
    Tensor y = x * 1;
    y.mul_(5).add_(x).sub_(1).div_(2); // (5x + x - 1) / 2
    sum(y).backward();
    EXPECT_EQ(x.grad()[0].item<double>(), 3);
    EXPECT_EQ(y[1].item<double>(), 8.5);
}

TEST(InPlace, AnOpThatSavesItsOwnResultWorksInPlace) {
    Tensor x = tensor<double>({0.5}).requires_grad_();
    Tensor y = x * 2;
    exp_(y);
    y.backward();
    EXPECT_NEAR(x.grad().item<double>(), 2 * std::exp(1.0), 1e-15);
}

TEST(InPlace, OldValuesThatTheGradientNeedsAreKept) {
    Tensor x = tensor<double>({3.0}).requires_grad_();
    Tensor y = x * 1;
    y.mul_(y); // x^2
    EXPECT_EQ(y.item<double>(), 9);
    square_(y);             // x^4
    y.div_(y.detach() * 2); // x^4 / (2 c), c = 81
    y.backward();
    EXPECT_EQ(x.grad().item<double>(), 4 * 27 / 162.0);
}

TEST(InPlace, OperandsThatShareItsMemoryKeepTheirOldValue) {
    Tensor x = tensor<double>({3.0, 4.0}).requires_grad_();
    Tensor y = x * 1;
    y.mul_(y.view({2})); // x^2: gradients through both
    sum(y).backward();
    EXPECT_EQ(x.grad()[0].item<double>(), 6);
    EXPECT_EQ(x.grad()[1].item<double>(), 8);
    x.set_grad({});
    y = x * 1;
    y.mul_(y.detach()); // a constant
    sum(y).backward();
    EXPECT_EQ(x.grad()[1].item<double>(), 4);
}

TEST(InPlace, CopiesOnlyWhatTheGradientNeeds) {
    Tensor w = ones({100000}).requires_grad_(), x = w * 1, c = ones({100000});
    const int64_t before = wick::test::allocated(), few = 4096, whole = 400000, more = whole / 8; // blocks are rounded
    x.add_(c).mul_(c);                                                                            // saves c, not x
    exp_(x);                                                                                      // saves its result
    EXPECT_LT(wick::test::allocated() - before, few);
    sin_(x);
    EXPECT_GE(wick::test::allocated() - before, whole);
    EXPECT_LT(wick::test::allocated() - before, whole + more);
    NoGrad guard;
    const int64_t recorded = wick::test::allocated();
    sin_(x);
    x.mul_(w);
    EXPECT_EQ(wick::test::allocated(), recorded);
}

TEST(InPlace, LeavesNeedNoGrad) {
    Tensor x = tensor<double>({1.0}).requires_grad_();
    EXPECT_WICK_ERROR(x.add_(1), TH_E_AUTOGRAD, "leaf");
    EXPECT_EQ(x.item<double>(), 1);
    NoGrad guard;
    x.add_(1);
    EXPECT_EQ(x.item<double>(), 2);
    EXPECT_TRUE(x.is_leaf() && x.requires_grad());
}

TEST(InPlace, ValuesWithHistoryIntoAPlainTensor) {
    Tensor x = tensor<double>({1.0, 2.0}).requires_grad_();
    Tensor y = zeros({2}, kFLOAT64);
    y.copy_(x * 3);
    EXPECT_TRUE(y.requires_grad());
    sum(y * y).backward();
    EXPECT_EQ(x.grad()[1].item<double>(), 36);
}

TEST(InPlace, FillCutsTheHistory) {
    Tensor x = tensor<double>({1.0}).requires_grad_();
    Tensor y = x * 3;
    y.zero_();
    y.backward();
    EXPECT_EQ(x.grad().item<double>(), 0);
}

namespace {
/// Calls a registered op on x and `others`; the result is x.
void call_in_place(const std::string &name, const Tensor &x, std::vector<Tensor> others = {}) {
    std::vector<OwnedValue> held;
    std::vector<Value> args;
    held.emplace_back(box(x));
    for (const Tensor &t : others) held.emplace_back(box(t));
    for (const OwnedValue &v : held) args.push_back(v.get());
    Value result{};
    find_op(name)->call(args, {&result, 1});
    EXPECT_EQ(unbox<Tensor>(OwnedValue(result).get()).impl(), x.impl()) << name;
}
} // namespace

TEST(InPlace, RandomFillsCutTheHistoryToo) {
    for (const char *name : {"uniform_", "normal_", "bernoulli_"}) {
        Tensor x = tensor<double>({1.0, 2.0}).requires_grad_();
        Tensor y = x * 3;
        call_in_place(name, y);
        sum(y).backward();
        EXPECT_EQ(sum(x.grad()).item<double>(), 0) << name;
    }
}

TEST(InPlace, ComparisonsAndTestsCutTheHistory) {
    size_t unary = 0, binary = 0;
    for (const char *name : {"logical_not_", "isnan_", "isinf_", "isfinite_", "eq_", "ne_", "lt_", "le_", "gt_", "ge_",
                             "logical_and_", "logical_or_", "logical_xor_"}) {
        const bool two = find_op(name)->schema.arguments.size() == 2;
        Tensor x = tensor<double>({1.0, 2.0}).requires_grad_(), w = tensor<double>({1.0, 1.0}).requires_grad_();
        Tensor y = x.clone(), plain = tensor<double>({1.0, 2.0}), want = tensor<double>({1.0, 2.0});
        std::vector<Tensor> others;
        if (two) others = {w};
        call_in_place(name, y, others);
        sum(y).backward();
        ASSERT_TRUE(x.grad().defined()) << name;
        EXPECT_EQ(sum(abs(x.grad())).item<double>(), 0) << name;
        EXPECT_FALSE(w.grad().defined()) << name;
        call_in_place(name, plain, others); // nothing to cut
        EXPECT_FALSE(plain.requires_grad()) << name;
        EXPECT_TRUE(all(eq(plain, y)).item<bool>()) << name;
        (two ? binary : unary)++;
    }
    EXPECT_EQ(unary, 4u);
    EXPECT_EQ(binary, 9u);
}

TEST(InPlace, VersionsAreSharedByViewsAndCountWrites) {
    Tensor y = zeros({4});
    Tensor v = y.narrow(0, 1, 2);
    uint64_t before = y.version();
    v.add_(1);
    EXPECT_EQ(y.version(), before + 1);
    EXPECT_EQ(v.version(), y.version());
    sum(y);
    EXPECT_EQ(y.version(), before + 1);
}

TEST(InPlace, RetainedGradientFollowsToTheNewNode) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor y = x * 1;
    y.retain_grad();
    y.mul_(3);
    (y * 5).backward();
    EXPECT_EQ(y.grad().item<double>(), 5);
    EXPECT_EQ(x.grad().item<double>(), 15);
}

TEST(InPlace, IntegersHaveNoHistory) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor y = zeros({1}, kINT64);
    y.copy_(x);
    EXPECT_FALSE(y.requires_grad());
    EXPECT_EQ(y.item<int>(), 2);
}

TEST(InPlace, EveryFloatingDtypeSavesItsResult) {
    for (DType dtype : {kFLOAT16, kBFLOAT16, kFLOAT32, kFLOAT64}) {
        Tensor x = ones({3}, dtype).requires_grad_(), y = x * 2;
        y.narrow(0, 0, 2).add_(1);
        sqrt_(y); // saves what it is about to write
        y.sum().backward();
        EXPECT_NEAR(x.grad()[2].item<double>(), 1 / std::sqrt(2.0), 2e-2);
        EXPECT_NEAR(x.grad()[0].item<double>(), 1 / std::sqrt(3.0), 2e-2);
    }
}

// ---- assigning to temporaries ----

TEST(Assignment, ToATemporaryWritesThrough) {
    Tensor x = zeros({2, 3});
    x[0] = 5;
    x[1] = 2.5;
    x.slice(0, 0, 2).slice(1, 1, 3) = tensor<double>({7.0, 8.0});
    Tensor y = x[1];
    x.narrow(0, 0, 1) = y;
    x.t()[0] = true;
    EXPECT_EQ(list(x), (Doubles{1, 7, 8, 1, 7, 8}));
    y = zeros({1}); // a variable is assigned
    EXPECT_EQ(x[1][2].item<double>(), 8);
    x[0][0] += 3;
    EXPECT_EQ(x[0][0].item<double>(), 4);
    EXPECT_EQ((x[1] = 9).impl()->root.get(), x.impl());
    EXPECT_WICK_ERROR(Tensor() = y, TH_E_ARG, "undefined");
}

TEST(Assignment, IsRecorded) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({3, 2}, kFLOAT64);
    x[1] = w * w;
    x[2][0] = w[1] * 10;
    x.slice(0, 0, 1) = w;
    x[0][1] = 4;
    sum(x * x).backward();
    EXPECT_EQ(list(x), (Doubles{1, 4, 1, 4, 20, 0}));
    EXPECT_EQ(list(w.grad()), (Doubles{2 + 4, 4 * 8 + 2 * 20 * 10})); // w0: w0^2 + w0^4; w1: w1^4 + 100 w1^2
}

// ---- views: values as PyTorch 2.15 gives them, gradients by hand ----

TEST(Views, AnEntryOfAPlainTensor) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({3, 2}, kFLOAT64);
    x.narrow(0, 1, 2).copy_(exp(w)); // broadcast
    EXPECT_TRUE(x.requires_grad());
    EXPECT_FALSE(x.is_leaf());
    EXPECT_STREQ(x.grad_fn()->name(), "as_strided_scatter");
    Tensor weights = arange(0, 6, 1, kFLOAT64).view({3, 2});
    sum(x * weights).backward();
    EXPECT_NEAR(w.grad()[0].item<double>(), (2 + 4) * std::exp(1.0), 1e-12);
    EXPECT_NEAR(w.grad()[1].item<double>(), (3 + 5) * std::exp(2.0), 1e-12);
}

TEST(Views, TheRestKeepsItsHistory) {
    Tensor w = tensor<double>({1.0, 2.0, 3.0}).requires_grad_();
    Tensor x = w * 2;
    x[1] = 0;
    x.narrow(0, 2, 1).mul_(w[0]); // [2 w0, 0, 2 w2 w0]
    sum(x).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{2 + 6, 0, 2}));
}

TEST(Views, ChainsOfViews) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({2, 2, 2}, kFLOAT64);
    Tensor v = x[1], u = v.t(), s = u.narrow(0, 1, 1).squeeze(0), flat = x.view({8});
    s.copy_(w * 3); // x[1][:, 1]
    EXPECT_EQ(list(x), (Doubles{0, 0, 0, 0, 0, 3, 0, 6}));
    for (const Tensor &t : {x, v, u, s, flat}) EXPECT_TRUE(t.requires_grad() && !t.is_leaf());
    v.mul_(2);
    flat[5] = 1;
    (sum(x) + sum(v * v) + u[1][1] + sum(flat * 10) + sum(s)).backward(); // only w1, in x[1][1][1] = 6 w1
    EXPECT_EQ(list(w.grad()), (Doubles{0, 6 + 2 * 12 * 6 + 6 + 60 + 6}));
}

TEST(Views, WritesToTheBaseAreSeenByItsViews) {
    Tensor w = tensor<double>({3.0, 3.0}).requires_grad_(), x = ones({2, 2}, kFLOAT64), v = x[0];
    EXPECT_FALSE(v.requires_grad());
    x.mul_(w * 3);
    EXPECT_TRUE(v.requires_grad());
    EXPECT_FALSE(v.is_leaf());
    EXPECT_STREQ(v.grad_fn()->name(), "as_strided");
    sum(v).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{3, 3}));
    w.set_grad({});
    x = w * 1;
    v = x.narrow(0, 0, 1);
    Tensor before = v * 1;
    x.mul_(w); // w^2
    (v + before).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{2 * 3 + 1, 0}));
}

TEST(Views, OverlappingOnesSeeEachOther) {
    Tensor w = tensor<double>({2.0, 3.0, 4.0}).requires_grad_(), x = w * 1;
    Tensor a = x.narrow(0, 0, 2), b = x.narrow(0, 1, 2), windows = unfold(x, 0, 2, 1);
    a.mul_(10);
    b.mul_(a.detach()); // [10 w0, 10 w1 20, w2 30]
    sum(windows).backward();
    EXPECT_EQ(list(x), (Doubles{20, 600, 120}));
    EXPECT_EQ(list(w.grad()), (Doubles{10, 2 * 200, 30}));
}

TEST(Views, OfLeavesAreRefused) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), v = w.narrow(0, 0, 1);
    EXPECT_WICK_ERROR(v.mul_(2), TH_E_AUTOGRAD, "view of a leaf");
    EXPECT_WICK_ERROR(w[0] = 1, TH_E_AUTOGRAD, "view of a leaf");
    EXPECT_EQ(list(w), (Doubles{1, 2}));
    NoGrad guard;
    w[0] = 7;
    EXPECT_EQ(list(v), (Doubles{7}));
    EXPECT_TRUE(w.is_leaf() && w.requires_grad());
}

TEST(Views, DetachHasNoHistoryButTheVersion) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = w * 1, d = x.detach();
    d.mul_(w);
    EXPECT_EQ(d.version(), x.version());
    EXPECT_STREQ(d.grad_fn()->name(), "mul");
    EXPECT_STREQ(x.grad_fn()->name(), "mul");
    sum(x).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{1, 1})); // not d's
    Tensor part = w.detach().narrow(0, 1, 1);   // a root that begins in the middle of its memory
    Tensor root = part.detach(), view = root.view({1, 1});
    view.copy_((w * 1).narrow(0, 0, 1));
    w.set_grad({});
    sum(root * 5).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{5, 0}));
}

TEST(Views, MadeWithoutRecordingAreRefused) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({2}, kFLOAT64), y = w * 1, v, u;
    {
        NoGrad guard;
        v = x.narrow(0, 0, 1);
        u = y.narrow(0, 0, 1);
    }
    EXPECT_WICK_ERROR(v.mul_(w[0]), TH_E_AUTOGRAD, "recording was off");
    EXPECT_WICK_ERROR(v.view({1}).mul_(w[0]), TH_E_AUTOGRAD, "recording was off");
    EXPECT_FALSE(u.requires_grad());
    EXPECT_NO_THROW(u * w);
    y.mul_(2);
    EXPECT_WICK_ERROR(u * w, TH_E_AUTOGRAD, "recording was off");
    v.mul_(2); // nothing to record
    EXPECT_FALSE(x.requires_grad());
}

TEST(Views, SiblingsAreRefused) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = w * 1;
    Tensor halves[] = {as_view(x.detach().narrow(0, 0, 1), x, true), as_view(x.detach().narrow(0, 1, 1), x, true)};
    record_joint("halves", halves, {&x, 1}, [](std::span<const Tensor> g, std::span<Tensor> out) { out[0] = cat(g); });
    EXPECT_WICK_ERROR(halves[0].mul_(2), TH_E_AUTOGRAD, "together with others");
    (halves[0] * 2 + halves[1] * 3).backward({}, {.retain_graph = true});
    EXPECT_EQ(list(w.grad()), (Doubles{2, 3}));
    x.mul_(2);
    EXPECT_WICK_ERROR(halves[0] * w, TH_E_AUTOGRAD, "together with others");
}

TEST(Views, ExpandedOnesAreRefused) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({1}, kFLOAT64), v = x.expand({2});
    EXPECT_WICK_ERROR(v.mul_(w), TH_E_ARG, "");
    EXPECT_FALSE(x.requires_grad()); // the failure left no trace
    EXPECT_FALSE(v.requires_grad());
    x.expand({1}).copy_(w.narrow(0, 1, 1));
    sum(v).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{0, 2}));
}

TEST(Views, BecomeLeavesOfTheirOwn) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = zeros({2}, kFLOAT64),
           v = x.narrow(0, 0, 1).requires_grad_();
    x.add_(w);
    EXPECT_TRUE(v.is_leaf());
    (v * 3).backward();
    EXPECT_EQ(list(v.grad()), (Doubles{3}));
}

TEST(Views, RetainedGradients) {
    Tensor w = tensor<double>({1.0}).requires_grad_(), x = w.clone(), v = x.view({1}), u = x.view({1});
    v.retain_grad();
    u.retain_grad();
    v.mul_(2);
    (v + u).sum().backward();
    EXPECT_EQ(list(v.grad()), (Doubles{1}));
    EXPECT_EQ(list(u.grad()), (Doubles{1}));
    EXPECT_EQ(list(w.grad()), (Doubles{4}));
    x = w * 1;
    x.retain_grad();
    x[0] = w[0] * 3;
    (x * 5).backward();
    EXPECT_EQ(list(x.grad()), (Doubles{5}));
}

TEST(Views, SecondOrder) {
    Tensor w[] = {tensor<double>({0.5, 1.5, -1.0}), tensor<double>({0.3, 0.7})};
    gradcheck(
        [](std::span<const Tensor> in) {
            Tensor x = in[0] * in[0], v = x.narrow(0, 1, 2);
            v.mul_(in[1]);
            square_(v);
            v.view({2, 1}).t().mul_(in[0].narrow(0, 0, 2));
            x[0] = in[1][0] * in[0][1];
            x.mul_(x);
            return x * v.unsqueeze(1);
        },
        w);
}

TEST(Views, AFailedWriteLeavesTheHistory) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), x = w * 3, v = x.narrow(0, 0, 1);
    const uint64_t version = x.version();
    EXPECT_ANY_THROW(v.mul_(ones({3}, kFLOAT64)));
    EXPECT_ANY_THROW(x.copy_(ones({3}, kFLOAT64)));
    EXPECT_EQ(x.version(), version);
    EXPECT_EQ(x.grad_fn()->name(), std::string("mul"));
    sum(x).backward();
    EXPECT_EQ(list(w.grad()), (Doubles{3, 3}));
}

TEST(Views, ManyThreadsMayLook) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_();
    for (int round = 0; round < 20; round++) {
        Tensor x = w * 1, v = x.narrow(0, 1, 1);
        x.mul_(2);
        Tensor sums[4];
        std::vector<std::thread> threads;
        for (Tensor &s : sums) threads.emplace_back([&] { s = sum(v * 3); });
        for (std::thread &t : threads) t.join();
        for (const Tensor &s : sums) s.backward({}, {.retain_graph = true}); // one graph, one backward at a time
    }
    EXPECT_EQ(list(w.grad()), (Doubles{0, 20 * 4 * 6}));
}
