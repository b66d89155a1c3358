// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

namespace {

TEST(AbiProcess, VersionFeaturesInstance) {
    EXPECT_EQ(wick_abi_version() >> 16, 0u);
    EXPECT_GE(wick_abi_version() & 0xffff, 1u);
    EXPECT_EQ(wick_feature("dlpack"), 1);
    EXPECT_EQ(wick_feature("telepathy"), 0);
    EXPECT_EQ(wick_feature(nullptr), 0);
    EXPECT_NE(wick_instance(), 0u);
    EXPECT_EQ(wick_instance(), wick_instance());
}

TEST(AbiProcess, Threads) {
    int32_t n = wick_threads();
    EXPECT_GE(n, 1);
    expect_ok(wick_set_threads(1));
    EXPECT_EQ(wick_threads(), 1);
    expect_error(wick_set_threads(0), WICK_E_ARG, {"0"});
    EXPECT_EQ(wick_threads(), 1);
    expect_ok(wick_set_threads(n));
}

TEST(AbiProcess, TrimGivesBack) {
    floats(std::vector<float>(1 << 20));
    wick_memory_trim();
    EXPECT_EQ(wick_memory_trim(), 0);
}

} // namespace
