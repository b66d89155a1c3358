// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/pool.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

namespace {
Tensor grid() { return arange(0, 16, 1, kFLOAT32).view({1, 1, 4, 4}); }
} // namespace

TEST(Pool, MaxStridesByItsKernel) {
    Tensor x = grid().requires_grad_();
    Tensor y = nn::MaxPool2d{{.kernel_size = 2}}(x);
    expect_values(y, {5, 7, 13, 15});
    sum(y).backward();
    expect_values(x.grad(), {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1});
}

TEST(Pool, MaxTakesEveryOption) {
    nn::MaxPool2d pool{{.kernel_size = {2, 1}, .stride = 3, .padding = {1, 0}, .ceil_mode = true}};
    expect_values(pool(grid()), {0, 3, 12, 15});
    EXPECT_EQ(pool.to_string(), "MaxPool2d(kernel_size=[2, 1], stride=3, padding=[1, 0], ceil_mode=True)");
}

TEST(Pool, AverageCountsPaddingOrNot) {
    expect_values(nn::AvgPool2d{{.kernel_size = 2}}(grid()), {2.5, 4.5, 10.5, 12.5});
    nn::AvgPool2d with{{.kernel_size = 2, .stride = 4, .padding = 1}};
    nn::AvgPool2d without{{.kernel_size = 2, .stride = 4, .padding = 1, .count_include_pad = false}};
    expect_values(with(grid()), {0, 3.0 / 4, 12.0 / 4, 15.0 / 4});
    expect_values(without(grid()), {0, 3, 12, 15});
}

TEST(Pool, OneAndThreeDimensions) {
    Tensor line = make_tensor({1, 3, 2, 5, 4}, {1, 5}), cube = arange(0, 8, 1, kFLOAT32).view({1, 1, 2, 2, 2});
    expect_values(nn::MaxPool1d{{.kernel_size = 2}}(line), {3, 5});
    expect_values(nn::AvgPool1d{{.kernel_size = 2, .ceil_mode = true}}(line), {2, 3.5, 4});
    expect_values(nn::MaxPool3d{{.kernel_size = {2, 1, 2}}}(cube), {5, 7});
    expect_values(nn::AvgPool3d{{.kernel_size = 2}}(cube), {3.5});
    expect_values(nn::AvgPool3d{{.kernel_size = 2, .divisor_override = 4}}(cube), {7});
    nn::AvgPool3d flat{{.kernel_size = {2, 1, 1}}};
    EXPECT_EQ(flat.to_string(), "AvgPool3d(kernel_size=[2, 1, 1])");
}

TEST(Pool, GivesIndices) {
    auto [y, at] = max_pool2d_with_indices(grid(), 2);
    expect_values(y, {5, 7, 13, 15});
    expect_values(at.to(kFLOAT32), {5, 7, 13, 15});
    nn::MaxPool2d pool{{.kernel_size = 2, .stride = 1, .padding = 1}};
    auto [of_module, places] = pool.forward_with_indices(grid());
    expect_values(of_module, values(pool(grid())));
    expect_values(places.to(kFLOAT32), values(pool(grid()))); // the grid counts its places
    EXPECT_EQ(nn::MaxPool1d(2).forward_with_indices(zeros({1, 4})).indices.numel(), 2);
    EXPECT_EQ(nn::MaxPool3d(2).forward_with_indices(zeros({1, 2, 2, 2})).indices.numel(), 1);
    auto [whole, where_] = max_pool1d_with_indices(grid().to(kINT16).view({1, 16}), 16);
    EXPECT_EQ(whole.dtype(), kINT16);
    EXPECT_EQ(whole.item<int>(), 15);
    EXPECT_EQ(where_.item<int>(), 15);
}

TEST(Pool, RefusesDivisorZeroAndStridesOfOtherLength) {
    EXPECT_EQ(error_of([] { avg_pool2d(grid(), 2, {}, 0, false, true, 0); }),
              "ArgumentError: avg_pool2d: got divisor_override 0, want another number");
    EXPECT_EQ(error_of([] {
                  max_pool2d(grid(), 2, {1, 2, 3});
              }),
              "ArgumentError: max_pool2d: got 3 values for stride, want 1 or 2");
}

TEST(Pool, NeedsAKernel) {
    EXPECT_EQ(error_of([] { nn::MaxPool2d p{nn::MaxPool2dOptions()}; }),
              "ArgumentError: MaxPool2d: got no kernel_size, want int[2]");
    EXPECT_EQ(error_of([] { nn::AvgPool2d p{nn::AvgPool2dOptions()}; }),
              "ArgumentError: AvgPool2d: got no kernel_size, want int[2]");
}
