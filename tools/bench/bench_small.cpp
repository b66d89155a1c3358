// SPDX-License-Identifier: BSD-3-Clause
// What an operation costs beside its arithmetic: tensors of 10 elements.
#include "bench.hpp"
#include "wick/abi.h"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"

using namespace wick;

namespace {

void th_add_10(benchmark::State &state) {
    Tensor a = randn({10}), b = randn({10});
    for (auto _ : state) {
        THTensor *y = nullptr;
        check(TH_add(&y, a.th(), b.th(), nullptr));
        benchmark::DoNotOptimize(y);
        THTensor_free(y);
    }
}
WICK_BENCH("TH_add_10", th_add_10);

void add_10(benchmark::State &state) {
    Tensor a = randn({10}), b = randn({10});
    for (auto _ : state) {
        Tensor y = a + b;
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("add_10", add_10);

void add_10_recording(benchmark::State &state) {
    Tensor a = randn({10}).requires_grad_(), b = randn({10}).requires_grad_();
    for (auto _ : state) {
        Tensor y = a + b;
        benchmark::DoNotOptimize(y);
    }
}
WICK_BENCH("add_10_recording", add_10_recording);

void three_ops(benchmark::State &state) {
    Tensor x = randn({10}).requires_grad_(), w = randn({10}), b = randn({10});
    for (auto _ : state) {
        sum(x * w + b).backward();
        x.set_grad({});
    }
}
WICK_BENCH("three_ops_backward", three_ops);

/// An op of two tensors of 10 elements, through the C ABI.
void abi_call(benchmark::State &state, const char *name) {
    const float numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const int64_t size = 10;
    wick_op *op = nullptr;
    wick_object *x = nullptr;
    if (wick_op_find(name, &op) != WICK_OK) std::abort();
    wick_tensor_from_data(numbers, WICK_FLOAT32, &size, 1, &x);
    const wick_value args[] = {wick_v_object(x), wick_v_object(x)};
    for (auto _ : state) {
        wick_value y = wick_v_unset();
        uint32_t room = 1;
        if (wick_op_call(op, args, 2, nullptr, 0, &y, &room, nullptr) != WICK_OK) std::abort();
        benchmark::DoNotOptimize(y);
        wick_release(y.u.o);
    }
    wick_release(x);
}
void abi_add_10(benchmark::State &state) { abi_call(state, "add"); }
WICK_BENCH("abi_add_10", abi_add_10);
void abi_max_10(benchmark::State &state) { abi_call(state, "max"); }
WICK_BENCH("abi_max_10", abi_max_10);
void abi_max_other_10(benchmark::State &state) { abi_call(state, "max.other"); }
WICK_BENCH("abi_max_other_10", abi_max_other_10);

const bench::Rows rows{
    {"add, 10 elements", "add_10", "TH_add_10", 0, 150},
    {"add, 10 elements, recording", "add_10_recording", "add_10", 0, 250},
    {"mul, add, sum of 10 elements and backward", "three_ops_backward", "add_10", 0, 1200},
    {"add, 10 elements, through wick_op_call", "abi_add_10", "add_10"},
    {"max of two, 10 elements, found among max's variants (over: named)", "abi_max_10", "abi_max_other_10"},
};

} // namespace
