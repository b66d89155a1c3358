// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/linear.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

TEST(Linear, Computes) {
    nn::Linear fc{{.in_features = 3, .out_features = 2}};
    fc.load_state_dict({{"weight", make_tensor({1, 2, 3, -1, 0, 1}, {2, 3})}, {"bias", make_tensor({10, 20}, {2})}});
    Tensor x = make_tensor({1, 1, 1, 2, 0, -1}, {2, 3}).requires_grad_();
    Tensor y = fc(x);
    expect_values(y, {16, 20, 9, 17});
    sum(y).backward();
    expect_values(x.grad(), {0, 2, 4, 0, 2, 4});
    expect_values(fc.weight.grad(), {3, 1, 0, 3, 1, 0});
    expect_values(fc.bias.grad(), {2, 2});
}

TEST(Linear, KeepsLeadingDimensions) {
    nn::Linear fc{{.in_features = 3, .out_features = 2, .bias = false}};
    EXPECT_EQ(sizes(fc(ones({4, 5, 3}))), (std::vector<int64_t>{4, 5, 2}));
    EXPECT_EQ(sizes(fc(ones({3}))), (std::vector<int64_t>{2}));
    EXPECT_FALSE(fc.bias.defined());
    EXPECT_EQ(fc.parameters().size(), 1u);
}

TEST(Linear, StartsWithinItsBound) {
    manual_seed(3);
    nn::Linear fc{{.in_features = 400, .out_features = 300}};
    double bound = 1 / std::sqrt(400.0), largest = 0, squares = 0;
    std::vector<double> w = values(fc.weight);
    for (double v : w) {
        largest = std::max(largest, std::abs(v));
        squares += v * v;
    }
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.99 * bound);
    EXPECT_NEAR(squares / static_cast<double>(w.size()), bound * bound / 3, 0.02 * bound * bound);
    for (double v : values(fc.bias)) EXPECT_LE(std::abs(v), bound);
}

TEST(Linear, RefusesBadOptions) {
    EXPECT_EQ(error_of([] { nn::Linear fc{nn::LinearOptions()}; }),
              "ArgumentError: Linear: got no in_features, want int");
    EXPECT_EQ(error_of([] { nn::Linear fc{{.in_features = 0, .out_features = 3}}; }),
              "ArgumentError: Linear: got in_features 0, want at least 1");
    nn::Linear fc{{.in_features = 3, .out_features = 2}};
    EXPECT_EQ(error_of([&] { fc(ones({2, 4})); }).substr(0, 11), "ShapeError:");
}
