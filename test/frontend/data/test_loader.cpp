// SPDX-License-Identifier: BSD-3-Clause
#include "support/files.hpp"
#include "wick/autograd.hpp"
#include "wick/data.hpp"
#include "wick/ops.hpp"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

using namespace wick;
using data::DataLoader, data::DataLoaderOptions, data::Example;

namespace {
std::vector<int64_t> numbers(const Tensor &t) { return {t.data<int64_t>(), t.data<int64_t>() + t.numel()}; }

std::shared_ptr<data::TensorDataset> counting(int64_t n) {
    return std::make_shared<data::TensorDataset>(std::vector{arange(0, n, 1, kINT64)});
}

// A dataset made of a function.
struct Made : data::Dataset {
    int64_t n;
    std::function<Example(int64_t)> f;
    Made(int64_t count, std::function<Example(int64_t)> make) : n(count), f(std::move(make)) {}
    int64_t size() const override { return n; }
    Example get(int64_t i) const override { return f(i); }
};
std::shared_ptr<Made> made(int64_t n, std::function<Example(int64_t)> f) {
    return std::make_shared<Made>(n, std::move(f));
}

std::vector<std::vector<int64_t>> epoch(DataLoader &loader) {
    std::vector<std::vector<int64_t>> out;
    for (const Example &batch : loader) out.push_back(numbers(batch[0]));
    return out;
}
} // namespace

TEST(DataLoader, CutsIntoBatches) {
    DataLoader all(counting(7), {.batch_size = 3});
    EXPECT_EQ(all.size(), 3);
    EXPECT_EQ(epoch(all), (std::vector<std::vector<int64_t>>{{0, 1, 2}, {3, 4, 5}, {6}}));
    DataLoader full(counting(7), {.batch_size = 3, .drop_last = true});
    EXPECT_EQ(full.size(), 2);
    EXPECT_EQ(epoch(full), (std::vector<std::vector<int64_t>>{{0, 1, 2}, {3, 4, 5}}));
    DataLoader exact(counting(6), {.batch_size = 3});
    EXPECT_EQ(exact.size(), 2);
    EXPECT_EQ(epoch(exact).size(), 2u);
    for (int32_t workers : {0, 2}) {
        DataLoader none(counting(0), {.batch_size = 3, .workers = workers});
        EXPECT_EQ(none.size(), 0);
        EXPECT_TRUE(epoch(none).empty());
        DataLoader dropped(counting(2), {.batch_size = 3, .drop_last = true, .workers = workers});
        EXPECT_TRUE(epoch(dropped).empty());
    }
}

TEST(DataLoader, ShufflesEachEpochAnew) {
    DataLoader loader(counting(50), {.batch_size = 50, .shuffle = true, .seed = 5});
    std::vector<int64_t> first = epoch(loader)[0], second = epoch(loader)[0], sorted = first;
    EXPECT_NE(first, second);
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> want(50);
    std::iota(want.begin(), want.end(), 0);
    EXPECT_EQ(sorted, want);
    manual_seed(77); // another generator
    DataLoader same(counting(50), {.batch_size = 50, .shuffle = true, .seed = 5});
    EXPECT_EQ(epoch(same)[0], first);
    EXPECT_EQ(epoch(same)[0], second);
    DataLoader other(counting(50), {.batch_size = 50, .shuffle = true, .seed = 6});
    EXPECT_NE(epoch(other)[0], first);
}

TEST(DataLoader, WorkersDoNotChangeTheOrder) {
    DataLoaderOptions options{.batch_size = 3, .shuffle = true, .seed = 1};
    DataLoader plain(counting(100), options);
    auto want = epoch(plain), want2 = epoch(plain);
    for (int32_t workers : {1, 2, 5, 64}) {
        options.workers = workers;
        for (int32_t prefetch : {1, 3}) {
            options.prefetch = prefetch;
            DataLoader loader(counting(100), options);
            EXPECT_EQ(epoch(loader), want) << workers;
            EXPECT_EQ(epoch(loader), want2) << workers;
        }
    }
    // Samples that take unequal time.
    auto uneven = made(40, [](int64_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds(i % 3 == 0 ? 2000 : 10));
        return Example{full({}, i)};
    });
    DataLoader loader(uneven, {.batch_size = 2, .workers = 4});
    int64_t next = 0;
    for (const Example &batch : loader)
        for (int64_t i : numbers(batch[0])) EXPECT_EQ(i, next++);
    EXPECT_EQ(next, 40);
}

