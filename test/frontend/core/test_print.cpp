// SPDX-License-Identifier: BSD-3-Clause
#include "wick/ops.hpp"
#include <algorithm>
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
    EXPECT_EQ(tensor<double>({1.0 / 3, -0.0, 1e300 * 1e300, std::nan("")}).to_string(),
              "[0.333333, -0, inf, nan] float64[4]");
}

TEST(Tensor, PrintsNaNWithoutItsSign) {
    for (DType dtype : {kFLOAT16, kBFLOAT16, kFLOAT32, kFLOAT64})
        EXPECT_EQ(full({2}, -std::nan(""), dtype).to_string().substr(0, 10), "[nan, nan]");
}

// No entry is shown of a tensor that has none, whatever its first size is.
TEST(Tensor, PrintsEmptyTensorsAtOnce) {
    EXPECT_EQ(zeros({int64_t{1} << 40, 0}).to_string(), "[] float32[1099511627776, 0]");
    EXPECT_EQ(zeros({2, 0}).to_string(), "[] float32[2, 0]");
    EXPECT_EQ(zeros({0, 2, 3}, kINT8).to_string(), "[] int8[0, 2, 3]");
}

TEST(Tensor, PrintsABoundedText) {
    Tensor many = zeros({1}).expand(std::vector<int64_t>(40, 2)), most = zeros({1}).expand(std::vector<int64_t>(60, 1));
    std::string text = many.to_string();
    EXPECT_LT(text.size(), 250'000u);
    EXPECT_EQ(std::ranges::count(text, '0'),
              8192); // the thirteen inner dimensions; 40 sizes of 2 have none
    EXPECT_EQ(most.to_string(), std::string(60, '[') + "0" + std::string(60, ']') + " " + most.describe());
    // Three of seven in each of five dimensions, at both ends.
    EXPECT_LT(zeros({1}).expand({70, 70, 70, 70, 70, 70}).to_string().size(), 250'000u);
    EXPECT_EQ(arange(0, 1001).view({143, 7}).to_string(),
              "[[0, 1, 2, ..., 4, 5, 6],\n [7, 8, 9, ..., 11, 12, 13],\n [14, 15, 16, ..., 18, 19, 20],\n ...,\n"
              " [980, 981, 982, ..., 984, 985, 986],\n [987, 988, 989, ..., 991, 992, 993],\n"
              " [994, 995, 996, ..., 998, 999, 1000]] int64[143, 7]");
}
