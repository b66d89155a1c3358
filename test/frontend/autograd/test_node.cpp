// SPDX-License-Identifier: BSD-3-Clause
// In-place changes: version counters, histories, refusals.
#include "support/errors.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include "wick/value.hpp"
#include <cmath>
#include <gtest/gtest.h>

using namespace wick;

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

TEST(InPlace, ChangingASavedInputIsFoundAndNamesTheOp) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor a = x * 1, y = exp(x) * a; // mul saves a
    a.add_(1);
    try {
        y.backward();
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.status(), TH_E_AUTOGRAD);
        EXPECT_NE(e.message().find("'mul' saved a tensor"), std::string::npos) << e.message();
    }
}

TEST(InPlace, ChangingASavedResultIsFound) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor y = exp(x), z = y * 1;
    y.detach().add_(1); // through an alias
    EXPECT_WICK_ERROR(z.backward(), TH_E_AUTOGRAD, "'exp' saved");
}

TEST(InPlace, MultiplyingByItselfSavesTheOldValue) {
    Tensor x = tensor<double>({3.0}).requires_grad_();
    Tensor y = x * 1;
    y.mul_(y);
    EXPECT_EQ(y.item<double>(), 9);
    EXPECT_WICK_ERROR(y.backward(), TH_E_AUTOGRAD, "'mul' saved");
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

TEST(InPlace, RandomFillsCutTheHistoryToo) {
    for (const char *name : {"uniform_", "normal_", "bernoulli_"}) {
        Tensor x = tensor<double>({1.0, 2.0}).requires_grad_();
        Tensor y = x * 3;
        OwnedValue in(box(y)), out;
        Value result{};
        find_op(name)->call({&in.get(), 1}, {&result, 1});
        out = OwnedValue(result);
        sum(y).backward();
        EXPECT_EQ(sum(x.grad()).item<double>(), 0) << name;
    }
}

TEST(InPlace, SharedMemoryIsRefusedWhileRecording) {
    Tensor x = tensor<double>({1.0, 2.0}).requires_grad_();
    Tensor y = x * 1, v = y.narrow(0, 0, 1);
    EXPECT_WICK_ERROR(v.mul_(2), TH_E_AUTOGRAD, "shares its memory");
    EXPECT_WICK_ERROR(y.mul_(2), TH_E_AUTOGRAD, "shares its memory");
    Tensor out = zeros({2}, kFLOAT64);
    EXPECT_WICK_ERROR(out.narrow(0, 0, 1).copy_(x.narrow(0, 0, 1)), TH_E_AUTOGRAD, "shares its memory");
    NoGrad guard;
    v.mul_(2);
    EXPECT_EQ(y[0].item<double>(), 2);
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

TEST(InPlace, IntegerTargetsOfRecordedValuesAreRefused) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor y = zeros({1}, kINT64);
    EXPECT_WICK_ERROR(y.copy_(x), TH_E_AUTOGRAD, "floating");
}

TEST(SetGrad, MustFit) {
    Tensor x = ones({2}).requires_grad_();
    EXPECT_WICK_ERROR(x.set_grad(ones({3})), TH_E_SHAPE, "float32[2]");
    x.set_grad(ones({2}));
    EXPECT_EQ(x.grad().numel(), 2);
}
