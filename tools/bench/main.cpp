// SPDX-License-Identifier: BSD-3-Clause
// Runs the benchmarks and prints one table of what was measured, against peers and against what was promised.
//
//     wick_bench [--peer-times=FILE] [TEXT ...]
//
// TEXT: only rows that contain one of the texts ("op " for every case of an op). FILE: lines "<benchmark>
// <nanoseconds>" of another library, shown beside.
#include "TH/runtime.h"
#include "bench.hpp"
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace bench {

namespace {
std::vector<Row> &table() {
    static std::vector<Row> rows;
    return rows;
}
} // namespace

Rows::Rows(std::initializer_list<Row> rows) { table().insert(table().end(), rows); }

namespace {
using Times = std::map<std::string, double>; // nanoseconds

class Least final : public benchmark::BenchmarkReporter {
  public:
    Times times;

    bool ReportContext(const Context &context) override {
        PrintBasicContext(&GetErrorStream(), context);
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            // Processor time: what other processes take of the core is not ours.
            double ns = run.cpu_accumulated_time / static_cast<double>(run.iterations) * 1e9;
            auto [least, added] = times.emplace(run.run_name.function_name, ns);
            if (!added && ns < least->second) least->second = ns;
        }
    }
};

std::string format(const char *pattern, auto... v) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, v...);
    return text;
}

std::string duration(double ns) {
    if (ns < 1e3) return format("%.1f ns", ns);
    return ns < 1e6 ? format("%.2f us", ns / 1e3) : format("%.3f ms", ns / 1e6);
}

/// One row, judged.
struct Line {
    std::string measured, peer, ratio, target, met, other;

    Line(const Row &row, const Times &times, const Times &others) {
        double ns = times.at(row.name), most = row.most_ns;
        measured = duration(ns);
        if (*row.peer) {
            double base = times.at(row.peer);
            peer = duration(base) + "  " + row.peer;
            ratio = format("%.2f", ns / base);
            if (row.most_ratio) most = row.most_ratio * base;
        }
        if (row.most_ratio)
            target = format("%.2f x", row.most_ratio);
        else if (most)
            target = duration(most);
        if (most) met = ns <= most ? "yes" : "no";
        if (auto found = others.find(row.name); found != others.end()) other = duration(found->second);
    }
};

void print(const std::vector<const Row *> &rows, const Times &times, const Times &others) {
    const char *pattern = "%-44s %10s   %-37s %6s %9s  %-3s %11s\n";
    std::string missed;
    int met = 0, promised = 0;
    std::printf(pattern, "", "measured", "peer", "ratio", "at most", "met", others.empty() ? "" : "other");
    for (const Row *row : rows) {
        Line l(*row, times, others);
        std::printf(pattern, row->what, l.measured.c_str(), l.peer.c_str(), l.ratio.c_str(), l.target.c_str(),
                    l.met.c_str(), l.other.c_str());
        promised += !l.met.empty();
        met += l.met == "yes";
        if (l.met == "no") missed += std::string(missed.empty() ? "; missed: " : ", ") + row->what;
    }
    std::printf("\n%d of %d targets met%s\n", met, promised, missed.c_str());
}

Times read_times(const std::string &path) {
    Times times;
    std::ifstream file(path);
    std::string name;
    for (double ns; file >> name >> ns;) times[name] = ns;
    return times;
}

bool chosen(const Row &row, const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
        if (std::string(row.what).find(text) != std::string::npos) return true;
    return texts.empty() && !row.on_request;
}
} // namespace

static int run(int argc, char **argv) {
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    std::vector<char *> flags{argv[0], interleave.data()};
    const std::string other = "--peer-times=";
    std::vector<std::string> texts;
    Times others;
    for (int i = 1; i < argc; i++) {
        std::string arg = argv[i];
        if (arg.starts_with(other))
            others = read_times(arg.substr(other.size()));
        else if (arg.starts_with("--"))
            flags.push_back(argv[i]);
        else
            texts.push_back(arg);
    }
    std::vector<const Row *> rows;
    std::set<std::string> names;
    for (const Row &row : table())
        if (chosen(row, texts)) {
            rows.push_back(&row);
            names.insert(row.name);
            if (*row.peer) names.insert(row.peer);
        }
    if (rows.empty()) {
        std::fprintf(stderr, "wick_bench: got a text that no row contains\n");
        return 2;
    }
    std::string filter;
    for (const std::string &name : names) filter += (filter.empty() ? "^(" : "|") + name;

    int count = static_cast<int>(flags.size());
    benchmark::Initialize(&count, flags.data());
    Least least;
    std::fprintf(stderr, "instruction set %s, %d thread(s)\n", TH_isa(), TH_num_threads());
    // Behind a name stand the options, "add_10/min_time:0.010/repeats:15".
    benchmark::RunSpecifiedBenchmarks(&least, filter + ")/");
    print(rows, least.times, others);
    return 0;
}

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
