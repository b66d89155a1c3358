// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/nn/shape.hpp"
#include "wick/ops.hpp"

using namespace wick;
using namespace wick::test;

TEST(Shape, FlattensAllButTheBatch) {
    EXPECT_EQ(sizes(nn::Flatten{}(ones({2, 3, 4, 5}))), (std::vector<int64_t>{2, 60}));
    EXPECT_EQ(sizes(nn::Flatten{{.start_dim = 0, .end_dim = 1}}(ones({2, 3, 4}))), (std::vector<int64_t>{6, 4}));
    Tensor x = ones({2, 3, 1}).requires_grad_();
    sum(nn::Flatten{}(x)).backward();
    EXPECT_EQ(sizes(x.grad()), (std::vector<int64_t>{2, 3, 1}));
    EXPECT_EQ(error_of([] { nn::Flatten{{.end_dim = 7}}(ones({2, 3})); }).substr(0, 11), "IndexError:");
}

TEST(Shape, IdentityIsTheSameTensor) {
    Tensor x = ones({2});
    EXPECT_EQ(nn::Identity{}(x).impl(), x.impl());
}
