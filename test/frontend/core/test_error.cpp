// SPDX-License-Identifier: BSD-3-Clause
#include "wick/error.hpp"
#include <gtest/gtest.h>
#include <string>

using namespace wick;

TEST(Error, CarriesStatusKindTextAndFrames) {
    Error e(TH_E_SHAPE, "f: got 1, want 2");
    EXPECT_EQ(e.status(), TH_E_SHAPE);
    EXPECT_EQ(e.kind(), "ShapeError");
    EXPECT_STREQ(e.what(), "f: got 1, want 2");
    e.push_frame({"backward", "mul"});
    e.push_frame({"file.py", "train", 7});
    ASSERT_EQ(e.frames().size(), 2u);
    EXPECT_EQ(e.frames()[1].line, 7u);
    EXPECT_EQ(Error(TH_E_CALLBACK, "python.ValueError", "no").kind(), "python.ValueError");
}

TEST(Error, CheckThrowsTheThreadsText) {
    EXPECT_NO_THROW(check(TH_OK));
    TH_raise(TH_E_IO, "read: got nothing");
    try {
        check(TH_E_IO);
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.status(), TH_E_IO);
        EXPECT_EQ(e.message(), "read: got nothing");
    }
}
