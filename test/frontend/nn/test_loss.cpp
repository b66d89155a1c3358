// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/loss.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

namespace {

const double LOGITS[3][2] = {{1, 2}, {0, 0}, {3, -1}};
const int TARGET[3] = {0, 1, 0};

Tensor logits() { return make_tensor({1, 2, 0, 0, 3, -1}, {3, 2}); }
Tensor target() { return tensor<int64_t>({0, 1, 0}); }

double log_prob(int row, int column) {
    return LOGITS[row][column] - std::log(std::exp(LOGITS[row][0]) + std::exp(LOGITS[row][1]));
}

} // namespace

TEST(Loss, CrossEntropyIsTheMeanOfLogProbabilities) {
    double want = 0;
    for (int i = 0; i < 3; i++) want -= log_prob(i, TARGET[i]) / 3;
    Tensor x = logits().requires_grad_();
    nn::CrossEntropyLoss loss;
    Tensor l = loss(x, target());
    expect_values(l, {want});
    l.backward();
    std::vector<double> gradient;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 2; c++) gradient.push_back((std::exp(log_prob(i, c)) - (c == TARGET[i])) / 3);
    expect_values(x.grad(), gradient);
    expect_values(nn::NLLLoss{}(log_softmax(logits(), 1), target()), {want});
}

TEST(Loss, TakesWeightsAndReductions) {
    const double w[2] = {3, 0.5};
    std::vector<double> each;
    double total = 0, divisor = 0;
    for (int i = 0; i < 3; i++) {
        each.push_back(-w[TARGET[i]] * log_prob(i, TARGET[i]));
        total += each.back();
        divisor += w[TARGET[i]];
    }
    Tensor weight = make_tensor({3, 0.5}, {2});
    expect_values(nn::CrossEntropyLoss{{.weight = weight}}(logits(), target()), {total / divisor});
    expect_values(nn::CrossEntropyLoss{{.weight = weight, .reduction = "sum"}}(logits(), target()), {total}, 1e-5);
    expect_values(nn::CrossEntropyLoss{{.weight = weight, .reduction = "none"}}(logits(), target()), each);
    nn::NLLLoss nll{{.weight = weight, .reduction = "none"}};
    expect_values(nll(log_softmax(logits(), 1), target()), each);
    EXPECT_EQ(nll.state_dict().size(), 1u);
    EXPECT_TRUE(nn::CrossEntropyLoss{}.state_dict().empty());
}

TEST(Loss, IgnoresAndSmooths) {
    Tensor y = tensor<int64_t>({0, 7, 0});
    double want = -(log_prob(0, 0) + log_prob(2, 0)) / 2;
    expect_values(nn::CrossEntropyLoss{{.ignore_index = 7}}(logits(), y), {want});
    double smooth = 0;
    for (int i = 0; i < 3; i++) smooth -= (0.9 * log_prob(i, TARGET[i]) + 0.05 * (log_prob(i, 0) + log_prob(i, 1))) / 3;
    expect_values(nn::CrossEntropyLoss{{.label_smoothing = 0.1}}(logits(), target()), {smooth});
}

TEST(Loss, RefusesBadUse) {
    EXPECT_EQ(error_of([] { nn::CrossEntropyLoss l{{.reduction = "avg"}}; }),
              "ArgumentError: CrossEntropyLoss: got reduction 'avg', want 'none', 'mean' or 'sum'");
    EXPECT_EQ(error_of([] { nn::NLLLoss l{{.reduction = ""}}; }).substr(0, 14), "ArgumentError:");
    EXPECT_EQ(error_of([] { nn::CrossEntropyLoss l{{.label_smoothing = 2}}; }),
              "ArgumentError: CrossEntropyLoss: got label_smoothing 2, want 0 to 1");
    EXPECT_EQ(error_of([] {
                  nn::CrossEntropyLoss{}(logits(), tensor<int64_t>({0, 2, 0}));
              }).substr(0, 11),
              "IndexError:");
    nn::CrossEntropyLoss loss;
    EXPECT_EQ(error_of([&] { loss.forward(logits()); }),
              "UnsupportedError: CrossEntropyLoss: has no forward of one tensor");
}
