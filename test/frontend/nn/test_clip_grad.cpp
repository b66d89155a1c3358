// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/clip_grad.hpp"
#include <limits>

using namespace wick;
using namespace wick::test;
using nn::utils::clip_grad_norm_;
using nn::utils::clip_grad_value_;

namespace {

std::vector<Tensor> parameters() {
    Tensor a = zeros({2}).requires_grad_(), b = zeros({2, 1}).requires_grad_(), none = zeros({3}).requires_grad_();
    a.set_grad(make_tensor({1, -2}, {2}));
    b.set_grad(make_tensor({0, 2}, {2, 1}));
    return {a, none, b};
}

} // namespace

TEST(ClipGrad, ScalesToTheNorm) {
    auto p = parameters();
    expect_values(clip_grad_norm_(p, 1.5), {3});
    expect_values(p[0].grad(), {0.5, -1});
    expect_values(p[2].grad(), {0, 1});
    EXPECT_FALSE(p[1].grad().defined());
}

TEST(ClipGrad, LeavesSmallGradients) {
    auto p = parameters();
    clip_grad_norm_(p, 100);
    EXPECT_EQ(values(p[0].grad()), (std::vector<double>{1, -2}));
    expect_values(clip_grad_norm_(std::vector<Tensor>{p[1]}, 1), {0});
}

TEST(ClipGrad, TakesOtherNorms) {
    auto p = parameters();
    expect_values(clip_grad_norm_(p, 100, 1), {5});
    expect_values(clip_grad_norm_(p, 100, 3), {std::cbrt(17.0)});
    expect_values(clip_grad_norm_(p, 1, std::numeric_limits<double>::infinity()), {2});
    expect_values(p[0].grad(), {0.5, -1});
    EXPECT_EQ(error_of([&] { clip_grad_norm_(p, 1, 0); }).substr(0, 14), "ArgumentError:");
}

TEST(ClipGrad, ReportsWhatIsNotFinite) {
    auto p = parameters();
    p[2].set_grad(make_tensor({1, std::numeric_limits<float>::infinity()}, {2, 1}));
    EXPECT_EQ(error_of([&] { clip_grad_norm_(p, 1, 2, true); }),
              "ArgumentError: clip_grad_norm_: got gradients of norm inf, want a finite norm");
    EXPECT_EQ(values(p[0].grad()), (std::vector<double>{1, -2}));
}

TEST(ClipGrad, ClampsValues) {
    auto p = parameters();
    clip_grad_value_(p, 1.5);
    expect_values(p[0].grad(), {1, -1.5});
    expect_values(p[2].grad(), {0, 1.5});
    EXPECT_EQ(error_of([&] { clip_grad_value_(p, -1); }).substr(0, 14), "ArgumentError:");
}

TEST(ClipGrad, NormsNeitherOverflowNorUnderflow) {
    const struct {
        DType dtype;
        double element, norm;
    } rows[] = {{kFLOAT32, 1e20, 2e20},     {kFLOAT32, 1e-25, 2e-25},   {kFLOAT16, 300, 600},
                {kFLOAT16, 1e-5, 2e-5},     {kBFLOAT16, 1e30, 2e30},    {kFLOAT64, 1e200, 2e200},
                {kFLOAT64, 1e-200, 2e-200}, {kFLOAT64, 8e307, 1.6e308}, {kFLOAT64, 5e-324, 1e-323},
                {kFLOAT16, 60000, 120000}};
    for (auto &row : rows) {
        Tensor p = zeros({4}, row.dtype).requires_grad_();
        p.set_grad(full({4}, row.element, row.dtype));
        const double element = values(p.grad())[0], norm = values(clip_grad_norm_(std::vector<Tensor>{p}, 1))[0];
        EXPECT_NEAR(norm / (2 * element), 1, 1e-6) << row.element;
        EXPECT_NEAR(values(p.grad())[0], row.norm > 1 ? 0.5 : element, row.norm > 1 ? 3e-3 : 0) << row.element;
    }
    for (double p : {0.5, 1.0, 3.0}) {
        Tensor x = zeros({4}, kFLOAT64).requires_grad_();
        x.set_grad(full({4}, 1e300, kFLOAT64));
        EXPECT_NEAR(values(clip_grad_norm_(std::vector<Tensor>{x}, 1e305, p))[0] / (1e300 * std::pow(4, 1 / p)), 1,
                    1e-12);
    }
}