TEST(DataLoader, StaysWithinItsWindow) {
    std::atomic<int64_t> most{-1};
    auto set = made(100, [&](int64_t i) {
        for (int64_t seen = most; seen < i && !most.compare_exchange_weak(seen, i);) {
        }
        return Example{full({}, i)};
    });
    DataLoader loader(set, {.batch_size = 1, .workers = 2, .prefetch = 3});
    int64_t taken = 0;
    for ([[maybe_unused]] const Example &batch : loader) {
        taken++;
        EXPECT_LT(most.load(), taken + 6);
        if (taken == 10) { // the window fills while the consumer rests
            for (int i = 0; i < 2000 && most < 15; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            EXPECT_EQ(most.load(), 15);
        }
    }
    EXPECT_EQ(taken, 100);
}

TEST(DataLoader, CollateReplacesStacking) {
    for (int32_t workers : {0, 2}) {
        DataLoader loader(counting(5),
                          {.batch_size = 2, .workers = workers, .collate = [](std::vector<Example> examples) {
                               Tensor sum = full({}, int64_t{0});
                               for (Example &e : examples) sum = sum + e[0];
                               return Example{sum, full({}, static_cast<int64_t>(examples.size()))};
                           }});
        std::vector<int64_t> sums, counts;
        for (const Example &batch : loader) {
            sums.push_back(batch[0].item<int64_t>());
            counts.push_back(batch[1].item<int64_t>());
        }
        EXPECT_EQ(sums, (std::vector<int64_t>{1, 5, 4}));
        EXPECT_EQ(counts, (std::vector<int64_t>{2, 2, 1}));
    }
}

TEST(DataLoader, RecordsNothing) {
    Tensor w = ones({1}).requires_grad_();
    for (int32_t workers : {0, 1}) {
        DataLoader loader(made(3, [&](int64_t i) { return Example{w * i}; }), {.workers = workers});
        for (const Example &batch : loader) {
            EXPECT_FALSE(batch[0].requires_grad());
            EXPECT_TRUE(grad_enabled());
        }
    }
}

TEST(DataLoader, ErrorsComeAtTheirTurn) {
    for (int32_t workers : {0, 1, 3}) {
        auto set = made(30, [](int64_t i) {
            if (i == 17) throw Error(TH_E_SHAPE, "sample 17 is odd");
            return Example{full({}, i)};
        });
        DataLoader loader(set, {.batch_size = 5, .workers = workers});
        int64_t batches = 0;
        auto it = loader.begin();
        try {
            for (; it != loader.end(); ++it) batches++;
            ADD_FAILURE();
        } catch (const Error &e) {
            EXPECT_EQ(e.status(), TH_E_SHAPE);
            EXPECT_STREQ(e.what(), "sample 17 is odd");
            ASSERT_EQ(e.frames().size(), 1u);
            EXPECT_EQ(e.frames()[0].where, "DataLoader");
            EXPECT_EQ(e.frames()[0].what, "batch 3");
        }
        EXPECT_EQ(batches, 3);
        EXPECT_TRUE(it == loader.end());
        ++it; // stays there
        EXPECT_TRUE(it == loader.end());
    }
}

TEST(DataLoader, ForeignExceptionsAreNested) {
    for (int32_t workers : {0, 2}) {
        auto set = made(4, [](int64_t i) -> Example {
            if (i == 1) throw std::runtime_error("disk on fire");
            if (i == 2) throw 42;
            return {full({}, i)};
        });
        DataLoader loader(set, {.workers = workers});
        try {
            epoch(loader);
            ADD_FAILURE();
        } catch (const Error &e) {
            EXPECT_EQ(e.status(), TH_E_CALLBACK);
            EXPECT_STREQ(e.what(), "DataLoader: batch 1: got an exception: disk on fire");
            EXPECT_THROW(std::rethrow_if_nested(e), std::runtime_error);
        }
        DataLoader unknown(std::make_shared<data::Subset>(set, std::vector<int64_t>{2}), {.workers = workers});
        test::expect_error(
            TH_E_CALLBACK, [&] { unknown.begin(); }, "DataLoader: batch 0", "unknown exception");
    }
}

TEST(DataLoader, AbandonedEpochs) {
    auto slow = made(1000, [](int64_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        return Example{full({}, i)};
    });
    DataLoader loader(slow, {.batch_size = 2, .workers = 3});
    for ([[maybe_unused]] const Example &batch : loader) break;
    { auto it = loader.begin(); }
    for (int64_t n = 0; [[maybe_unused]] const Example &batch : loader)
        if (++n == 7) break;
    EXPECT_THROW(
        {
            for ([[maybe_unused]] const Example &batch : loader) throw std::logic_error("consumer");
        },
        std::logic_error);
}

TEST(DataLoader, EpochsOutliveTheLoaderAndOverlap) {
    auto loader = std::make_unique<DataLoader>(counting(20), DataLoaderOptions{.batch_size = 4, .workers = 2});
    auto a = loader->begin(), b = loader->begin();
    ++b;
    loader.reset();
    EXPECT_EQ(numbers((*a)[0])[0], 0);
    EXPECT_EQ(numbers((*b)[0])[0], 4);
    int64_t batches = 0;
    for (; a != std::default_sentinel; ++a) batches++;
    EXPECT_EQ(batches, 5);
    a = std::move(b);
    EXPECT_EQ(numbers((*a)[0])[0], 4);
}

// Were a lock held while samples are made, two workers could not be inside get at once.
TEST(DataLoader, UserCodeRunsWithoutLocks) {
    std::mutex mutex;
    std::condition_variable both;
    int inside = 0;
    bool met = false;
    auto set = made(2, [&](int64_t i) {
        std::unique_lock lock(mutex);
        if (++inside == 2) met = true;
        both.notify_all();
        both.wait_for(lock, std::chrono::seconds(20), [&] { return met; });
        return Example{full({}, i)};
    });
    DataLoader loader(set, {.workers = 2});
    EXPECT_EQ(epoch(loader).size(), 2u);
    EXPECT_TRUE(met);
}

TEST(DataLoader, Faults) {
    auto make = [](DataLoaderOptions options) { return [options] { DataLoader loader(counting(1), options); }; };
    test::expect_error(TH_E_ARG, make({.batch_size = 0}), "got batch_size 0, want at least 1");
    test::expect_error(TH_E_ARG, make({.workers = -1}), "got workers -1, want at least 0");
    test::expect_error(TH_E_ARG, make({.workers = 1, .prefetch = 0}), "got prefetch 0, want at least 1");
    test::expect_error(
        TH_E_ARG, [] { DataLoader loader(nullptr); }, "got no dataset");
}

TEST(DataLoader, WithoutASeedFollowsManualSeed) {
    DataLoader loader(counting(50), {.batch_size = 50, .shuffle = true});
    manual_seed(3);
    auto first = epoch(loader), second = epoch(loader);
    EXPECT_NE(first, second);
    manual_seed(3);
    DataLoader other(counting(50), {.batch_size = 50, .shuffle = true, .workers = 2});
    EXPECT_EQ(epoch(other), first);
    EXPECT_EQ(epoch(other), second);
    manual_seed(4);
    EXPECT_NE(epoch(loader), first);
}

// What a loader gives from any batch on, another one gives that takes over its state there.
TEST(DataLoader, StateGoesOnWithTheSameBatches) {
    for (bool seeded : {false, true})
        for (int32_t workers : {0, 2}) {
            DataLoaderOptions options{.batch_size = 3, .shuffle = true, .workers = workers};
            if (seeded) options.seed = 9;
            manual_seed(1);
            DataLoader whole(counting(20), options);
            std::vector<std::vector<int64_t>> want;
            std::vector<NamedTensors> states{whole.state_dict()};
            std::vector<Tensor> generators{get_rng_state()};
            for (int e = 0; e < 3; e++)
                for (const Example &batch : whole) {
                    want.push_back(numbers(batch[0]));
                    states.push_back(whole.state_dict());
                    generators.push_back(get_rng_state());
                }
            ASSERT_EQ(want.size(), 21u);
            for (size_t from = 0; from <= 15; from++) {
                manual_seed(77);
                if (seeded) options.seed = 1234; // the state's counts
                DataLoader loader(counting(20), options);
                loader.load_state_dict(states[from]);
                set_rng_state(generators[from]);
                std::vector<std::vector<int64_t>> got;
                while (got.size() < 21 - from)
                    for (const Example &batch : loader) got.push_back(numbers(batch[0]));
                EXPECT_EQ(got, std::vector(want.begin() + static_cast<std::ptrdiff_t>(from), want.end())) << from;
            }
        }
}

TEST(DataLoader, RefusesOtherStates) {
    DataLoader loader(counting(20), {.batch_size = 3, .shuffle = true, .seed = 1}), other(counting(3));
    for ([[maybe_unused]] const Example &batch : loader) break;
    NamedTensors state = loader.state_dict();
    auto fails = [&](NamedTensors s, const char *text) {
        test::expect_error(
            TH_E_ARG, [&] { loader.load_state_dict(s); }, text);
    };
    fails({}, "got batch nothing");
    fails({state[0], state[1]}, "got no generator");
    fails({{"batch", full({}, 8)}, state[1], state[2]}, "got batch 8, want 0 to 7");
    fails({{"batch", full({}, 1)}, state[2]}, "the epoch it is in");
    fails({state[0], state[1], {"generator", zeros({32}, kUINT8)}}, "THGenerator_set_state");
    fails({state[0], state[1], {"generator", zeros({3}, kUINT8)}}, "want uint8[32]");
    fails({state[0], state[1], state[2], {"x", full({}, 1)}}, "got 'x'");
    fails({{"batch", Tensor()}}, "got 'batch' of undefined");
    test::expect_error(
        TH_E_ARG,
        [&] {
            other.load_state_dict({{"batch", full({}, 0)}, state[2]});
        },
        "want none");
    loader.load_state_dict(state);
}
