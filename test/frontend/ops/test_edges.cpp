// SPDX-License-Identifier: BSD-3-Clause
// Gradients where ops choose, count, drop or have nothing: ties, zeros among factors, sources larger than their index,
// sums over nothing, saved values that change.
#include "support/errors.hpp"
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <functional>

using namespace wick;
using test::expect_values;
using test::values;

namespace {
const DType FLOATS[] = {kFLOAT16, kBFLOAT16, kFLOAT32, kFLOAT64};

Tensor leaf(const std::vector<double> &v, Sizes sizes, DType d = kFLOAT64) {
    return from_data(v.data(), sizes, kFLOAT64).to(d).requires_grad_();
}
Tensor leaf(const std::vector<double> &v, DType d = kFLOAT64) { return leaf(v, {static_cast<int64_t>(v.size())}, d); }

/// Gradients of the sum of y times 1, 2, 3, ...
std::vector<Tensor> gradients(const Tensor &y, const std::vector<Tensor> &x, bool again = false) {
    Tensor seed = arange(1, y.numel() + 1, 1, y.dtype()).reshape(y.sizes());
    return grad({&y, 1}, x, {&seed, 1}, {.create_graph = again}, true);
}

/// Second derivatives of y = f(x), row by row.
Tensor hessian(const std::function<Tensor(const Tensor &)> &f, const Tensor &x) {
    Tensor y = f(x);
    Tensor g = grad({&y, 1}, {&x, 1}, {}, {.create_graph = true})[0];
    std::vector<double> out;
    for (int64_t i = 0; i < x.numel(); i++) {
        Tensor gi = g.flatten()[i];
        Tensor row = gi.requires_grad() ? grad({&gi, 1}, {&x, 1}, {}, {.retain_graph = true}, true)[0] : Tensor();
        for (double v : values(row.defined() ? row : zeros_like(x))) out.push_back(v);
    }
    return tensor(out);
}
} // namespace

TEST(Ties, OperandsShareTheGradient) {
    for (DType d : FLOATS)
        for (auto choose : {maximum, minimum, fmax, fmin}) {
            Tensor a = leaf({1, -2, 3}, d), b = leaf({1, -2, 3}, d);
            std::vector<Tensor> g = gradients(choose(a, b), {a, b});
            expect_values(g[0], {0.5, 1, 1.5}, 0);
            expect_values(g[1], {0.5, 1, 1.5}, 0);
        }
}

TEST(Ties, ExtremesShareAmongAllThatAreOne) {
    for (DType d : FLOATS)
        for (auto reduce : {amax, amin}) {
            Tensor x = leaf({2, 2, 2, 2, 7, 7}, {2, 3}, d);
            expect_values(gradients(reduce(x, {}, false), {x})[0],
                          reduce == amax ? std::vector<double>{0, 0, 0, 0, 0.5, 0.5}
                                         : std::vector<double>{0.25, 0.25, 0.25, 0.25, 0, 0},
                          0);
            Tensor z = leaf({3, 3, 1, 1}, {2, 2}, d);
            expect_values(gradients(reduce(z, {1}, false), {z})[0], {0.5, 0.5, 1, 1}, 0);
        }
    Tensor nan = leaf({NAN, 1, NAN});
    expect_values(gradients(max(nan), {nan})[0], {0.5, 0, 0.5}, 0);
}

TEST(Ties, MoreThanAHalfCounts) {
    Tensor x = ones({4096 * 17}, kFLOAT16).requires_grad_(), seed = full({}, 65504, kFLOAT16);
    Tensor y = max(x);
    Tensor g = grad({&y, 1}, {&x, 1}, {&seed, 1})[0];
    EXPECT_NEAR(g[5].item<double>(), 65504.0 / (4096 * 17), 1e-3);
    Tensor m = mean(x);
    EXPECT_NEAR(gradients(m, {x})[0][7].item<double>(), 1.0 / (4096 * 17), 6e-8); // a subnormal half
}

TEST(Ties, ClampSharesWithItsBounds) {
    Tensor x = leaf({-1, 0, 0.5, 1, 2}), lo = leaf({0}), hi = leaf({1});
    std::vector<Tensor> g = gradients(clamp(x, lo, hi), {x, lo, hi});
    expect_values(g[0], {0, 1, 3, 2, 0}, 0);
    expect_values(g[1], {1 + 1}, 0);
    expect_values(g[2], {2 + 5}, 0);
    expect_values(gradients(clamp(x, 0, 1), {x})[0], {0, 1, 3, 2, 0}, 0);
    expect_values(gradients(clamp(x, 2, 1), {x})[0], {0, 0, 0, 0, 0}, 0); // crossed bounds: the upper one is the result
    Tensor nan = leaf({NAN});
    expect_values(gradients(clamp(nan, 0, 1), {nan})[0], {1}, 0);
}

