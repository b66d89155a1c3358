// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/ops.hpp"
#include "wick/options.hpp"
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
    EXPECT_WICK_ERROR(t + 1, TH_E_ARG, "got an undefined tensor as a, want a defined one");
    EXPECT_WICK_ERROR(t.clone(), TH_E_ARG, "got an undefined tensor as ");
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
    EXPECT_EQ(tensor({0.5}).item<bool>(), true);
    EXPECT_EQ(tensor({-0.5}).item<uint8_t>(), 0);
    EXPECT_EQ(tensor({255.9}).item<uint8_t>(), 255);
    EXPECT_EQ(tensor({-128.9}).item<int8_t>(), -128);
    EXPECT_EQ(tensor<double>({-0x1p63}).item<int64_t>(), INT64_MIN);
    EXPECT_EQ(tensor<double>({0x1p63}).item<uint64_t>(), uint64_t{1} << 63);
    EXPECT_WICK_ERROR(tensor({256.0}).item<uint8_t>(), TH_E_ARG, "256");
    EXPECT_WICK_ERROR(tensor({-1.0}).item<uint8_t>(), TH_E_ARG, "-1");
    EXPECT_WICK_ERROR(tensor({-1}).item<uint64_t>(), TH_E_ARG, "-1");
    EXPECT_WICK_ERROR(tensor({300}).item<int8_t>(), TH_E_ARG, "-128 to 127");
    EXPECT_WICK_ERROR(tensor({1e30}).item<int>(), TH_E_ARG, "1e+30");
    EXPECT_WICK_ERROR(tensor<double>({0x1p63}).item<int64_t>(), TH_E_ARG, "9.22337e+18");
    EXPECT_WICK_ERROR(tensor({NAN}).item<int>(), TH_E_ARG, "nan");
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

// What stands in braces lives as long as the list.
TEST(Sizes, OwnWhatIsWrittenInBraces) {
    auto spoil = [] {
        volatile int64_t stack[64];
        for (auto &x : stack) x = -7;
    };
    std::vector<int64_t> long_list{1, 2, 3, 4, 5, 6, 7, 8};
    Sizes few = {2, 3}, many = {1, 2, 3, 4, 5, 6, 7, 8}, moved = std::vector<int64_t>{4, 5}, pair = Pair(6, 7);
    ListView<Tensor> tensors = {ones({1}), zeros({1})};
    spoil();
    auto same = [](const auto &list, std::vector<int64_t> want) { return std::ranges::equal(list, want); };
    EXPECT_TRUE(same(few, {2, 3}));
    EXPECT_TRUE(same(many, long_list));
    EXPECT_TRUE(same(moved, {4, 5}));
    EXPECT_TRUE(same(pair, {6, 7}));
    EXPECT_EQ(tensors[0].item<float>(), 1);
    Sizes copy = few, other = many, none, borrowed = long_list;
    few = many;
    EXPECT_TRUE(same(copy, {2, 3}));
    EXPECT_TRUE(same(few, long_list) && few.data() != many.data());
    many = {9};
    EXPECT_TRUE(same(many, {9}));
    EXPECT_TRUE(same(other, long_list));
    Sizes taken = std::move(other), last = std::move(copy);
    EXPECT_TRUE(same(taken, long_list));
    EXPECT_TRUE(same(last, {2, 3}));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(borrowed.data(), long_list.data());
    const Sizes &same_list = few; // clang warns about few = few
    few = same_list;
    EXPECT_TRUE(same(few, long_list));
}

TEST(Tensor, NumbersOfEveryArithmeticType) {
    Tensor x = ones({1}, kINT32);
    EXPECT_EQ((x * 2LL).item<int>(), 2);
    EXPECT_EQ((x * 3UL).item<int>(), 3);
    EXPECT_EQ((x + short{4}).item<int>(), 5);
    EXPECT_EQ((x * 'a').item<int>(), 'a');
    EXPECT_EQ((x + true).dtype(), kINT32);
    EXPECT_EQ((x * 0.5L).item<float>(), 0.5F);
    EXPECT_WICK_ERROR(x * UINT64_MAX, TH_E_ARG, "got 18446744073709551615");
}

