// SPDX-License-Identifier: BSD-3-Clause
// Whether code leaves memory of TH's behind: tensors, nodes, every counted object.
#ifndef WICK_TEST_SUPPORT_LEAKS_HPP
#define WICK_TEST_SUPPORT_LEAKS_HPP

#include "TH/memory.h"
#include "wick/error.hpp"
#include <gtest/gtest.h>

namespace wick::test {

inline int64_t allocated() {
    THMemoryStats stats{};
    stats.struct_size = sizeof stats;
    check(TH_memory_stats(&stats));
    return stats.allocated;
}

/// Bytes that a second run of f leaves; the first makes what is made once.
template <class F> int64_t left_behind(F &&f) {
    f();
    const int64_t before = allocated();
    f();
    return allocated() - before;
}

} // namespace wick::test

#define EXPECT_NO_LEAK(...) EXPECT_EQ(wick::test::left_behind([&]() __VA_ARGS__), 0)

#endif
