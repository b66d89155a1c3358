// SPDX-License-Identifier: BSD-3-Clause
#include "wick/ops.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace wick;

TEST(Tensor, Prints) {
    EXPECT_EQ(arange(0, 6).view({2, 3}).to_string(), "[[0, 1, 2],\n [3, 4, 5]] int64[2, 3]");
    EXPECT_EQ(tensor({true, false}).to_string(), "[true, false] bool[2]");
    EXPECT_EQ(Tensor(1.5).to_string(), "1.5 float64[]");
    EXPECT_EQ(zeros({0, 3}).to_string(), "[] float32[0, 3]");
    EXPECT_EQ(arange(0, 2000).to_string(), "[0, 1, 2, ..., 1997, 1998, 1999] int64[2000]");
    std::ostringstream os;
    os << tensor({1.0f});
    EXPECT_EQ(os.str(), "[1] float32[1]");
}

TEST(Tensor, PrintsStridedAndSpecialValues) {
    EXPECT_EQ(arange(0, 6).view({2, 3}).t().to_string(), "[[0, 3],\n [1, 4],\n [2, 5]] int64[3, 2]");
    EXPECT_EQ(tensor({1.0 / 3, -0.0, 1e300 * 1e300, std::nan("")}).to_string(), "[0.333333, -0, inf, nan] float64[4]");
}
