// SPDX-License-Identifier: BSD-3-Clause
// Operations that should run at the speed of memory, against plain copies and reads that move as many bytes: tensors of
// 1M float32. Results are allocated anew each time; memory of the peers comes from the same allocator and has been
// touched.
#include "bench.hpp"
#include "wick/nn/init.hpp"
#include "wick/ops.hpp"
#include <cstring>

using namespace wick;

namespace {

constexpr int64_t N = 1 << 20;

#if defined(__x86_64__)
#define BEST_ISA __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define BEST_ISA
#endif

BEST_ISA uint64_t read_all(const uint64_t *p, int64_t n) {
    uint64_t lanes[32] = {};
    for (int64_t i = 0; i + 32 <= n; i += 32)
        for (int64_t k = 0; k < 32; k++) lanes[k] ^= p[i + k];
    uint64_t all = 0;
    for (uint64_t lane : lanes) all ^= lane;
    return all;
}

void read_4mb(benchmark::State &state) {
    Tensor x = randint(0, 1 << 30, {N / 2});
    for (auto _ : state) {
        uint64_t y = read_all(static_cast<const uint64_t *>(THTensor_data(x.th())), N / 2);
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("read_4MB", read_4mb);

template <int64_t FLOATS> void copy(benchmark::State &state) {
    Tensor x = randn({FLOATS}), y = zeros({FLOATS});
    for (auto _ : state) {
        std::memcpy(y.data<float>(), x.data<float>(), FLOATS * sizeof(float));
        benchmark::ClobberMemory();
    }
}
WICK_BENCH("memcpy_12MB", copy<3 * N>);
WICK_BENCH("memcpy_8MB", copy<2 * N>);
WICK_BENCH("memcpy_4MB", copy<N>);
WICK_BENCH("memcpy_2MB", copy<N / 2>);

void fill(benchmark::State &state) {
    Tensor y = zeros({N});
    for (auto _ : state) {
        std::memset(y.data<float>(), 0, N * sizeof(float));
        benchmark::ClobberMemory();
    }
}
WICK_BENCH("memset_4MB", fill);

void add_1m(benchmark::State &state) {
    Tensor a = randn({N}), b = randn({N});
    for (auto _ : state) {
        Tensor y = a + b;
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("add_1M", add_1m);

template <Tensor (*OP)(const Tensor &)> void unary_1m(benchmark::State &state) {
    Tensor x = randn({N});
    for (auto _ : state) {
        Tensor y = OP(x);
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("exp_1M", unary_1m<wick::exp>);
WICK_BENCH("tanh_1M", unary_1m<wick::tanh>);
WICK_BENCH("sigmoid_1M", unary_1m<sigmoid>);
WICK_BENCH("relu_1M", unary_1m<relu>);

void sum_1m(benchmark::State &state) {
    Tensor x = randn({N});
    for (auto _ : state) {
        Tensor y = sum(x);
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("sum_1M", sum_1m);

void softmax_rows(benchmark::State &state) {
    Tensor x = randn({N / 2 / 1024, 1024});
    for (auto _ : state) {
        Tensor y = softmax(x, 1);
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("softmax_512x1024", softmax_rows);

void normal_1m(benchmark::State &state) {
    Tensor y = zeros({N});
    for (auto _ : state) nn::init::normal_(y);
}
WICK_BENCH("normal_1M", normal_1m);

// What is promised: an operation's time per byte that it reads or writes, against a copy's time per byte copied. Beside
// that, against a copy that reads and writes as many bytes, which no operation can beat.
const bench::Rows rows{
    {"add, 1M floats", "add_1M", "memcpy_12MB", 1.3},
    {"exp, 1M floats", "exp_1M", "memcpy_8MB", 1.3},
    {"tanh, 1M floats", "tanh_1M", "memcpy_8MB", 1.3},
    {"sigmoid, 1M floats", "sigmoid_1M", "memcpy_8MB", 1.3},
    {"sum, 1M floats", "sum_1M", "read_4MB", 1.3},
    {"exp, 1M floats, and a copy of 1M floats", "exp_1M", "memcpy_4MB"},
    {"relu, 1M floats, and a copy of 1M floats", "relu_1M", "memcpy_4MB"},
    {"softmax, 512 x 1024, and a copy of as many", "softmax_512x1024", "memcpy_2MB"},
    {"normal fill, 1M floats", "normal_1M", "memset_4MB"},
};

} // namespace
