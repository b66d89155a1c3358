// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/ops.hpp"
#include "wick/tensor.hpp"
#include <cmath>
#include <gtest/gtest.h>

using namespace wick;

TEST(Tensor, UndefinedIsHarmless) {
    Tensor t;
    EXPECT_FALSE(t.defined());
    EXPECT_FALSE(t.requires_grad());
    EXPECT_FALSE(t.grad().defined());
    EXPECT_EQ(t.to_string(), "undefined");
    EXPECT_WICK_ERROR(t.dim(), TH_E_ARG, "undefined");
    EXPECT_WICK_ERROR(t.item<int>(), TH_E_ARG, "undefined");
    EXPECT_WICK_ERROR(t + 1, TH_E_ARG, "NULL");
    EXPECT_WICK_ERROR(t.clone(), TH_E_ARG, "NULL");
    EXPECT_WICK_ERROR(t.add_(1), TH_E_ARG, "undefined");
}

TEST(Tensor, Descriptor) {
    Tensor t = arange(0, 24, 1, kFLOAT32).view({2, 3, 4});
    EXPECT_EQ(t.dim(), 3);
    EXPECT_EQ(t.size(-1), 4);
    EXPECT_EQ(t.strides()[0], 12);
    EXPECT_EQ(t.numel(), 24);
    EXPECT_EQ(t.describe(), "float32[2, 3, 4]");
    EXPECT_FALSE(t.transpose(0, 2).is_contiguous());
    EXPECT_EQ(t[1][2][3].item<float>(), 23);
    EXPECT_WICK_ERROR(t.size(3), TH_E_INDEX, "dim 3");
    EXPECT_WICK_ERROR(t.data<double>(), TH_E_TYPE, "want float64");
    EXPECT_WICK_ERROR(t.item<float>(), TH_E_SHAPE, "item");
    EXPECT_WICK_ERROR(t.view({5, 5}), TH_E_SHAPE, "view");
}

TEST(Tensor, NumbersAreWeak) {
    EXPECT_EQ((ones({2}, kFLOAT32) * 2.5).dtype(), kFLOAT32);
    EXPECT_EQ((ones({2}, kFLOAT16) + 1).dtype(), kFLOAT16);
    EXPECT_EQ((ones({2}, kINT32) + 1).dtype(), kINT32);
    EXPECT_EQ((ones({2}, kINT32) * 1.5).dtype(), kFLOAT32);
    EXPECT_EQ((ones({2}, kUINT8) + ones({2}, kINT8)).dtype(), kINT16);
}

TEST(Tensor, ItemConverts) {
    EXPECT_EQ(tensor({int64_t{1} << 60}).item<int64_t>(), int64_t{1} << 60);
    EXPECT_EQ(tensor({2.75}).item<int>(), 2);
    EXPECT_EQ(tensor({true}).item<bool>(), true);
}

TEST(Tensor, FromDataCopiesFromBlobDoesNot) {
    float data[] = {1, 2, 3, 4};
    int deleted = 0;
    {
        Tensor copy = from_data(data, {2, 2}, kFLOAT32), view = from_blob(data, {4}, kFLOAT32, [&] { deleted++; });
        data[0] = 9;
        EXPECT_EQ(copy[0][0].item<float>(), 1);
        EXPECT_EQ(view[0].item<float>(), 9);
        Tensor part = view.narrow(0, 2, 1);
        view = {};
        EXPECT_EQ(deleted, 0);
        EXPECT_EQ(part.item<float>(), 3);
    }
    EXPECT_EQ(deleted, 1);
    EXPECT_WICK_ERROR(from_blob(data, {INT64_MAX, 2}, kFLOAT32), TH_E_SHAPE, "overflow");
    EXPECT_WICK_ERROR(from_blob(data, {-1}, kFLOAT32, [&] { deleted++; }), TH_E_ARG, "-4 bytes");
    EXPECT_EQ(deleted, 1); // not by a call that failed
}

TEST(Tensor, SeededRandomNumbersRepeat) {
    manual_seed(5);
    Tensor a = randn({100}), p = randperm(10);
    manual_seed(5);
    EXPECT_TRUE(all(eq(a, randn({100}))).item<bool>());
    EXPECT_TRUE(all(eq(p, randperm(10))).item<bool>());
    EXPECT_FALSE(all(eq(a, randn({100}))).item<bool>());
    Tensor r = randint(-3, 4, {1000});
    EXPECT_EQ(min(r).item<int>(), -3);
    EXPECT_EQ(max(r).item<int>(), 3);
    Tensor u = rand({1000}, kFLOAT64);
    EXPECT_NEAR(u.mean().item<double>(), 0.5, 5 / std::sqrt(12.0 * 1000));
}
