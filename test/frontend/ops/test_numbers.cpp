// SPDX-License-Identifier: BSD-3-Clause
// Numbers: those that a tensor's dtype does not hold, quotients and their remainders, sizes of 0, arguments that choose
// a dtype or a rounding.
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

namespace {
Tensor bytes(std::initializer_list<int64_t> v) { return tensor(v).to(kUINT8); }
using V = std::vector<double>;
} // namespace

TEST(Numbers, CompareExactly) {
    Tensor x = bytes({1, 255});
    EXPECT_EQ(values(x < 300), (V{1, 1}));
    EXPECT_EQ(values(x <= -19), (V{0, 0}));
    EXPECT_EQ(values(x == 257), (V{0, 0}));
    EXPECT_EQ(values(Tensor(257) != x), (V{1, 1}));
    EXPECT_EQ(values(Tensor(0.5) < x), (V{1, 1}));
    EXPECT_EQ(values(tensor({int64_t(16777217)}) == 16777216.0), (V{0}));
}

TEST(Numbers, BoundsBeyondTheDtype) {
    Tensor small = tensor({int64_t(-128), int64_t(0), int64_t(127)}).to(kINT8);
    EXPECT_EQ(values(clamp(small, -1000, 1000)), values(small));
    EXPECT_EQ(values(clamp(bytes({0, 5, 200}), -10, 10)), (V{0, 5, 10}));
    EXPECT_EQ(values(maximum(bytes({3}), -5)), (V{3}));
    EXPECT_NE(error_of([&] { minimum(bytes({3}), -5); }), "");
}

TEST(Numbers, RefusedWhereTheDtypeLacksThem) {
    Tensor x = bytes({1, 2});
    EXPECT_EQ(error_of([&] { x + 300; }), "ArgumentError: TH_add: got b 300, want a number that uint8 holds, 0 to 255");
    EXPECT_NE(error_of([&] { pow(bytes({2}), -1); }), "");
    EXPECT_NE(error_of([&] { full({2}, 300, kUINT8); }), "");
    EXPECT_NE(error_of([&] { x.fill_(std::nan("")); }), "");
    EXPECT_NE(error_of([&] { full({1}, int64_t(1) << 40, kINT32); }), "");
    EXPECT_NE(error_of([&] { where(x < 2, x, -1); }), "");
    EXPECT_EQ(values(x), (V{1, 2}));
}

TEST(Numbers, RemaindersAgreeWithTheirQuotients) {
    const double a[] = {1, -1, 7.5, 0.3, 1e15}, b[] = {0.1, 0.1, -2, 0.1, 0.7};
    for (int i = 0; i < 5; i++) {
        for (bool floors : {true, false}) {
            Tensor x = tensor<double>({a[i]}), y = tensor<double>({b[i]}).requires_grad_();
            Tensor r = floors ? remainder(x, y) : fmod(x, y), q = floors ? floor_divide(x, y) : trunc_divide(x, y);
            r.sum().backward();
            EXPECT_EQ(values(y.grad())[0], -values(q)[0]) << a[i] << " by " << b[i];
            EXPECT_EQ(values(q)[0], std::rint((a[i] - values(r)[0]) / b[i]));
        }
    }
    Tensor tenth = tensor<double>({0.1}).requires_grad_();
    remainder(tensor<double>({1.0}), tenth).sum().backward();
    EXPECT_EQ(values(tenth.grad()), (V{-9}));
}

TEST(Numbers, QuotientsAreRounded) {
    Tensor a = tensor<double>({7.0, -7.0}), b = tensor<double>({2.0});
    EXPECT_EQ(values(div(a, b, "trunc")), (V{3, -3}));
    EXPECT_EQ(values(div(a, b, "floor")), (V{3, -4}));
    EXPECT_EQ(values(div(a, b, std::nullopt)), (V{3.5, -3.5}));
    EXPECT_EQ(div(bytes({7}), bytes({2}), "trunc").dtype(), kUINT8);
    EXPECT_NE(error_of([&] { div(a, b, "up"); }), "");
    EXPECT_EQ(values(round(tensor<double>({1.25, 1350.0}), 1)), (V{1.2, 1350}));
    EXPECT_EQ(values(round(tensor<double>({1.25, 1350.0}), -2)), (V{0, 1400}));
}

