// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/norm.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

namespace {
// Per channel: {1, 3, 5, 7}: mean 4, biased variance 5, unbiased 20 / 3; and {0, 0, 2, 2}: 1, 1, 4 / 3.
Tensor batch() { return make_tensor({1, 3, 0, 0, 5, 7, 2, 2}, {2, 2, 1, 2}); }
} // namespace

TEST(BatchNorm2d, NormalisesAndTracks) {
    nn::BatchNorm2d bn{{.num_features = 2, .eps = 0}};
    double s = 1 / std::sqrt(5.0);
    expect_values(bn(batch()), {-3 * s, -s, -1, -1, s, 3 * s, 1, 1});
    expect_values(bn.running_mean, {0.4, 0.1});
    expect_values(bn.running_var, {0.9 + 0.1 * 20 / 3, 0.9 + 0.1 * 4 / 3});
    EXPECT_EQ(bn.num_batches_tracked.item<int>(), 1);
    bn(batch());
    EXPECT_EQ(bn.num_batches_tracked.item<int>(), 2);
}

TEST(BatchNorm2d, EvaluatesByRunningStatistics) {
    nn::BatchNorm2d bn{{.num_features = 2, .eps = 0}};
    bn.running_mean.copy_(make_tensor({1, 2}, {2}));
    bn.running_var.copy_(make_tensor({4, 1}, {2}));
    bn.load_state_dict({{"weight", make_tensor({2, 3}, {2})}, {"bias", make_tensor({0, 1}, {2})}}, false);
    bn.eval();
    expect_values(bn(batch()), {0, 2, -5, -5, 4, 6, 1, 1});
    EXPECT_EQ(bn.num_batches_tracked.item<int>(), 0);
    expect_values(bn.running_mean, {1, 2});
}

TEST(BatchNorm2d, WithoutMomentumAverages) {
    nn::BatchNorm2d bn{{.num_features = 2, .momentum = std::nullopt}};
    bn(batch());
    expect_values(bn.running_mean, {4, 1});
    bn(batch() + 2);
    expect_values(bn.running_mean, {5, 2});
}

TEST(BatchNorm2d, WithoutTrackingUsesTheBatch) {
    nn::BatchNorm2d bn{{.num_features = 2, .affine = false, .track_running_stats = false}};
    EXPECT_TRUE(bn.state_dict().empty());
    bn.eval();
    expect_values(mean(bn(batch())), {0});
}

TEST(BatchNorm2d, HasGradientsAndState) {
    nn::BatchNorm2d bn{{.num_features = 2}};
    EXPECT_EQ(bn.state_dict().size(), 5u);
    sum(bn(batch())).backward();
    expect_values(bn.bias.grad(), {4, 4});
    expect_values(bn.weight.grad(), {0, 0}, 1e-5);
    EXPECT_EQ(error_of([&] { bn(ones({2, 2})); }), "ShapeError: BatchNorm2d: got float32[2, 2], want 4 dimensions");
    EXPECT_EQ(error_of([&] { bn(ones({2, 3, 1, 1})); }).substr(0, 11), "ShapeError:");
}

TEST(BatchNorm1d, TakesTwoOrThreeDimensions) {
    nn::BatchNorm1d bn{{.num_features = 2, .eps = 0}};
    expect_values(bn(make_tensor({1, 0, 3, 2}, {2, 2})), {-1, -1, 1, 1});
    expect_values(bn(make_tensor({1, 3, 0, 2}, {1, 2, 2})), {-1, 1, -1, 1});
    EXPECT_EQ(error_of([&] {
                  bn(ones({2, 2, 1, 1}));
              }),
              "ShapeError: BatchNorm1d: got float32[2, 2, 1, 1], want 2 or 3 dimensions");
}

TEST(BatchNorm3d, TakesFiveDimensions) {
    nn::BatchNorm3d bn{{.num_features = 2, .eps = 0}};
    expect_values(bn(make_tensor({1, 3, 0, 2}, {1, 2, 1, 2, 1})), {-1, 1, -1, 1});
    EXPECT_EQ(error_of([&] { bn(ones({2, 2})); }), "ShapeError: BatchNorm3d: got float32[2, 2], want 5 dimensions");
}
