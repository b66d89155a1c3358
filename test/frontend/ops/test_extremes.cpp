// SPDX-License-Identifier: BSD-3-Clause
// Gradients of first and second order where floating numbers end: at the largest and smallest arguments, subnormal
// ones, ties, zeros, infinities and NaN, in every floating dtype, against closed forms in 80 digits:
// golden/extremes.safetensors, made by tools/gen/extremes_golden.py, whose head describes it and says what is expected
// where no derivative exists.
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/io.hpp"
#include "wick/ops.hpp"
#include "wick/registry.hpp"
#include "wick/value.hpp"
#include <bit>
#include <map>

using namespace wick;
using test::values;

namespace {
struct Format {
    int digits, low; ///< of the significand; exponent of the smallest normal number
    double most;
};

Format format_of(DType d) {
    switch (d) {
    case kFLOAT16: return {11, -14, 65504};
    case kBFLOAT16: return {8, -126, 0x1.fep127};
    case kFLOAT32: return {24, -126, 0x1.fffffep127};
    default: return {53, -1022, 0x1.fffffffffffffp1023};
    }
}

/// The distance in units of the last place that the dtype has at `want`; infinite if only one is NaN or infinite
/// (the largest number and infinity are neighbours).
double ulps(double got, double want, DType d) {
    Format f = format_of(d);
    if (std::isnan(got) || std::isnan(want)) return std::isnan(got) == std::isnan(want) ? 0 : INFINITY;
    double step = std::ldexp(1, std::max(std::ilogb(want == 0 ? 0x1p-1022 : want), f.low) - f.digits + 1);
    auto in_range = [&](double v) { return std::clamp(v, -f.most, f.most); };
    if (std::isinf(got) && std::abs(want) < f.most * (1 - 8 * std::ldexp(1, -f.digits))) return INFINITY;
    if (std::isinf(want) && std::abs(got) < f.most * (1 - 8 * std::ldexp(1, -f.digits))) return INFINITY;
    return std::isinf(want) ? (std::signbit(got) == std::signbit(want) ? 0 : INFINITY)
                            : std::abs(in_range(got) - in_range(want)) / step;
}

bool expected(double want) { return std::bit_cast<uint64_t>(want) != 0x7FF8000000000001u; }

/// How many ulp a derivative may be off: functions of libm have 4 themselves; in halves, what an op saved is rounded,
/// and its cube has three times that.
double tolerance(const std::string &op, DType d, bool second) {
    if (d == kFLOAT16 || d == kBFLOAT16) return second ? 5 : 2;
    if (op == "pow") return second ? 800 : 400;      // the rounding of b - 1 is multiplied by log(a)
    if (op == "gelu_tanh") return second ? 128 : 64; // the rounding of its cubic is multiplied by its value
    return second ? 24 : 12;
}

Tensor evaluate(const std::string &name, std::span<const Tensor> x) {
    if (name == "gelu_tanh") return gelu(x[0], "tanh");
    if (name == "softplus") return softplus(x[0], 1, INFINITY); // which nowhere gives way to x
    if (name == "addcdiv") return addcdiv(zeros_like(x[0]), x[0], x[1], 2);
    std::vector<Value> args;
    std::vector<OwnedValue> held;
    for (const Tensor &t : x) args.push_back(held.emplace_back(box(t)).get());
    Value result{WICK_TAG_UNSET, 0, {.i = 0}};
    find_op(name)->call(args, {&result, 1});
    return unbox<Tensor>(OwnedValue(result).get());
}

std::vector<double> column(const Tensor &table, int64_t i) { return values(table.select(1, i)); }

/// Gradients of y's sum by every x; zeros where y does not depend on one.
std::vector<Tensor> derivatives(const Tensor &y, std::span<const Tensor> x, bool again) {
    std::vector<Tensor> g(x.size());
    if (y.requires_grad()) {
        Tensor seed = ones_like(y);
        g = grad({&y, 1}, x, {&seed, 1}, {.retain_graph = true, .create_graph = again}, true);
    }
    for (size_t i = 0; i < x.size(); i++)
        if (!g[i].defined()) g[i] = zeros_like(x[i]);
    return g;
}

class Extremes : public testing::TestWithParam<DType> {
  protected:
    static void SetUpTestSuite() {
        io::Checkpoint file = io::load_safetensors(EXTREMES);
        tables = new std::map<std::string, Tensor>(file.tensors.begin(), file.tensors.end());
    }
    static void TearDownTestSuite() { delete tables; }

    /// One derivative at every row.
    void compare(const std::string &what, const Tensor &got, const Tensor &table, int64_t at, size_t arguments,
                 double most) {
        std::vector<double> g = values(got), want = column(table, at), a = column(table, 0),
                            b = column(table, static_cast<int64_t>(arguments) - 1);
        size_t wrong = 0;
        for (size_t i = 0; i < g.size(); i++) {
            rows += expected(want[i]);
            double off = expected(want[i]) ? ulps(g[i], want[i], got.dtype()) : 0;
            if (off <= most || wrong++ > 3) continue;
            ADD_FAILURE() << what << " at " << a[i] << (arguments > 1 ? ", " + std::to_string(b[i]) : "") << ": got "
                          << g[i] << ", want " << want[i] << " (" << off << " ulp)";
        }
    }

    void check_op(const std::string &op, const Tensor &table) {
        DType d = GetParam();
        size_t n = table.size(1) == 3 ? 1 : 2;
        std::vector<Tensor> x;
        for (size_t i = 0; i < n; i++)
            x.push_back(table.select(1, static_cast<int64_t>(i)).contiguous().to(d).requires_grad_());
        Tensor y = evaluate(op, x);
        std::vector<Tensor> first = derivatives(y, x, true), plain = derivatives(y, x, false);
        int64_t at = static_cast<int64_t>(n), second = at + static_cast<int64_t>(n);
        for (size_t i = 0; i < n; i++) {
            std::string by = n == 1 ? "" : i ? " by b" : " by a";
            compare(op + "'" + by, plain[i], table, at + static_cast<int64_t>(i), n, tolerance(op, d, false));
            compare(op + "'" + by + ", recorded", first[i], table, at + static_cast<int64_t>(i), n,
                    tolerance(op, d, false));
            std::vector<Tensor> again = derivatives(first[i], x, false);
            for (size_t k = 0; k < n; k++)
                compare(op + "''" + by +
                            (n == 1 ? ""
                             : k    ? ", b"
                                    : ", a"),
                        again[k], table, second + static_cast<int64_t>(i + k), n, tolerance(op, d, true));
        }
    }

    static std::map<std::string, Tensor> *tables;
    size_t rows = 0;
};
std::map<std::string, Tensor> *Extremes::tables;
} // namespace

TEST_P(Extremes, FirstAndSecondDerivatives) {
    const char *name = TH_dtype_name(static_cast<THDtype>(GetParam()));
    size_t ops = 0;
    for (const auto &[key, table] : *tables) {
        if (!key.ends_with(std::string(".") + name)) continue;
        ops++;
        std::string op = key.substr(0, key.find('.'));
        try {
            check_op(op, table);
        } catch (const Error &e) {
            ADD_FAILURE() << key << ": " << e.message();
        }
    }
    EXPECT_GT(ops, 50u);
    EXPECT_GT(rows, 18000u);
}

INSTANTIATE_TEST_SUITE_P(EveryFloat, Extremes, testing::Values(kFLOAT16, kBFLOAT16, kFLOAT32, kFLOAT64),
                         [](const auto &dtype) {
                             return std::string(TH_dtype_name(static_cast<THDtype>(dtype.param)));
                         });
