// SPDX-License-Identifier: BSD-3-Clause
// Expectations on wick::Error.
#ifndef TEST_SUPPORT_ERRORS_HPP
#define TEST_SUPPORT_ERRORS_HPP

#include "wick/error.hpp"
#include <gtest/gtest.h>

/// The statement throws wick::Error with this status, and this piece of text in its message.
#define EXPECT_WICK_ERROR(statement, wanted_status, piece)                                                             \
    do {                                                                                                               \
        try {                                                                                                          \
            statement;                                                                                                 \
            ADD_FAILURE() << #statement << " threw nothing";                                                           \
        } catch (const wick::Error &error_) {                                                                          \
            EXPECT_EQ(error_.status(), wanted_status) << error_.message();                                             \
            EXPECT_NE(error_.message().find(piece), std::string::npos) << error_.message();                            \
        }                                                                                                              \
    } while (0)

#endif
