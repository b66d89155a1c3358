// SPDX-License-Identifier: BSD-3-Clause
// The checker itself: it must accept right gradients and refuse wrong ones.
#include "support/errors.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <gtest/gtest.h>

using namespace wick;

namespace {
/// x^2 with a first derivative that is off by `error`, and whose own derivative is off by `second_error`.
Tensor faulty_square(const Tensor &x, double error, double second_error) {
    Tensor y = square(x.detach());
    if (!recording(x)) return y;
    return record("faulty", y, wrt(x, [x = Saved(x), error, second_error](const Tensor &g) {
                      Tensor at = x;
                      Tensor right = g * at * (2 + error);
                      return right + (at - at.detach()) * second_error; // adds nothing but a derivative
                  }));
}
} // namespace

TEST(Gradcheck, AcceptsRightGradients) {
    manual_seed(1);
    Tensor x[] = {randn({3, 2}, kFLOAT64)};
    EXPECT_NO_THROW(gradcheck([](std::span<const Tensor> in) { return faulty_square(in[0], 0, 0); }, x));
}

TEST(Gradcheck, RefusesAWrongGradient) {
    manual_seed(2);
    Tensor x[] = {randn({3, 2}, kFLOAT64)};
    EXPECT_WICK_ERROR(gradcheck([](std::span<const Tensor> in) { return faulty_square(in[0], 0.01, 0); }, x),
                      TH_E_AUTOGRAD, "first-order");
}

TEST(Gradcheck, RefusesAWrongSecondGradient) {
    manual_seed(3);
    Tensor x[] = {randn({3, 2}, kFLOAT64)};
    auto f = [](std::span<const Tensor> in) { return faulty_square(in[0], 0, 0.5); };
    EXPECT_WICK_ERROR(gradcheck(f, x), TH_E_AUTOGRAD, "second-order");
    EXPECT_NO_THROW(gradcheck(f, x, false));
}

TEST(Gradcheck, WantsDoubles) {
    Tensor x[] = {ones({2})}, i[] = {ones({2}, kINT64)};
    auto f = [](std::span<const Tensor> in) { return in[0] * 2; };
    EXPECT_WICK_ERROR(gradcheck(f, x), TH_E_TYPE, "float64");
    EXPECT_WICK_ERROR(gradcheck(f, i), TH_E_ARG, "floating");
}
