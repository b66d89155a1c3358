// SPDX-License-Identifier: BSD-3-Clause
// Benchmarks come in rows: what is measured, what it is compared with in the same run, and what was promised.
#ifndef WICK_BENCH_BENCH_HPP
#define WICK_BENCH_BENCH_HPP

#include <benchmark/benchmark.h>
#include <initializer_list>
#include <string>

/// A benchmark under a name. The least of many short repetitions counts, which the main program interleaves with those
/// of all others, so that a machine that is disturbed, or changes its clock, is so for both sides of a ratio.
#define WICK_BENCH(name, ...) BENCHMARK(__VA_ARGS__)->Name(name)->MinTime(0.01)->Repetitions(15)

namespace bench {

/// A line of the table. Names are of benchmarks; targets of 0 are none.
struct Row {
    const char *what;
    const char *name;
    const char *peer = "";
    double most_ratio = 0; ///< to the peer
    double most_ns = 0;
    bool on_request = false; ///< only with a text that it contains
};

/// Adds rows to the table: `static const bench::Rows rows{{...}, ...};`.
struct Rows {
    Rows(std::initializer_list<Row> rows);
};

} // namespace bench
#endif
