// SPDX-License-Identifier: BSD-3-Clause
#include "wick/object.hpp"
#include "wick/tensor.hpp"
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

// Each owns the next; the stack must not have a frame for each.
TEST(Ref, ChainsOfAMillionObjectsGo) {
    struct Link final : Object {
        Link(Ref<Link> n, int &gone) : Object(Kind::Function), next(std::move(n)), gone_(gone) {}
        ~Link() override { gone_++; }
        Ref<Link> next;
        int &gone_;
    };
    int gone = 0;
    Ref<Link> chain;
    for (int i = 0; i < 1'000'000; i++) chain = make<Link>(std::move(chain), gone);
    chain = nullptr;
    EXPECT_EQ(gone, 1'000'000);
}

TEST(Ref, ChainsOfGradientsGo) {
    Tensor t = ones({1});
    for (int i = 0; i < 200'000; i++) {
        Tensor next = ones({1});
        next.set_grad(t);
        t = next;
    }
    t = {};
    Tensor a = ones({1}).requires_grad_(); // through hooks too
    for (int i = 0; i < 200'000; i++) {
        Tensor next = ones({1}).requires_grad_();
        next.register_hook([a](const Tensor &) { return a; });
        a = next;
    }
}
