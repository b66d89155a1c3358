// SPDX-License-Identifier: BSD-3-Clause
// Calls that are refused, are refused before anything of the data's size is made: options, dtypes and sizes come first.
#include "TH/memory.h"
#include "support/errors.hpp"
#include "support/wick.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include <functional>

using namespace wick;

namespace {
const int64_t N = 256, C = 1024;

THMemoryStats memory() {
    THMemoryStats stats{};
    stats.struct_size = sizeof stats;
    TH_memory_stats(&stats);
    return stats;
}

/// The most that f had allocated above what there was.
int64_t made(const std::function<void()> &f) {
    const int64_t before = memory().allocated;
    TH_memory_reset_peak();
    f();
    return memory().peak - before;
}

struct Case {
    const char *what;
    std::function<Tensor()> call;
};

/// What all calls are made of.
struct Data {
    Tensor x = ones({N, C}), whole = ones({N, C}, kINT32), short_ = ones({C - 1}), per_class = ones({C});
    Tensor wide = ones({C}, kFLOAT64), target = zeros({N}, kINT64), few = zeros({N - 1}, kINT64);
    Tensor p = full({N, C}, 1.0 / C), image = ones({4, 16, 64, 64}), weight = ones({16, 16, 3, 3});
    Tensor asks = ones({C}).requires_grad_(), index = zeros({N, C}, kINT64), other = ones({N, C - 1});
    Tensor tall = ones({C, 8}), tall64 = tall.to(kFLOAT64), weight64 = weight.to(kFLOAT64), beyond = full({N, C}, N);
    Tensor rows_beyond = full({N}, N), shorts = target.to(kINT16), matrix = ones({32, 64});
};

std::vector<Case> losses(const Data &d) {
    std::vector<Case> out;
    using Loss = std::function<Tensor(const Tensor &, const Tensor &, const Tensor &, std::string_view, double)>;
    const Loss nll = [](auto &x, auto &t, auto &w, auto r, double) { return nll_loss(x, t, w, -100, r); };
    const Loss cross = [](auto &x, auto &t, auto &w, auto r, double s) { return cross_entropy(x, t, w, -100, r, s); };
    for (const Loss &loss : {nll, cross}) {
        auto add = [&](const char *what, const Tensor &x, const Tensor &t, const Tensor &w, const char *r,
                       double s = 0) {
            out.push_back({what, [=] { return loss(x, t, w, r, s); }});
        };
        add("loss: reduction", d.x, d.target, {}, "avg");
        add("loss: too few targets", d.x, d.few, {}, "mean");
        add("loss: dtype of targets", d.x, d.shorts, {}, "mean");
        add("loss: class weights", d.x, d.target, d.short_, "mean");
        add("loss: dtype of class weights", d.x, d.target, d.wide, "mean");
        add("loss: class weights with gradient", d.x, d.target, d.asks, "mean");
        add("loss: dtype", d.whole, d.target, {}, "mean");
    }
    auto add = [&](const char *what, const Tensor &x, const Tensor &t, const Tensor &w, const char *r, double s) {
        out.push_back({what, [=] { return cross_entropy(x, t, w, -100, r, s); }});
    };
    add("cross_entropy: smoothing", d.x, d.target, {}, "mean", 2);
    add("probabilities: reduction", d.x, d.p, {}, "avg", 0.5);
    add("probabilities: sizes", d.x, d.other, {}, "mean", 0.5);
    add("probabilities: class weights", d.x, d.p, d.short_, "mean", 0.5);
    add("probabilities: smoothing", d.x, d.p, {}, "mean", -1);
    add("probabilities: dtype", d.whole, d.p, {}, "mean", 0.5);
    out.push_back({"probabilities: ignore_index", [=] { return cross_entropy(d.x, d.p, {}, 3); }});
    return out;
}

std::vector<Case> layers(const Data &d) {
    return {
        {"conv2d: padding", [=] { return conv2d(d.image, d.weight, {}, 1, Text("full")); }},
        {"conv2d: same with stride", [=] { return conv2d(d.image, d.weight, {}, 2, Text("same")); }},
        {"conv2d: groups", [=] { return conv2d(d.image, d.weight, {}, 1, 0, 1, 3); }},
        {"conv2d: dtype", [=] { return conv2d(d.image, d.weight64); }},
        {"conv2d: bias", [=] { return conv2d(d.image, d.weight, d.short_); }},
        {"conv2d: window", [=] { return conv2d(d.image, d.weight, {}, 1, 0, 60); }},
        {"max_pool2d: stride",
         [=] {
             return max_pool2d(d.image, 2, {1, 2, 3});
         }},
        {"max_pool2d: padding", [=] { return max_pool2d(d.image, 2, {}, 2); }},
        {"avg_pool2d: divisor", [=] { return avg_pool2d(d.image, 2, {}, 0, false, true, 0); }},
        {"avg_pool2d: kernel", [=] { return avg_pool2d(d.image, 65); }},
        {"batch_norm: eps", [=] { return batch_norm(d.x, {}, {}, {}, {}, true, 0.1, -1); }},
        {"batch_norm: statistics", [=] { return batch_norm(d.x, {}, {}, {}, {}, false); }},
        {"batch_norm: one of two", [=] { return batch_norm(d.x, d.per_class, {}, {}, {}, true); }},
        {"batch_norm: weight", [=] { return batch_norm(d.x, {}, {}, d.short_, {}, true); }},
        {"batch_norm: dtype", [=] { return batch_norm(d.x, {}, {}, d.wide, {}, true); }},
        {"dropout: p", [=] { return dropout(d.x, 2); }},
        {"gelu: approximate", [=] { return gelu(d.x, "no"); }},
        {"softplus: beta", [=] { return softplus(d.x, 0); }},
        {"silu: dtype", [=] { return silu(d.whole); }},
        {"softmax: dim, cast", [=] { return softmax(d.x, 2, kFLOAT64); }},
        {"softmax: dtype", [=] { return softmax(d.x, 1, kINT64); }},
        {"log_softmax: dim, cast", [=] { return log_softmax(d.x, -3, kFLOAT64); }},
        {"log_softmax: dtype", [=] { return log_softmax(d.x, 1, kINT64); }},
        {"linear: bias", [=] { return linear(d.image, d.matrix, d.short_); }},
        {"linear: weight", [=] { return linear(d.x, d.other, d.per_class); }},
    };
}

std::vector<Case> numbers(const Data &d) {
    return {
        {"sum: dim, cast", [=] { return sum(d.x, {2}, false, kFLOAT64); }},
        {"sum: dim twice, cast",
         [=] {
             return sum(d.x, {0, -2}, false, kFLOAT64);
         }},
        {"prod: dim, cast", [=] { return prod(d.x, {2}, false, kFLOAT64); }},
        {"mean: dim, cast", [=] { return mean(d.x, {2}, false, kFLOAT64); }},
        {"mean: dtype", [=] { return mean(d.x, {}, false, kINT64); }},
        {"var: dim", [=] { return var(d.x, {2}); }},
        {"argmax: dim", [=] { return argmax(d.x, 2); }},
        {"max: dim", [=] { return max(d.x, 2).values; }},
        {"div: rounding", [=] { return div(d.x, d.x, "up"); }},
        {"add: sizes", [=] { return d.x + d.other; }},
        {"where: sizes", [=] { return where(gt(d.per_class, 0), d.x, d.other); }},
        {"clamp: sizes", [=] { return clamp(d.x, d.short_); }},
        {"addcmul: sizes", [=] { return addcmul(d.x, d.x, d.other); }},
        {"lerp: sizes", [=] { return lerp(d.x, d.x, d.short_); }},
        {"normal: sizes", [=] { return normal(d.x, d.other); }},
        {"rand: dtype",
         [=] {
             return rand({N, C}, kINT32);
         }},
        {"randn: dtype",
         [=] {
             return randn({N, C}, kINT32);
         }},
        {"randint: bounds",
         [=] {
             return randint(5, 5, {N, C});
         }},
        {"randint: range",
         [=] {
             return randint(0, 300, {N, C}, kUINT8);
         }},
        {"full: value",
         [=] {
             return full({N, C}, 300, kUINT8);
         }},
        {"linspace: bounds", [=] { return linspace(0, INFINITY, N * C); }},
        {"arange: step", [=] { return arange(0, N * C, -1); }},
        {"mm: sizes", [=] { return mm(d.x, d.x); }},
        {"matmul: dtypes", [=] { return matmul(d.x, d.tall64); }},
        {"addmm: sizes", [=] { return addmm(d.short_, d.x, d.tall); }},
        {"cat: sizes",
         [=] {
             return cat(std::vector{d.x, d.other});
         }},
        {"stack: sizes",
         [=] {
             return stack(std::vector{d.x, d.other});
         }},
        {"gather: sizes", [=] { return gather(d.other, 0, d.index); }},
        {"scatter: reduce", [=] { return scatter(d.x, 0, d.index, d.x, "mean"); }},
        {"scatter: sizes", [=] { return scatter(d.x, 0, d.index, d.other, "multiply"); }},
        {"scatter: index", [=] { return scatter(d.x, 0, d.beyond, d.x, "multiply"); }},
        {"scatter_add: dtype", [=] { return scatter_add(d.x, 0, d.index, d.whole); }},
        {"index_select: index", [=] { return index_select(d.x, 0, d.rows_beyond); }},
        {"index_add: sizes", [=] { return index_add(d.x, 0, d.few, d.x); }},
        {"reshape: sizes",
         [=] {
             return reshape(transpose(d.x, 0, 1), {3, -1});
         }},
        {"as_strided_scatter: sizes", [=] { return as_strided_scatter(d.x, d.other, {2}, {1}); }},
        {"uniform_: dtype",
         [=] {
             Tensor t = d.whole;
             return Tensor(uniform_(t));
         }},
        {"uniform_: bounds",
         [=] {
             Tensor t = d.x;
             return Tensor(uniform_(t, 1, 0));
         }},
        {"bernoulli_: p",
         [=] {
             Tensor t = d.x;
             return Tensor(bernoulli_(t, 2));
         }},
    };
}
} // namespace

TEST(Checks, ComeBeforeWork) {
    const Data d;
    for (const auto &cases : {losses(d), layers(d), numbers(d)})
        for (const Case &c : cases) {
            std::string error = test::error_of([&] { c.call(); }); // the first error of a thread makes room for texts
            EXPECT_NE(error, "") << c.what;
            EXPECT_LE(made([&] { test::error_of([&] { c.call(); }); }), 16384) << c.what << ": " << error;
        }
}

TEST(Checks, ARefusedBatchDoesNotCount) {
    nn::BatchNorm1d norm(4);
    EXPECT_NE(test::error_of([&] { norm(ones({3, 5})); }), "");
    EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 0);
    norm(ones({3, 4}));
    EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 1);
    nn::BatchNorm1d average({.num_features = 1, .momentum = std::nullopt}); // the mean over all batches
    average(wick::test::make_tensor({1, 3}, {2, 1})), average(wick::test::make_tensor({5, 9}, {2, 1}));
    wick::test::expect_values(average.running_mean, {(2.0 + 7) / 2});
}
