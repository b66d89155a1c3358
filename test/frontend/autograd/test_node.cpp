// SPDX-License-Identifier: BSD-3-Clause
// Nodes and what they save.
#include "support/errors.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <gtest/gtest.h>

using namespace wick;

TEST(Saved, ChangingASavedInputIsFoundAndNamesTheOp) {
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

TEST(Saved, ChangingASavedResultIsFound) {
    Tensor x = tensor<double>({2.0}).requires_grad_();
    Tensor y = exp(x), z = y * 1;
    y.detach().add_(1); // through an alias
    EXPECT_WICK_ERROR(z.backward(), TH_E_AUTOGRAD, "'exp' saved");
}

TEST(Saved, ChangesAreFoundThroughBaseAndView) {
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_();
    Tensor x = w * 1, y = sum(square(x));
    x[0] = 5;
    EXPECT_WICK_ERROR(y.backward(), TH_E_AUTOGRAD, "'square' saved");
    x = w * 1;
    y = sum(square(x.narrow(0, 0, 1)));
    x.mul_(2);
    EXPECT_WICK_ERROR(y.backward(), TH_E_AUTOGRAD, "'square' saved");
}

TEST(Saved, OwnsWhatItsClosureNames) {
    struct Count {
        THTensor *th;
        int64_t users() const { return THTensor_refcount(th); }
    };
    Tensor a = tensor<double>({1.0}).requires_grad_(), b = tensor<double>({2.0});
    const Count of_a{a.th()}, of_b{b.th()};
    {
        Tensor y = a * b; // b needs no gradient: a is not kept for it
        EXPECT_EQ(of_a.users(), 1);
        EXPECT_EQ(of_b.users(), 2);
    }
    EXPECT_EQ(of_b.users(), 1);
    Tensor y = a * b;
    y.backward();
    EXPECT_EQ(of_b.users(), 1); // dropped as backward goes
    EXPECT_EQ(a.grad().item<double>(), 2);
}

TEST(Node, ManyInputsAndDimensions) {
    std::vector<Tensor> inputs;
    for (int i = 0; i < 20; i++) {
        inputs.push_back(ones({1, 1, 1, 1, 1, 2}, kFLOAT64));
        if (i % 2) inputs.back().requires_grad_();
    }
    sum(cat(inputs, 0) * 3).backward();
    for (int i = 0; i < 20; i++) EXPECT_EQ(inputs[static_cast<size_t>(i)].grad().defined(), i % 2 == 1);
    EXPECT_EQ(sum(inputs[1].grad()).item<double>(), 6);
}
