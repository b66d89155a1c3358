// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn.hpp"
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

TEST(Linear, TakesOptionsByPosition) {
    nn::Linear a(3, 2), b{3, 2, false};
    EXPECT_EQ(sizes(a.weight), (std::vector<int64_t>{2, 3}));
    EXPECT_FALSE(b.bias.defined());
    int64_t in = 3;
    EXPECT_EQ(make<nn::Linear>(in, 5)->weight.size(0), 5);
    EXPECT_EQ(nn::Conv2d(1, 8, 3, 2).options.stride.v[1], 2);
    EXPECT_EQ(nn::Conv2d(1, 8, Pair(3, 5)).weight.size(3), 5);
    EXPECT_EQ(nn::BatchNorm2d(4, 1e-3).options.eps, 1e-3);
    EXPECT_EQ(nn::Dropout(0.25).options.p, 0.25);
    EXPECT_EQ(nn::MaxPool2d(2).options.kernel_size.get().v[0], 2);
    EXPECT_EQ(nn::AvgPool2d(3, 1, 1, true).options.ceil_mode, true);
    EXPECT_EQ(nn::Softmax(1).options.dim, 1);
    EXPECT_EQ(nn::LogSoftmax(-1).options.dim, -1);
    EXPECT_EQ(nn::LeakyReLU(0.5).options.negative_slope, 0.5);
    EXPECT_EQ(nn::GELU("tanh").options.approximate, "tanh");
    EXPECT_EQ(nn::Flatten(0, 1).options.end_dim, 1);
    EXPECT_TRUE(nn::CrossEntropyLoss(ones({2})).weight.defined());
    EXPECT_TRUE(nn::NLLLoss(ones({2})).weight.defined());
    // The fifth is return_indices in PyTorch, which this one lacks.
    EXPECT_FALSE((std::constructible_from<nn::MaxPool2d, int, int, int, int, bool>));
    EXPECT_FALSE((std::constructible_from<nn::Linear, const char *>));
    nn::Sequential net{nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2)};
    EXPECT_EQ(net(ones({5, 3})).size(1), 2);
}