TEST(Numbers, ProductsOfNothingHaveGradients) {
    const std::vector<int64_t> sizes[][2] = {{{2, 2, 0}, {0, 3}}, {{1, 1, 3}, {3, 0}}, {{0, 2}, {2, 3}}, {{2, 0}, {0}}};
    for (auto &[left, right] : sizes) {
        Tensor a = ones(left).requires_grad_(), b = ones(right).requires_grad_();
        matmul(a, b).sum().backward();
        EXPECT_EQ(test::sizes(a.grad()), left);
        EXPECT_EQ(test::sizes(b.grad()), right);
        for (double v : values(b.grad())) EXPECT_EQ(v, 0);
    }
}

TEST(Numbers, DimsOutOfRange) {
    EXPECT_EQ(error_of([] { argmax(ones({2, 3}), -65); }).substr(0, 11), "IndexError:");
    EXPECT_EQ(error_of([] { argmin(ones({2, 3}), INT32_MAX); }).substr(0, 11), "IndexError:");
}

TEST(Numbers, ReductionsTakeADtype) {
    Tensor x = bytes({200, 100});
    EXPECT_EQ(sum(x, {}, false, kFLOAT32).dtype(), kFLOAT32);
    EXPECT_EQ(values(sum(x, {}, false, kUINT8)), (V{44}));
    EXPECT_EQ(values(mean(x, {}, false, kFLOAT64)), (V{150}));
    EXPECT_EQ(values(prod(tensor<double>({1e30, 1e30}), {}, false, kFLOAT64)), (V{1e30 * 1e30}));
    Tensor h = full({3}, 40000, kFLOAT16).requires_grad_();
    Tensor total = sum(h, {}, false, kFLOAT32);
    EXPECT_EQ(values(total)[0], 3 * values(h)[0]); // beyond float16
    total.backward();
    EXPECT_EQ(h.grad().dtype(), kFLOAT16);
    EXPECT_EQ(values(h.grad()), (V{1, 1, 1}));
    EXPECT_EQ(zeros_like(x, kINT64).dtype(), kINT64);
    EXPECT_EQ(values(ones_like(x, kFLOAT32)), (V{1, 1}));
    EXPECT_EQ(empty_like(x).dtype(), kUINT8);
}

TEST(Numbers, SoftmaxTakesADtype) {
    Tensor x = tensor({0, 0, 0, 0}), h = full({2}, 60000, kFLOAT16).requires_grad_();
    EXPECT_EQ(values(softmax(x, 0, kFLOAT64)), (V{0.25, 0.25, 0.25, 0.25}));
    EXPECT_EQ(log_softmax(x, 0, kFLOAT32).dtype(), kFLOAT32);
    Tensor y = softmax(h, 0, kFLOAT32);
    EXPECT_EQ(y.dtype(), kFLOAT32);
    y.select(0, 0).backward();
    EXPECT_EQ(h.grad().dtype(), kFLOAT16);
    EXPECT_EQ(values(h.grad()), (V{0.25, -0.25}));
}

