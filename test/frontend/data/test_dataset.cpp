// SPDX-License-Identifier: BSD-3-Clause
#include "support/files.hpp"
#include "wick/data.hpp"
#include "wick/ops.hpp"
#include <algorithm>
#include <numeric>

using namespace wick;
using data::Example;

namespace {
std::vector<int64_t> numbers(const Tensor &t) { return {t.data<int64_t>(), t.data<int64_t>() + t.numel()}; }

std::shared_ptr<data::TensorDataset> counting(int64_t n) {
    Tensor i = arange(0, n, 1, kINT64);
    return std::make_shared<data::TensorDataset>(std::vector{i * 10, stack(std::vector{i, i * i}, 1)});
}

// Computes what it gives; get_batch is Dataset's own.
struct Squares : data::Dataset {
    int64_t size() const override { return 100; }
    Example get(int64_t i) const override { return {full({2}, i), full({}, i * i)}; }
};
} // namespace

TEST(TensorDataset, GetAndBatchAgree) {
    auto set = counting(5);
    EXPECT_EQ(set->size(), 5);
    EXPECT_EQ(set->get(3)[0].item<int64_t>(), 30);
    EXPECT_EQ(numbers(set->get(3)[1]), (std::vector<int64_t>{3, 9}));
    const int64_t indices[] = {4, 0, 4};
    Example fast = set->get_batch(indices), slow = set->data::Dataset::get_batch(indices);
    ASSERT_EQ(fast.size(), 2u);
    for (size_t k = 0; k < 2; k++) {
        EXPECT_EQ(fast[k].describe(), slow[k].describe());
        EXPECT_EQ(numbers(fast[k]), numbers(slow[k]));
    }
    EXPECT_EQ(numbers(fast[0]), (std::vector<int64_t>{40, 0, 40}));
}

TEST(TensorDataset, Faults) {
    using Tensors = std::vector<Tensor>;
    auto make = [](Tensors t) { return [t] { data::TensorDataset set(t); }; };
    test::expect_error(TH_E_ARG, make({}), "no tensors");
    test::expect_error(TH_E_SHAPE, make({zeros({2}), zeros({3, 1})}), "float32[3, 1]");
    test::expect_error(TH_E_SHAPE, make({zeros({})}), "float32[]");
    test::expect_error(TH_E_SHAPE, make({Tensor()}), "undefined");
    auto set = counting(5);
    for (int64_t bad : {int64_t{-1}, int64_t{5}}) {
        test::expect_error(
            TH_E_INDEX, [&] { set->get(bad); }, "got index " + std::to_string(bad), "from 0 to 4");
        test::expect_error(
            TH_E_INDEX,
            [&] {
                set->get_batch(std::vector<int64_t>{0, bad});
            },
            "got index " + std::to_string(bad));
    }
}

TEST(Collate, Stacks) {
    Squares set;
    const int64_t indices[] = {2, 3};
    Example batch = set.get_batch(indices);
    EXPECT_EQ(batch[0].describe(), "int64[2, 2]");
    EXPECT_EQ(numbers(batch[1]), (std::vector<int64_t>{4, 9}));
    test::expect_error(
        TH_E_ARG, [] { data::collate({}); }, "no examples");
    test::expect_error(
        TH_E_ARG,
        [] {
            data::collate(std::vector<Example>{{zeros({1})}, {}});
        },
        "of 1 and 0 tensors");
    EXPECT_THROW(data::collate(std::vector<Example>{{zeros({1})}, {zeros({2})}}), Error);
}

TEST(Subset, MapsIndices) {
    data::Subset set(counting(10), {7, 7, 1});
    EXPECT_EQ(set.size(), 3);
    EXPECT_EQ(set.get(2)[0].item<int64_t>(), 10);
    const int64_t indices[] = {2, 0};
    EXPECT_EQ(numbers(set.get_batch(indices)[0]), (std::vector<int64_t>{10, 70}));
    test::expect_error(
        TH_E_INDEX, [&] { set.get(3); }, "got index 3");
    test::expect_error(
        TH_E_INDEX, [&] { set.get_batch(std::vector<int64_t>{-1}); }, "got index -1");
    test::expect_error(
        TH_E_INDEX, [] { data::Subset(counting(3), {3}); }, "got index 3");
    test::expect_error(
        TH_E_ARG, [] { data::Subset(nullptr, {}); }, "no dataset");
}

TEST(RandomSplit, IsAPartitionThatTheSeedDecides) {
    auto set = counting(100);
    auto parts = data::random_split(set, {20, 0, 80}, 3);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[1]->size(), 0);
    std::vector<int64_t> all = parts[0]->indices();
    all.insert(all.end(), parts[2]->indices().begin(), parts[2]->indices().end());
    EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
    std::sort(all.begin(), all.end());
    std::vector<int64_t> want(100);
    std::iota(want.begin(), want.end(), 0);
    EXPECT_EQ(all, want);
    EXPECT_EQ(data::random_split(set, {20, 80}, 3)[0]->indices(), parts[0]->indices());
    EXPECT_NE(data::random_split(set, {20, 80}, 4)[0]->indices(), parts[0]->indices());
}

TEST(RandomSplit, Faults) {
    auto set = counting(10);
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{5}, {10, 5}, {11}, {-1, 11}, {11, -1}, {}})
        test::expect_error(
            TH_E_ARG, [&] { data::random_split(set, sizes); }, "do not add up", "make 10");
    test::expect_error(
        TH_E_ARG, [&] { data::random_split(nullptr, {1}); }, "no dataset");
}

TEST(Subset, OfSubsetsGoesToTheirDataset) {
    data::DatasetRef set = std::make_shared<data::TensorDataset>(std::vector{arange(0, 5)});
    data::DatasetRef original = set;
    for (int i = 0; i < 200'000; i++) set = std::make_shared<data::Subset>(set, std::vector<int64_t>{1, 0, 2, 3});
    EXPECT_EQ(set->get(0)[0].item<int64_t>(), 0); // swapped an even number of times
    EXPECT_EQ(set->get_batch(std::vector<int64_t>{1, 3})[0].to_string(), "[1, 3] int64[2]");
    EXPECT_EQ(dynamic_cast<const data::Subset &>(*set).dataset(), original);
}
