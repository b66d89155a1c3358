// SPDX-License-Identifier: BSD-3-Clause
// A child process computes, though the parent's pool of threads does not exist in it.
#include "THNN/conv.h"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wick;

namespace {

// Enough work for several threads, in all libraries that have any; one number that depends on all of it.
double work() {
    manual_seed(7);
    Tensor x = randn({1 << 18}).requires_grad_(), a = randn({300, 300}).requires_grad_();
    Tensor images = randn({8, 4, 32, 32}), kernels = randn({8, 4, 3, 3}).requires_grad_();
    Tensor loss = sum(tanh(x) * x) + sum(mm(a, a)) + mean(relu(conv2d(images, kernels)));
    loss.backward();
    return (loss + sum(x.grad()) + sum(a.grad()) + sum(kernels.grad())).item<double>();
}

void child_computes() {
    const double want = work();
    const std::filesystem::directory_iterator threads("/proc/self/task");
    ASSERT_GE(std::distance(begin(threads), end(threads)), 4);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60); // a child that hangs is a failure
        int code = 1;
        try {
            code = std::abs(work() - want) <= 1e-4 * std::abs(want) ? 0 : 2;
        } catch (const std::exception &) {
        }
        _exit(code);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_NEAR(work(), want, 1e-4 * std::abs(want)); // the parent goes on
}

TEST(Fork, ChildComputes) {
    ASSERT_EQ(TH_set_num_threads(4), TH_OK);
    child_computes();
}

TEST(Fork, ChildComputesWithoutOneDnn) {
    ASSERT_EQ(TH_set_num_threads(4), TH_OK);
    const std::string backend = THNN_conv_backend();
    ASSERT_EQ(THNN_set_conv_backend("gemm"), TH_OK);
    child_computes();
    ASSERT_EQ(THNN_set_conv_backend(backend.c_str()), TH_OK);
}

} // namespace
