// SPDX-License-Identifier: BSD-3-Clause
// Makes the k-th allocation of a piece of C++ code fail, for every k. Replaces the program's operator new: for one
// source of it.
#ifndef WICK_TEST_SUPPORT_OOM_HPP
#define WICK_TEST_SUPPORT_OOM_HPP

#include "TH/memory.h"
#include "wick/error.hpp"
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <utility>

namespace oom {

/// Where memory comes from: TH's allocator through its hooks, or the language's through operator new.
struct Source {
    std::atomic<bool> armed{false};
    bool sticky = false;          ///< everything after the first failure fails too
    std::atomic<int64_t> left{0}; ///< allocations until the failure
    std::atomic<int64_t> failures{0}, live{0};

    // Not inlined: gcc would take the free() for a mismatched delete.
    [[gnu::noinline]] void *allocate(size_t alignment, size_t nbytes) noexcept {
        if (armed && left-- <= 0 && (failures == 0 || sticky)) {
            failures++;
            return nullptr;
        }
        void *p = std::aligned_alloc(alignment, (nbytes + alignment) / alignment * alignment);
        if (p) live++;
        return p;
    }
    [[gnu::noinline]] void release(void *p) noexcept {
        if (p) live--;
        std::free(p);
    }
};
inline Source hooks, language;

/// Call it before the first tensor is made.
inline void install() {
    THMemoryHooks h{};
    h.struct_size = sizeof h;
    h.user = &hooks;
    h.alloc = [](void *user, int64_t nbytes, int64_t alignment) {
        return static_cast<Source *>(user)->allocate(static_cast<size_t>(alignment), static_cast<size_t>(nbytes));
    };
    h.dealloc = [](void *user, void *p, int64_t) { static_cast<Source *>(user)->release(p); };
    TH_memory_set_cache_limit(0);
    ASSERT_EQ(TH_memory_set_hooks(&h), TH_OK) << TH_error_message();
}

/// What came out of f, told without an allocation: "" or an error.
struct Outcome {
    bool threw = false, of_memory = false;
    char text[512] = "";

    template <class F> explicit Outcome(Source &source, F &&f) {
        source.armed = true;
        try {
            f();
        } catch (const wick::Error &e) {
            take(source, e.status() == TH_E_MEMORY, e.what());
        } catch (const std::bad_alloc &e) {
            take(source, true, e.what());
        } catch (const std::exception &e) {
            take(source, false, e.what());
        }
        source.armed = false;
    }

  private:
    void take(Source &source, bool memory, const char *what) {
        source.armed = false;
        threw = true;
        of_memory = memory;
        std::snprintf(text, sizeof text, "%s", what);
    }
};

/// Runs f with its first, second, ... allocation from `source` failing, until it runs through without a failure. A
/// failure must come out as Error of TH_E_MEMORY or as std::bad_alloc and leave nothing allocated; then `unchanged`
/// looks at the rest. Returns how many allocations failed.
template <class F, class U> int64_t each(Source &source, bool sticky, F &&f, U &&unchanged) {
    for (int64_t k = 0; k < 20000; k++) {
        const int64_t tensors = hooks.live, objects = language.live;
        source.sticky = sticky, source.left = k, source.failures = 0;
        Outcome outcome(source, f);
        const int64_t more_tensors = hooks.live - tensors, more_objects = language.live - objects;
        EXPECT_EQ(more_tensors, 0) << "blocks of TH's live on after allocation " << k << " failed";
        EXPECT_EQ(more_objects, 0) << "objects live on after allocation " << k << " failed";
        EXPECT_EQ(outcome.threw, source.failures > 0) << "allocation " << k << ": " << outcome.text;
        EXPECT_EQ(outcome.threw, outcome.of_memory) << "allocation " << k << ": " << outcome.text;
        if (outcome.threw) unchanged();
        if (source.failures == 0 || testing::Test::HasFailure()) return k;
    }
    ADD_FAILURE() << "there is no end to failures";
    return 0;
}

/// The same for both sources, with one failure and with nothing but failures from it on.
template <class F, class U> void everywhere(F &&f, U &&unchanged) {
    f(); // fills what is made on first use
    for (Source *source : {&hooks, &language})
        for (bool sticky : {false, true}) EXPECT_GT(each(*source, sticky, f, unchanged), 0);
}
template <class F> void everywhere(F &&f) {
    everywhere(std::forward<F>(f), [] {});
}

} // namespace oom

void *operator new(size_t n) {
    void *p = oom::language.allocate(alignof(std::max_align_t), n);
    if (!p) throw std::bad_alloc();
    return p;
}
// Who asks without exceptions, such as std::stable_sort, has another way: never refused.
void *operator new(size_t n, const std::nothrow_t &) noexcept {
    const bool armed = oom::language.armed.exchange(false);
    void *p = oom::language.allocate(alignof(std::max_align_t), n);
    oom::language.armed = armed;
    return p;
}
void *operator new[](size_t n) { return operator new(n); }
void operator delete(void *p) noexcept { oom::language.release(p); }
void operator delete(void *p, size_t) noexcept { oom::language.release(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { oom::language.release(p); }
void operator delete[](void *p) noexcept { oom::language.release(p); }
void operator delete[](void *p, size_t) noexcept { oom::language.release(p); }

#endif