TEST(Products, GradientsKeepZeros) {
    for (DType d : FLOATS) {
        Tensor x = leaf({0, 3, 2}, d), two = leaf({0, 0, 2}, d), none = leaf({}, d);
        auto product = [](const Tensor &t) { return prod(t); };
        expect_values(gradients(prod(x), {x})[0], {6, 0, 0}, 0);
        expect_values(hessian(product, x), {0, 2, 3, 2, 0, 0, 3, 0, 0}, 0);
        expect_values(gradients(prod(two), {two})[0], {0, 0, 0}, 0);
        expect_values(hessian(product, two), {0, 2, 0, 2, 0, 0, 0, 0, 0}, 0);
        EXPECT_EQ(gradients(prod(none), {none})[0].numel(), 0);
    }
    Tensor rows = leaf({0, 3, 2, 5, 1, 4, 7, 2, 2, 6}, {2, 5});
    expect_values(gradients(prod(rows, {1}), {rows})[0],
                  {30, 0, 0, 0, 0, 2 * 168., 2 * 96., 2 * 336., 2 * 336., 2 * 112.}, 0);
}

TEST(Products, GradientsReachBeyondTheProduct) {
    for (DType d : {kBFLOAT16, kFLOAT32}) {
        Tensor big = leaf({0x1p100, 0x1p100}, d), small = leaf({0x1p-100, 0x1p-100}, d),
               mixed = leaf({0x1p-100, 0x1p100}, d);
        expect_values(gradients(prod(big), {big})[0], {0x1p100, 0x1p100}, 0);
        expect_values(gradients(prod(small), {small})[0], {0x1p-100, 0x1p-100}, 0);
        expect_values(hessian([](const Tensor &t) { return prod(t); }, mixed), {0, 1, 1, 0}, 0);
    }
}

TEST(Products, ALargeOneWithAZeroIsLinear) {
    Tensor x = ones({1 << 17}).requires_grad_();
    {
        NoGrad guard;
        x[5].zero_();
    }
    Tensor g = gradients(prod(x), {x})[0]; // n x n would be 64 GiB
    EXPECT_EQ(g[5].item<double>(), 1);
    EXPECT_EQ(g.sum().item<double>(), 1);
}

TEST(Variance, GradientOfWhatIsFarFromZero) {
    Tensor x = leaf({16777216, 16777218, 16777228}, kFLOAT32); // their mean is no float
    expect_values(gradients(var(x), {x})[0], {-14.0 / 3, -8.0 / 3, 22.0 / 3}, 1e-6);
}