TEST(Tensor, ErrorsNameWhatIsEmpty) {
    EXPECT_WICK_ERROR(zeros({0})[0], TH_E_INDEX, "dim 0 of float32[0], which is empty");
    EXPECT_WICK_ERROR(zeros({2, 0})[0][-1], TH_E_INDEX, "which is empty");
    EXPECT_WICK_ERROR(index_select(zeros({0, 2}), 0, tensor({1})), TH_E_INDEX,
                      "got index 1 (entry 0) into dim 0, which");
    EXPECT_WICK_ERROR(cat({}), TH_E_ARG, "an empty list");
    EXPECT_WICK_ERROR(stack(std::vector<Tensor>()), TH_E_ARG, "an empty list");
    EXPECT_WICK_ERROR(cat({ones({1}), Tensor()}), TH_E_ARG, "undefined");
}

// Literals as in PyTorch; a type that is named, or that elements have, counts.
TEST(Tensor, LiteralsTakeTheDefaultDtype) {
    EXPECT_EQ(tensor({1.0, 2.5}).dtype(), kFLOAT32);
    EXPECT_EQ(tensor({1, 2}).dtype(), kINT64);
    EXPECT_EQ(tensor({true}).dtype(), kBOOL);
    EXPECT_EQ(tensor({1.0f}).dtype(), kFLOAT32);
    EXPECT_EQ(tensor<double>({1, 2}).dtype(), kFLOAT64);
    EXPECT_EQ(tensor<int32_t>({1}).dtype(), kINT32);
    EXPECT_EQ(tensor(std::vector<double>{1}).dtype(), kFLOAT64);
    EXPECT_EQ(tensor({0.1}).item<double>(), double{0.1F});
}

TEST(Tensor, TheDefaultDtypeCanBeSet) {
    EXPECT_EQ(get_default_dtype(), kFLOAT32);
    EXPECT_WICK_ERROR(set_default_dtype(kINT32), TH_E_TYPE, "got int32, want a floating dtype");
    for (DType dtype : {kFLOAT64, kFLOAT16, kFLOAT32}) {
        set_default_dtype(dtype);
        EXPECT_EQ(get_default_dtype(), dtype);
        EXPECT_EQ(tensor({1.0}).dtype(), dtype);
        EXPECT_EQ(full({2}, 0.5).dtype(), dtype);
        EXPECT_EQ(full({2}, 5).dtype(), kINT64);
        EXPECT_EQ(arange(0, 1, 0.5).dtype(), dtype);
        for (const Tensor &t : {zeros({1}), ones({1}), empty({1}), rand({1}), randn({1}), eye(2), linspace(0, 1, 3)})
            EXPECT_EQ(t.dtype(), dtype);
        EXPECT_EQ((ones({2}, kINT32) * 1.5).dtype(), dtype);
        EXPECT_EQ((ones({2}, kINT32) / ones({2}, kINT32)).dtype(), dtype);
        EXPECT_EQ(exp(ones({2}, kINT8)).dtype(), dtype);
        EXPECT_EQ((ones({2}, kFLOAT32) * 1.5).dtype(), kFLOAT32);
        EXPECT_EQ(zeros({1}, kINT16).dtype(), kINT16);
    }
}

TEST(Tensor, TheGeneratorsStateComesBack) {
    manual_seed(5);
    rand({7});
    Tensor state = get_rng_state(), a = randn({100}), p = randperm(9);
    set_rng_state(state);
    EXPECT_TRUE(all(eq(a, randn({100}))).item<bool>());
    EXPECT_TRUE(all(eq(p, randperm(9))).item<bool>());
    EXPECT_EQ(state.describe(), "uint8[32]");
    EXPECT_WICK_ERROR(set_rng_state(zeros({32}, kUINT8)), TH_E_ARG, "THGenerator_set_state");
    EXPECT_WICK_ERROR(set_rng_state(zeros({31}, kUINT8)), TH_E_ARG, "got uint8[31], want uint8[32]");
    EXPECT_WICK_ERROR(set_rng_state(zeros({32})), TH_E_ARG, "got float32[32]");
    EXPECT_WICK_ERROR(set_rng_state({}), TH_E_ARG, "got undefined");
}