TEST(Numbers, CrossEntropyOfProbabilities) {
    // -log(1/4) whatever the distribution, where the logits are equal
    Tensor logits = zeros({2, 4}, kFLOAT64), p = tensor<double>({0.1, 0.2, 0.3, 0.4, 1, 0, 0, 0}).view({2, 4});
    EXPECT_NEAR(values(cross_entropy(logits, p))[0], std::log(4.0), 1e-15);
    // a distribution that is certain is the class index
    Tensor x = tensor<double>({1, 2, 3, 4, 4, 3, 2, 1}).view({2, 4}),
           sure = tensor<double>({0, 0, 1, 0, 1, 0, 0, 0}).view({2, 4});
    EXPECT_NEAR(values(cross_entropy(x, sure))[0], values(cross_entropy(x, tensor({2, 0})))[0], 1e-15);
    EXPECT_NE(error_of([&] { cross_entropy(x, sure.narrow(1, 0, 3)); }).find("want equal sizes"), std::string::npos);
    EXPECT_NE(error_of([&] { cross_entropy(x, sure, {}, 2); }).find("ignore_index"), std::string::npos);
    EXPECT_NE(error_of([&] { cross_entropy(x, sure, ones({3})); }).find("want [4]"), std::string::npos);
    EXPECT_NE(error_of([&] { cross_entropy(x, sure, {}, -100, "mean", 2); }).find("label_smoothing"),
              std::string::npos);
}

TEST(Numbers, EyeIsRectangular) {
    Tensor e = eye(2, 3, kINT32);
    EXPECT_EQ(values(e), (V{1, 0, 0, 0, 1, 0}));
    EXPECT_EQ(values(eye(2)), (V{1, 0, 0, 1}));
}

TEST(Numbers, ScatterOfNumbersAndProducts) {
    Tensor x = tensor<double>({1.0, 2.0, 3.0}).requires_grad_(), index = tensor({int64_t(2), int64_t(2), int64_t(0)});
    EXPECT_EQ(values(scatter(x, 0, index, 5)), (V{5, 2, 5}));
    EXPECT_EQ(values(scatter(x, 0, index, 2, "add")), (V{3, 2, 7}));
    Tensor y = scatter(x, 0, index, tensor<double>({2.0, 3.0, 4.0}), "multiply");
    EXPECT_EQ(values(y), (V{4, 2, 18}));
    y.sum().backward();
    EXPECT_EQ(values(x.grad()), (V{4, 1, 6}));
    Tensor number = full({}, 5, kFLOAT64).requires_grad_();
    scatter(x, 0, index, number).sum().backward();
    EXPECT_EQ(number.grad().dim(), 0);
    EXPECT_NE(error_of([&] { scatter(x, 0, index, 2, "mean"); }), "");
    EXPECT_NE(error_of([&] { scatter(bytes({1, 2, 3}), 0, index, 300); }), "");
}

TEST(Numbers, NormalOfTensors) {
    manual_seed(3);
    Tensor mean_ = tensor<double>({0.0, 1000.0}), std_ = tensor<double>({0.0, 1.0}), y = normal(mean_, std_);
    EXPECT_EQ(values(y)[0], 0);
    EXPECT_NEAR(values(y)[1], 1000, 6);
    Tensor many = normal(zeros({20000}, kFLOAT64), full({}, 2, kFLOAT64));
    EXPECT_NEAR(values(mean(square(many)))[0], 4, 0.2);
    EXPECT_NE(error_of([&] { normal(mean_, tensor<double>({-1.0, 1.0})); }), "");
}

TEST(Numbers, LinearWithAVector) {
    Tensor x = tensor<double>({1.0, 2.0, 3.0, 4.0}).reshape({2, 2}), w = tensor<double>({10.0, 1.0}),
           b = full({}, 0.5, kFLOAT64);
    EXPECT_EQ(values(linear(x, w, b)), (V{12.5, 34.5}));
    EXPECT_EQ(values(linear(x.select(0, 0), w)), (V{12}));
    EXPECT_EQ(test::sizes(linear(x, w)), (std::vector<int64_t>{2}));
}

TEST(Numbers, VarOfTooFew) {
    EXPECT_TRUE(std::isnan(values(var(tensor<double>({3.0})))[0]));
    EXPECT_EQ(values(var(tensor<double>({1.0, 2.0}), {}, 2))[0], INFINITY);
    EXPECT_TRUE(std::isnan(values(var(zeros({0})))[0]));
}
