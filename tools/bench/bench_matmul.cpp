// SPDX-License-Identifier: BSD-3-Clause
// Matrix products and convolutions, against the matrix products that they come down to.
#include "bench.hpp"
#include "sgemm.hpp"
#include "wick/ops.hpp"

using namespace wick;

namespace {

void blas_512(benchmark::State &state) {
    bench::Sgemm product{512, 512, 512};
    for (auto _ : state) product();
}
WICK_BENCH("cblas_sgemm_512", blas_512);

void mm_512(benchmark::State &state) {
    Tensor a = randn({512, 512}), b = randn({512, 512});
    for (auto _ : state) {
        Tensor y = mm(a, b);
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("mm_512", mm_512);

// 8 images of 28 x 28, 16 to 32 channels, 3 x 3: as products, 8 x 28 x 28 windows of 16 x 3 x 3 numbers.
constexpr int WINDOWS = 8 * 28 * 28, WINDOW = 16 * 3 * 3, CHANNELS = 32;

template <bool BACKWARD> void conv_products(benchmark::State &state) {
    bench::Sgemm forward{CHANNELS, WINDOWS, WINDOW}, input{WINDOW, WINDOWS, CHANNELS},
        weight{CHANNELS, WINDOW, WINDOWS};
    for (auto _ : state) {
        forward();
        if (BACKWARD) input(), weight();
    }
}
WICK_BENCH("cblas_sgemm_conv", conv_products<false>);
WICK_BENCH("cblas_sgemm_conv_backward", conv_products<true>);

template <bool BACKWARD> void conv(benchmark::State &state) {
    Tensor x = randn({8, 16, 28, 28}), w = randn({CHANNELS, 16, 3, 3}), g = randn({8, CHANNELS, 28, 28});
    x.requires_grad_(BACKWARD);
    w.requires_grad_(BACKWARD);
    for (auto _ : state) {
        Tensor y = conv2d(x, w, {}, {1, 1}, {1, 1});
        benchmark::DoNotOptimize(y);
        if (!BACKWARD) continue;
        y.backward(g);
        x.set_grad({});
        w.set_grad({});
    }
}
WICK_BENCH("conv2d", conv<false>);
WICK_BENCH("conv2d_backward", conv<true>);

const bench::Rows rows{
    {"sgemm, 512 x 512 x 512", "mm_512", "cblas_sgemm_512", 1.03},
    {"conv2d 3 x 3, 8 x 16 -> 32 x 28 x 28", "conv2d", "cblas_sgemm_conv"},
    {"conv2d 3 x 3, forward and backward", "conv2d_backward", "cblas_sgemm_conv_backward"},
};

} // namespace
