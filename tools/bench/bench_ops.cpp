// SPDX-License-Identifier: BSD-3-Clause
// Every case of test/frontend/ops/cases.def in float32, forward and with backward, against an add of 10 elements. Run
// on request alone: tools/bench/run "op mul".
#include "bench.hpp"
#include "support/op_cases.hpp"
#include "wick/autograd.hpp"
#include <deque>

using namespace wick;

namespace {

void forward(benchmark::State &state, const test::OpCase &c) {
    test::OpCall call(c, kFLOAT32);
    for (auto _ : state) benchmark::DoNotOptimize(call(call.inputs()));
}

void backward(benchmark::State &state, const test::OpCase &c) {
    test::OpCall call(c, kFLOAT32);
    std::vector<Tensor> x;
    for (const Tensor &t : call.inputs()) x.push_back(t.clone().requires_grad_());
    for (auto _ : state) {
        Tensor y = call(x);
        if (!y.requires_grad()) continue;
        Tensor seed = ones_like(y);
        benchmark::DoNotOptimize(grad({&y, 1}, x, {&seed, 1}, {}, true));
    }
}

/// Registers them; rows point to these texts.
std::deque<std::string> texts = [] {
    std::deque<std::string> kept;
    int n = 0;
    for (const test::OpCase &c : test::op_cases())
        for (auto run : {forward, backward}) {
            const char *name = kept.emplace_back("case_" + std::to_string(n++)).c_str();
            const char *what = kept.emplace_back("op " + c.text() + (run == forward ? "" : ", and backward")).c_str();
            benchmark::RegisterBenchmark(name, [=](benchmark::State &state) { run(state, c); })
                ->MinTime(0.01)
                ->Repetitions(15);
            bench::Rows({{.what = what, .name = name, .peer = "add_10", .on_request = true}});
        }
    return kept;
}();

} // namespace
