// SPDX-License-Identifier: BSD-3-Clause
// The methods of Tensor that are made from the rows of wick/ops/*.def.
#include "wick/registry.hpp"
#include "wick/tensor.hpp" // alone: methods need no further header
#include <gtest/gtest.h>

using namespace wick;

namespace {
Tensor sample() { return tensor<double>({-1.0, 4.0, 2.0, -3.0, 0.0, 5.0}).view({2, 3}); }

template <class T>
concept HasReluOfTwo = requires(const T &x) {
    x.relu(x);
};
template <class T>
concept HasSumOfText = requires(const T &x) {
    x.sum("all");
};
template <class T>
concept HasZeros = requires(const T &x) {
    x.zeros({1});
};
template <class T>
concept ConstAdds = requires(const T &x) {
    x.add_(x);
};
template <class T>
concept BracedRelu = requires(const T &x) {
    x.relu({1});
};
} // namespace

// What does not fit is no candidate, so that the compiler's error is one line at the call.
static_assert(!HasReluOfTwo<Tensor> && !HasSumOfText<Tensor> && !HasZeros<Tensor> && !BracedRelu<Tensor>);
static_assert(!ConstAdds<Tensor>);
template <class N> concept MaxOf = requires(Tensor x, N n) { max(x, n); };
static_assert(MaxOf<int> && MaxOf<Tensor> && !MaxOf<double>, "a floating number is no dim");

TEST(Methods, AreTheOps) {
    Tensor x = sample();
    EXPECT_EQ(x.abs().sqrt().pow(2).round().sum().item<double>(), 15);
    EXPECT_EQ(x.exp().log().sub(x).abs().max().item<double>() < 1e-12, true);
    EXPECT_EQ(x.relu().to_string(), "[[0, 4, 2],\n [0, 0, 5]] float64[2, 3]");
    EXPECT_EQ(x.argmax(1).to_string(), "[1, 2] int64[2]");
    EXPECT_EQ(x.clamp(-1, 2).sum().item<double>(), 4);
    EXPECT_EQ(x.add(1, 2).sum().item<double>(), 19); // x + 2 · 1
}

TEST(Methods, TakeDefaultsAndBraces) {
    Tensor x = sample();
    EXPECT_EQ(x.sum({0, 1}, true).to_string(), "[[7]] float64[1, 1]");
    EXPECT_EQ(x.sum({}).item<double>(), 7);
    EXPECT_EQ(x.amax({1}).to_string(), "[4, 5] float64[2]");
    int64_t n = 3;
    EXPECT_EQ(x.view({n, -1}).dim(), 2);
    EXPECT_EQ(x.view(x.sizes()).dim(), 2);
    EXPECT_EQ(x.view(std::vector<int64_t>{6}).dim(), 1);
    EXPECT_EQ(x.permute({1, 0}).size(0), 3);
    EXPECT_EQ(x.flatten().numel(), 6);
    EXPECT_EQ(x.var({1}, 0.0).dim(), 1);
    EXPECT_EQ(x.unsqueeze(0).unsqueeze(-1).squeeze({0, 3}).dim(), 2);
    EXPECT_EQ(x.unsqueeze(0).squeeze().dim(), 2);
    EXPECT_EQ(x.unsqueeze(0).squeeze(0).dim(), 2);
}

TEST(Methods, GiveSeveralResults) {
    auto [values, indices] = sample().min(1);
    EXPECT_EQ(values.to_string(), "[-1, -3] float64[2]");
    EXPECT_EQ(indices.to_string(), "[0, 0] int64[2]");
    EXPECT_EQ(sample().max(0, true).values.to_string(), "[[-1, 4, 5]] float64[1, 3]");
    EXPECT_EQ(sample().max(Tensor(1.0)).sum().item<double>(), 14);
}

TEST(Methods, ChangeInPlaceAndChain) {
    Tensor x = sample(), y = x;
    EXPECT_EQ(&x.neg_().add_(1).mul_(x), &x);
    EXPECT_EQ(y.to_string(), "[[4, 9, 1],\n [16, 1, 16]] float64[2, 3]");
    x[1].zero_();
    x += 1;
    EXPECT_EQ(y.to_string(), "[[5, 10, 2],\n [1, 1, 1]] float64[2, 3]");
    EXPECT_EQ(x.normal_(0, 1).eq(y).all().item<bool>(), true);
}

// Every language finds as methods what C++ has as methods: ops on a first tensor, under their own names.
TEST(Methods, AreFlaggedInTheRegistry) {
    size_t methods = 0;
    for (size_t i = 0; i < op_count(); i++) {
        const Op &op = op_at(i);
        if (!(op.flags & Op::METHOD)) continue;
        methods++;
        ASSERT_FALSE(op.schema.arguments.empty()) << op.schema_text;
        EXPECT_TRUE(op.schema.arguments[0].type_text.starts_with("Tensor")) << op.schema_text;
        EXPECT_EQ(op.schema.name.find('.'), std::string::npos) << op.schema_text << ": the flag is the first's";
    }
    EXPECT_GT(methods, 170u);
}
