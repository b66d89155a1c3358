// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/activation.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

namespace {
const std::vector<double> X{-2, -0.5, 0, 1, 3};
Tensor x() { return tensor<float>({-2, -0.5, 0, 1, 3}); }
template <class F> std::vector<double> each(F f) {
    std::vector<double> out;
    for (double v : X) out.push_back(f(v));
    return out;
}
} // namespace

TEST(Activation, Elementwise) {
    expect_values(nn::ReLU{}(x()), {0, 0, 0, 1, 3});
    expect_values(nn::Sigmoid{}(x()), each([](double v) { return 1 / (1 + std::exp(-v)); }));
    expect_values(nn::Tanh{}(x()), each([](double v) { return std::tanh(v); }));
    expect_values(nn::LeakyReLU{}(x()), {-0.02, -0.005, 0, 1, 3});
    expect_values(nn::LeakyReLU{{.negative_slope = 0.5}}(x()), {-1, -0.25, 0, 1, 3});
    expect_values(nn::GELU{}(x()), each([](double v) { return v / 2 * std::erfc(-v / std::sqrt(2.0)); }));
    expect_values(nn::GELU{{.approximate = "tanh"}}(x()), each([](double v) {
                      return v / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)));
                  }));
    EXPECT_EQ(error_of([] { nn::GELU g{{.approximate = "no"}}; }),
              "ArgumentError: GELU: got approximate 'no', want 'none' or 'tanh'");
}

TEST(Activation, Softplus) {
    expect_values(nn::Softplus{}(x()), each([](double v) { return std::log1p(std::exp(v)); }));
    expect_values(nn::Softplus(2.0, 1.5)(x()), // linear from 0.75 on
                  each([](double v) { return v > 0.75 ? v : std::log1p(std::exp(2 * v)) / 2; }));
    EXPECT_EQ(nn::Softplus({.threshold = 10}).to_string(), "Softplus(threshold=10.0)");
}

TEST(Activation, Softmax) {
    double total = 0;
    for (double v : X) total += std::exp(v);
    expect_values(nn::Softmax{{.dim = 0}}(x()), each([&](double v) { return std::exp(v) / total; }));
    expect_values(nn::LogSoftmax{{.dim = -1}}(x()), each([&](double v) { return v - std::log(total); }));
    EXPECT_EQ(error_of([] { nn::Softmax s{nn::SoftmaxOptions()}; }), "ArgumentError: Softmax: got no dim, want int");
    EXPECT_EQ(error_of([] { nn::LogSoftmax s{nn::SoftmaxOptions()}; }),
              "ArgumentError: LogSoftmax: got no dim, want int");
}

TEST(Activation, PassesGradients) {
    Tensor a = x().requires_grad_();
    sum(nn::ReLU{}(a)).backward();
    expect_values(a.grad(), {0, 0, 0, 1, 1});
}
