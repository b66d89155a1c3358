// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/init.hpp"

using namespace wick;
using namespace wick::test;

namespace {

struct Moments {
    double mean = 0, std = 0, largest = 0;
};
Moments moments(const Tensor &t) {
    Moments m;
    std::vector<double> v = values(t);
    for (double x : v) m.mean += x / static_cast<double>(v.size());
    for (double x : v) {
        m.std += (x - m.mean) * (x - m.mean) / static_cast<double>(v.size());
        m.largest = std::max(m.largest, std::abs(x));
    }
    m.std = std::sqrt(m.std);
    return m;
}

class Init : public ::testing::Test {
  protected:
    void SetUp() override { manual_seed(11); }
    Tensor w = empty({200, 300}), kernels = empty({40, 30, 5, 5}); // fans 300, 200 and 750, 1000
};

void expect_uniform(const Tensor &t, double bound) {
    Moments m = moments(t);
    EXPECT_LE(m.largest, bound * (1 + 1e-6));
    EXPECT_GT(m.largest, 0.99 * bound);
    EXPECT_NEAR(m.std, bound / std::sqrt(3.0), 0.02 * bound);
    EXPECT_NEAR(m.mean, 0, 0.02 * bound);
}

void expect_normal(const Tensor &t, double std) {
    Moments m = moments(t);
    EXPECT_NEAR(m.std, std, 0.02 * std);
    EXPECT_NEAR(m.mean, 0, 0.03 * std);
    EXPECT_GT(m.largest, 3 * std);
}

} // namespace

TEST_F(Init, FillsConstants) {
    expect_values(nn::init::zeros_(empty({2})), {0, 0});
    expect_values(nn::init::ones_(empty({2})), {1, 1});
    expect_values(nn::init::constant_(empty({2}), 2.5), {2.5, 2.5});
}

TEST_F(Init, DrawsUniformAndNormal) {
    Moments m = moments(nn::init::uniform_(w, 2, 4));
    EXPECT_NEAR(m.mean, 3, 0.02);
    EXPECT_NEAR(m.std, 1 / std::sqrt(3.0), 0.02);
    m = moments(nn::init::normal_(w, -1, 0.5));
    EXPECT_NEAR(m.mean, -1, 0.02);
    EXPECT_NEAR(m.std, 0.5, 0.02);
}

TEST_F(Init, CountsFans) {
    EXPECT_EQ(nn::init::fans(kernels).in, 750);
    EXPECT_EQ(nn::init::fans(kernels).out, 1000);
    EXPECT_EQ(error_of([] { nn::init::fans(empty({3})); }),
              "ShapeError: init: got float32[3], want at least 2 dimensions");
}

TEST_F(Init, Xavier) {
    expect_uniform(nn::init::xavier_uniform_(w), std::sqrt(6.0 / 500));
    expect_uniform(nn::init::xavier_uniform_(kernels, 2), 2 * std::sqrt(6.0 / 1750));
    expect_normal(nn::init::xavier_normal_(w), std::sqrt(2.0 / 500));
}

TEST_F(Init, Kaiming) {
    expect_uniform(nn::init::kaiming_uniform_(w), std::sqrt(6.0 / 300));
    expect_uniform(nn::init::kaiming_uniform_(w, 0, "fan_out", "linear"), std::sqrt(3.0 / 200));
    expect_normal(nn::init::kaiming_normal_(kernels, 0, "fan_in", "relu"), std::sqrt(2.0 / 750));
    expect_normal(nn::init::kaiming_normal_(w, 1), std::sqrt(1.0 / 300));
}

TEST_F(Init, KnowsGains) {
    EXPECT_DOUBLE_EQ(nn::init::calculate_gain("tanh"), 5.0 / 3);
    EXPECT_DOUBLE_EQ(nn::init::calculate_gain("sigmoid"), 1);
    EXPECT_DOUBLE_EQ(nn::init::calculate_gain("leaky_relu", std::sqrt(5.0)), std::sqrt(1.0 / 3));
    EXPECT_EQ(error_of([] { nn::init::calculate_gain("swish"); }).substr(0, 14), "ArgumentError:");
    EXPECT_EQ(error_of([&] { nn::init::kaiming_normal_(w, 0, "fan"); }),
              "ArgumentError: kaiming init: got mode 'fan', want 'fan_in' or 'fan_out'");
}

TEST_F(Init, LeavesNoHistory) {
    Tensor p = empty({3, 3}).requires_grad_();
    nn::init::xavier_normal_(p);
    EXPECT_TRUE(p.is_leaf() && p.requires_grad());
    EXPECT_EQ(nn::init::kaiming_uniform_(empty({0, 3})).numel(), 0);
}