TEST(Scatter, SourcesLargerThanTheIndex) {
    Tensor index = tensor(std::vector<int64_t>{0, 1}).reshape({1, 2});
    Tensor src = zeros({2, 3}).requires_grad_(), x = zeros({3, 4}).requires_grad_();
    scatter_add(x, 1, index, src).sum().backward();
    expect_values(src.grad(), {1, 1, 0, 0, 0, 0}, 0);
    expect_values(x.grad(), std::vector<double>(12, 1), 0);
    src.set_grad({}), x.set_grad({});
    scatter(x, 1, index, src).sum().backward();
    expect_values(src.grad(), {1, 1, 0, 0, 0, 0}, 0);
    expect_values(x.grad(), {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0);
    src.set_grad({}), x.set_grad({});
    Tensor none = empty({0, 2}, kINT64);
    (scatter_add(x, 1, none, src).sum() + scatter(x, 1, none, src).sum()).backward();
    expect_values(src.grad(), std::vector<double>(6, 0), 0);
    expect_values(x.grad(), std::vector<double>(12, 2), 0);
    x.set_grad({});
    gather(x, 1, tensor(std::vector<int64_t>{3, 3}).reshape({1, 2})).sum().backward(); // an index smaller than x
    expect_values(x.grad(), {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}, 0);
}

/// Against the same products along a dimension of their own, without repetition.
TEST(Scatter, ProductsOfWhatRequiresGrad) {
    Tensor index = tensor(std::vector<int64_t>{0, 1, 0, -3, 0, 1});
    for (auto factors :
         {std::vector<double>{2, 3, 0.5, -1, 4, 5}, {0, 3, 2, 7, 4, 0}, {0, 3, 0, 7, 4, 2}, {0, 0, 0, 0, 2, 0}}) {
        Tensor x = leaf({3, 2, 6}), src = leaf(factors);
        auto scattered = [&](const Tensor &all) {
            return scatter(narrow(all, 0, 0, 3), 0, index, narrow(all, 0, 3, 6), "multiply");
        };
        auto multiplied = [&](const Tensor &all) { // x[0] f0 f2 f3 f4, x[1] f1 f5, x[2]
            return cat(std::vector{prod(index_select(all, 0, tensor(std::vector<int64_t>{0, 3, 5, 6, 7}))).reshape({1}),
                                   prod(index_select(all, 0, tensor(std::vector<int64_t>{1, 4, 8}))).reshape({1}),
                                   narrow(all, 0, 2, 1)});
        };
        Tensor all = cat(std::vector{x, src}).detach().requires_grad_();
        expect_values(scattered(all), values(multiplied(all)), 0);
        expect_values(gradients(scattered(all), {all})[0], values(gradients(multiplied(all), {all})[0]), 0);
        expect_values(hessian([&](const Tensor &t) { return sum(square(scattered(t))); }, all),
                      values(hessian([&](const Tensor &t) { return sum(square(multiplied(t))); }, all)), 1e-12);
    }
}

TEST(Scatter, ProductsOfHalvesWithLargeParts) {
    const Tensor index = zeros({5}, kINT64);
    for (DType d : {kFLOAT16, kBFLOAT16}) {
        Tensor x = leaf({1}, d), src = leaf({300, 300, 0.001, 0.01, 0.125}, d), all[] = {x, src}, exact[2];
        for (int k = 0; k < 2; k++) exact[k] = all[k].detach().to(kFLOAT64).requires_grad_();
        std::vector<Tensor> got = gradients(scatter(x, 0, index, src, "multiply"), {x, src}),
                            want = gradients(scatter(exact[0], 0, index, exact[1], "multiply"), {exact[0], exact[1]});
        for (size_t k = 0; k < 2; k++)
            expect_values(got[k].to(kFLOAT64) / want[k], std::vector<double>(k ? 5 : 1, 1),
                          d == kFLOAT16 ? 0x1p-11 : 0x1p-8);
    }
}

TEST(Scatter, FactorsLargerThanTheIndexAndNumbers) {
    Tensor index = tensor(std::vector<int64_t>{0, 1, 1, 1}).reshape({2, 2});
    for (DType d : FLOATS) {
        Tensor x = leaf({3, 5}, {1, 2}, d).reshape({1, 2}), src = leaf({2, 0, 9, 7, 4, 9}, {2, 3}, d);
        Tensor tall = cat(std::vector{x, x});
        expect_values(gradients(scatter(tall, 1, index, src, "multiply"), {src})[0], {3, 10, 0, 80, 140, 0}, 0);
        Tensor number = leaf({2}, Sizes(), d);
        Tensor y = scatter(tall, 1, index, number, "multiply"); // 3 n, 5 n, 3, 5 n^2
        expect_values(gradients(y, {number})[0], {1 * 3 + 2 * 5 + 4 * 20}, 0);
        Tensor single = leaf({2}, Sizes(), kFLOAT32); // a number of another dtype
        expect_values(gradients(scatter(tall, 1, index, single, "multiply"), {single})[0], {93}, 0);
    }
    Tensor x = leaf({3}, Sizes()), src = leaf({4}, Sizes()), at = tensor(std::vector<int64_t>{0}).reshape({});
    expect_values(gradients(scatter(x, 0, at, src, "multiply"), {src})[0], {3}, 0);
}

TEST(Matmul, GradientsOfNothing) {
    Tensor a = zeros({2, 2, 0}).requires_grad_(), b = zeros({0, 3}).requires_grad_();
    matmul(a, b).sum().backward();
    EXPECT_EQ(a.grad().describe(), a.describe());
    EXPECT_EQ(b.grad().describe(), b.describe());
    Tensor c = ones({1, 1, 3}).requires_grad_(), d = zeros({3, 0}).requires_grad_();
    matmul(c, d).sum().backward();
    expect_values(c.grad(), {0, 0, 0}, 0);
    EXPECT_EQ(d.grad().describe(), d.describe());
}

TEST(Recorded, DropoutPassesWhatItKept) {
    manual_seed(3);
    Tensor x = ones({1000}, kFLOAT64).requires_grad_();
    Tensor y = dropout(x, 0.25);
    Tensor g = gradients(y.sum(), {x}, true)[0];
    EXPECT_TRUE(all(eq(g, y)).item<bool>()); // x is 1: the gradient is the scale, where y has it
    EXPECT_GT(g.sum().item<double>(), 900);
    EXPECT_EQ(max(g).item<double>(), 4.0 / 3);
    EXPECT_FALSE(g.requires_grad()); // linear
    Tensor seed = ones_like(y).requires_grad_();
    Tensor first = grad({&y, 1}, {&x, 1}, {&seed, 1}, {.create_graph = true})[0];
    EXPECT_TRUE(all(eq(gradients(first.sum(), {seed})[0], y)).item<bool>());
}

TEST(Recorded, CastsPassTheGradient) {
    for (DType from : FLOATS)
        for (DType to : FLOATS) {
            Tensor x = leaf({1, 2, 3}, from);
            Tensor y = x.to(to), g = gradients(y, {x})[0];
            EXPECT_EQ(y.requires_grad(), true);
            ASSERT_TRUE(g.defined());
            EXPECT_EQ(g.dtype(), from);
            expect_values(g, {1, 2, 3}, 0);
        }
    EXPECT_FALSE(leaf({1}).to(kINT32).requires_grad());
}

TEST(Recorded, PowersAtTheExponentZero) {
    Tensor x = leaf({0, 2, -3}), zero = leaf({0, 0, 0});
    expect_values(gradients(pow(x, 0), {x})[0], {0, 0, 0}, 0);
    expect_values(gradients(pow(x, zero), {x, zero})[0], {0, 0, 0}, 0);
    Tensor y = pow(x, zero);
    Tensor g = gradients(y, {x}, true)[0];
    std::vector<double> mixed = values(grad({&g, 1}, {&zero, 1}, {&y, 1})[0]); // of x^b by x and b: 1 / x
    EXPECT_EQ(mixed[1], 2 * 0.5);
}

TEST(Recorded, PowersByNumbersAndByTensorsAgree) {
    for (double e : {0., 1., 2., 3., 0.5, -1.}) {
        Tensor x = leaf({0, 1e-20, 2, HUGE_VAL}), b = full({4}, e, kFLOAT64);
        Tensor y[] = {pow(x, e), pow(x, b)}, first[2], second[2];
        for (int i : {0, 1}) {
            first[i] = gradients(y[i].sum(), {x}, true)[0];
            second[i] = gradients(first[i].sum(), {x})[0];
        }
        // A number as exponent may have a shorter way to the power: another rounding.
        for (const Tensor *g : {first, second}) {
            const std::vector<double> by_number = values(g[0]), by_tensor = values(g[1]);
            for (size_t i = 0; i < 4; i++)
                EXPECT_TRUE(by_number[i] == by_tensor[i] || std::abs(by_number[i] / by_tensor[i] - 1) < 1e-14)
                    << e << ": " << by_number[i] << " and " << by_tensor[i];
        }
    }
}

TEST(Recorded, BatchNormTwiceInEvalMode) {
    manual_seed(4);
    Tensor x = randn({4, 3, 2}, kFLOAT64), mean_ = randn({3}, kFLOAT64), var_ = rand({3}, kFLOAT64) + 0.5;
    for (bool training : {false, true})
        gradcheck(
            [&](std::span<const Tensor> in) {
                return batch_norm(in[0], mean_.clone(), var_.clone(), in[1], in[2], training);
            },
            std::vector{x, randn({3}, kFLOAT64), randn({3}, kFLOAT64)});
    // In eval mode y = (x - mean) w / sqrt(var + eps) + b: the second derivative by x and w is 1 / sqrt(var + eps).
    Tensor w = ones({3}, kFLOAT64).requires_grad_();
    x.requires_grad_();
    Tensor y = batch_norm(x, mean_, var_, w, {}, false, 0.1, 0);
    Tensor seed = ones_like(y), g = grad({&y, 1}, {&x, 1}, {&seed, 1}, {.create_graph = true})[0];
    Tensor g0 = g[0].select(1, 0).sum();
    test::expect_values(grad({&g0, 1}, {&w, 1})[0], values(rsqrt(var_)), 1e-12);
}

TEST(Recorded, LossNoticesWhatChangedInPlace) {
    Tensor input = randn({4, 3}, kFLOAT64).requires_grad_(), weight = ones({3}, kFLOAT64);
    Tensor target = tensor(std::vector<int64_t>{0, 1, 2, 0});
    for (int which : {0, 1}) {
        Tensor nll = nll_loss(input, target, weight), ce = cross_entropy(input, target, weight);
        (which ? weight : target).fill_(1);
        EXPECT_WICK_ERROR(nll.backward(), TH_E_AUTOGRAD, "changed in place");
        EXPECT_WICK_ERROR(ce.backward(), TH_E_AUTOGRAD, "changed in place");
    }
}

TEST(Softmax, GradientsWhereOneClassIsCertain) {
    for (DType d : {kFLOAT32, kFLOAT64}) {
        Tensor x = leaf({18, 0}, {1, 2}, d); // 1 - p is 1 in float32
        double p = 1 / (1 + std::exp(18.0)), rel = d == kFLOAT32 ? 1e-5 : 1e-7;
        for (bool again : {false, true}) {
            Tensor first = gradients(softmax(x, 1)[0][0], {x}, again)[0];
            expect_values(first, {p * (1 - p), -p * (1 - p)}, p * rel);
            Tensor loss = gradients(cross_entropy(x, zeros({1}, kINT64)), {x}, again)[0];
            expect_values(loss, {-p, p}, p * rel);
        }
    }
}

TEST(Softmax, MaskedClassesHaveNoGradient) {
    Tensor x = leaf({1, 2, -HUGE_VAL}, {1, 3});
    double p = 1 / (1 + std::exp(1.0)), q = 1 - p;
    auto loss = [](const Tensor &t) { return cross_entropy(t, zeros({1}, kINT64)); };
    auto first = [](const Tensor &t) { return softmax(t, 1)[0][0]; };
    for (bool again : {false, true}) {
        expect_values(gradients(loss(x), {x}, again)[0], {p - 1, q, 0}, 1e-15);
        expect_values(gradients(first(x), {x}, again)[0], {p * q, -p * q, 0}, 1e-15);
    }
    expect_values(hessian(loss, x), {p * q, -p * q, 0, -p * q, p * q, 0, 0, 0, 0}, 1e-15);
    double s = p * q * (q - p);
    expect_values(hessian(first, x), {s, -s, 0, -s, s, 0, 0, 0, 0}, 1e-15);
}

TEST(Softplus, IsLinearBeyondItsThreshold) {
    const double below = std::log1p(std::exp(2.0)) / 2, sigmoid2 = 1 / (1 + std::exp(-2.0));
    for (DType d : FLOATS) {
        const double ulp = d == kFLOAT64 ? 1e-15 : d == kFLOAT32 ? 1e-6 : 1e-2;
        Tensor x = leaf({1, 2.5, 30, -INFINITY}, d), y = softplus(x, 2, 4);
        expect_values(y, {below, 2.5, 30, 0}, ulp);
        Tensor g = gradients(y, {x}, true)[0];
        expect_values(g, {sigmoid2, 2, 3, 0}, ulp);
        expect_values(gradients(g, {x})[0], {2 * sigmoid2 * (1 - sigmoid2), 0, 0, 0}, 4 * ulp);
    }
    Tensor x = leaf({19, 21}), y = softplus(x); // by default beyond 20
    expect_values(y, {19 + std::log1p(std::exp(-19.0)), 21}, 0);
    EXPECT_GT(values(y)[0], 19);
    expect_values(gradients(y, {x})[0], {1 / (1 + std::exp(-19.0)), 2}, 0);
    EXPECT_GT(values(softplus(x, 1, INFINITY))[1], 21);
}

TEST(Norms, GradientsDoNotDependOnTheScale) {
    manual_seed(5);
    Tensor x = randn({4, 3, 2}), seed = randn({4, 3, 2});
    for (DType d : {kBFLOAT16, kFLOAT32})
        for (bool again : {false, true}) {
            auto scaled = [&](double by) {
                Tensor at = (x.to(d) * by).requires_grad_(), y = batch_norm(at, {}, {}, {}, {}, true, 0.1, 0);
                Tensor s = seed.to(d);
                return values(grad({&y, 1}, {&at, 1}, {&s, 1}, {.create_graph = again})[0].to(kFLOAT64) * by);
            };
            std::vector<double> want = scaled(1);
            for (double by : {0x1p80, 0x1p-80}) {
                std::vector<double> got = scaled(by);
                for (size_t i = 0; i < want.size(); i++) EXPECT_NEAR(got[i], want[i], 1e-5) << by;
            }
        }
}

TEST(Variance, GradientWhereTheVarianceOverflows) {
    Tensor x = leaf({0x1p80, -0x1p80}, kFLOAT32);
    EXPECT_TRUE(std::isinf(var(x).item<double>()));
    expect_values(gradients(var(x), {x})[0], {0x1p81, -0x1p81}, 0);
}
