// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/conv.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

TEST(Conv2d, Computes) {
    nn::Conv2d conv{{.in_channels = 1, .out_channels = 1, .kernel_size = 2}};
    conv.load_state_dict({{"weight", make_tensor({1, 2, 3, 4}, {1, 1, 2, 2})}, {"bias", make_tensor({10}, {1})}});
    Tensor x = make_tensor({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3}).requires_grad_();
    Tensor y = conv(x);
    EXPECT_EQ(sizes(y), (std::vector<int64_t>{1, 1, 2, 2}));
    expect_values(y, {1 + 4 + 12 + 20 + 10, 2 + 6 + 15 + 24 + 10, 4 + 10 + 21 + 32 + 10, 5 + 12 + 24 + 36 + 10});
    sum(y).backward();
    expect_values(conv.weight.grad(), {12, 16, 24, 28});
    expect_values(conv.bias.grad(), {4});
    expect_values(x.grad(), {1, 3, 2, 4, 10, 6, 3, 7, 4});
}

TEST(Conv2d, TakesPairs) {
    nn::Conv2d conv{{.in_channels = 4,
                     .out_channels = 6,
                     .kernel_size = {3, 5},
                     .stride = {2, 1},
                     .padding = {1, 2},
                     .groups = 2,
                     .bias = false}};
    EXPECT_EQ(sizes(conv.weight), (std::vector<int64_t>{6, 2, 3, 5}));
    EXPECT_EQ(sizes(conv(ones({2, 4, 8, 7}))), (std::vector<int64_t>{2, 6, 4, 7}));
    EXPECT_EQ(conv.to_string(), "Conv2d(in_channels=4, out_channels=6, kernel_size=[3, 5], stride=[2, 1], "
                                "padding=[1, 2], groups=2, bias=False)");
}

TEST(Conv1d, Computes) {
    nn::Conv1d conv{{.in_channels = 1, .out_channels = 1, .kernel_size = 2, .bias = false}};
    conv.load_state_dict({{"weight", make_tensor({1, 10}, {1, 1, 2})}});
    expect_values(conv(make_tensor({1, 2, 3}, {1, 1, 3})), {21, 32});
    EXPECT_EQ(sizes(conv(ones({1, 5}))), (std::vector<int64_t>{1, 4})); // without a batch
    EXPECT_EQ(conv.to_string(), "Conv1d(in_channels=1, out_channels=1, kernel_size=2, bias=False)");
}

TEST(Conv3d, Computes) {
    nn::Conv3d conv{{.in_channels = 2, .out_channels = 3, .kernel_size = {1, 2, 3}, .stride = {1, 2, 1}}};
    EXPECT_EQ(sizes(conv.weight), (std::vector<int64_t>{3, 2, 1, 2, 3}));
    EXPECT_EQ(sizes(conv(ones({4, 2, 3, 4, 5}))), (std::vector<int64_t>{4, 3, 3, 2, 3}));
}

TEST(Conv2d, PadsByName) {
    nn::Conv2d same{{.in_channels = 1, .out_channels = 1, .kernel_size = {2, 3}, .padding = "same", .bias = false}};
    same.load_state_dict({{"weight", make_tensor({1, 0, 0, 0, 0, 10}, {1, 1, 2, 3})}});
    Tensor x = make_tensor({1, 2, 3, 4}, {1, 1, 2, 2});
    expect_values(same(x), {0 + 40, 1 + 0, 0, 3}); // one row of zeros below, a column on both sides
    EXPECT_EQ(same.to_string(),
              "Conv2d(in_channels=1, out_channels=1, kernel_size=[2, 3], padding='same', bias=False)");
    nn::Conv2d valid{{.in_channels = 1, .out_channels = 1, .kernel_size = 2, .padding = std::string("valid")}};
    EXPECT_EQ(sizes(valid(x)), (std::vector<int64_t>{1, 1, 1, 1}));
    EXPECT_EQ(
        error_of([] { nn::Conv2d c{{.in_channels = 1, .out_channels = 1, .kernel_size = 2, .padding = "full"}}; }),
        "ArgumentError: Conv2d: got padding 'full', want 'same', 'valid' or numbers");
    EXPECT_EQ(error_of([&] {
                  conv2d(x, ones({1, 1, 2, 2}), {}, 2, "same");
              }),
              "ArgumentError: conv2d: got stride 2 with padding 'same', want 1");
    EXPECT_EQ(error_of([&] {
                  conv2d(x, ones({1, 1, 2, 2}), {}, 1, "full");
              }),
              "ArgumentError: conv2d: got padding 'full', want 'same', 'valid' or numbers");
    expect_values(conv2d(x, ones({1, 1, 2, 2}), {}, 1, 0), {10}); // 0 is a number, not a text
}

TEST(Conv2d, StartsWithinItsBound) {
    manual_seed(3);
    nn::Conv2d conv{{.in_channels = 16, .out_channels = 64, .kernel_size = 3}};
    double bound = 1 / std::sqrt(16.0 * 9), largest = 0;
    for (double v : values(conv.weight)) largest = std::max(largest, std::abs(v));
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.99 * bound);
}

TEST(Conv2d, RefusesBadOptions) {
    nn::Conv2dOptions o;
    o.in_channels = o.out_channels = 2;
    EXPECT_EQ(error_of([&] { nn::Conv2d c{o}; }), "ArgumentError: Conv2d: got no kernel_size, want int[2]");
    EXPECT_EQ(error_of([] { nn::Conv2d c{{.in_channels = 4, .out_channels = 3, .kernel_size = 1, .groups = 2}}; }),
              "ArgumentError: Conv2d: got 4 and 3 channels in 2 groups, want multiples of the groups");
    EXPECT_EQ(error_of([] {
                  nn::Conv2d c{{.in_channels = 4, .out_channels = 3, .kernel_size = {1, 0}}};
              }),
              "ArgumentError: Conv2d: got kernel_size 0, want at least 1");
}
