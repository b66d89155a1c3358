// SPDX-License-Identifier: BSD-3-Clause
#include "wick/object.hpp"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace wick;

namespace {
struct Counted : Object {
    explicit Counted(int &gone) : Object(Kind::Function), gone_(gone) {}
    ~Counted() override { gone_++; }
    int &gone_;
};
} // namespace

TEST(Ref, CountsAndMoves) {
    int gone = 0;
    {
        Ref<Counted> a = make<Counted>(gone), b = a, c = std::move(a);
        EXPECT_FALSE(a);
        EXPECT_EQ(b->refs(), 2u);
        EXPECT_TRUE(b == c);
        c = nullptr;
        EXPECT_EQ(b->refs(), 1u);
        Ref<Object> base = b;
        EXPECT_EQ(base->kind(), Kind::Function);
        Counted *raw = b.detach();
        EXPECT_EQ(gone, 0);
        b = Ref<Counted>::adopt(raw);
        b = *&b; // itself
        EXPECT_EQ(gone, 0);
    }
    EXPECT_EQ(gone, 1);
}

TEST(Ref, ThreadsShare) {
    int gone = 0;
    Ref<Counted> shared = make<Counted>(gone);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([shared] {
            for (int i = 0; i < 10000; i++) Ref<Counted> copy = shared;
        });
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(shared->refs(), 1u);
    shared = nullptr;
    EXPECT_EQ(gone, 1);
}
