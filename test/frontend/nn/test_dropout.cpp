// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/dropout.hpp"

using namespace wick;
using namespace wick::test;

TEST(Dropout, DropsAndScalesInTrainingOnly) {
    manual_seed(5);
    nn::Dropout drop{{.p = 0.25}};
    int zeros_seen = 0;
    for (double v : values(drop(ones({10000})))) {
        if (v == 0)
            zeros_seen++;
        else
            EXPECT_FLOAT_EQ(static_cast<float>(v), 1 / 0.75F);
    }
    EXPECT_NEAR(zeros_seen, 2500, 200); // 4.6 standard deviations
    drop.eval();
    for (double v : values(drop(ones({100})))) EXPECT_EQ(v, 1);
}

TEST(Dropout, RefusesBadProbability) {
    EXPECT_EQ(error_of([] { nn::Dropout d{{.p = 1.5}}; }), "ArgumentError: Dropout: got p 1.5, want 0 to 1");
    EXPECT_EQ(error_of([] { nn::Dropout d{{.p = std::nan("")}}; }), "ArgumentError: Dropout: got p nan, want 0 to 1");
}
