// SPDX-License-Identifier: BSD-3-Clause
// as_strided and what follows from it, for every kind of base and window, against definitions element by element.
#include "support/errors.hpp"
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <map>

using namespace wick;

namespace {
struct Case {
    const char *what;
    std::function<Tensor(Tensor)> base; ///< of a tensor of 24 elements
    std::vector<int64_t> sizes, strides;
    int64_t offset;
};

const Case CASES[] = {
    {"rows of a matrix",
     [](Tensor t) {
         return t.view({4, 6});
     },
     {2, 6},
     {6, 1},
     6},
    {"every other", [](Tensor t) { return t; }, {5}, {2}, 3},
    {"a transposed base",
     [](Tensor t) {
         return t.view({4, 6}).t();
     },
     {3, 2},
     {1, 6},
     7},
    {"a base that begins later", [](Tensor t) { return t.narrow(0, 6, 12); }, {2, 3}, {3, 1}, 8},
    {"a window that begins before its base", [](Tensor t) { return t.narrow(0, 6, 12); }, {4, 4}, {4, 1}, 4},
    {"a base with gaps",
     [](Tensor t) {
         return t.view({4, 6}).narrow(1, 1, 3);
     },
     {3, 3},
     {6, 2},
     1},
    {"windows that overlap", [](Tensor t) { return t; }, {6, 4}, {2, 1}, 1},
    {"one element many times", [](Tensor t) { return t; }, {3, 2}, {0, 0}, 5},
    {"an expanded base",
     [](Tensor t) {
         return t.narrow(0, 2, 3).expand({4, 3});
     },
     {2},
     {2},
     2},
    {"an overlapping base and window", [](Tensor t) { return unfold(t, 0, 4, 2); }, {5, 3}, {3, 1}, 0},
    {"a number", [](Tensor t) { return t; }, {}, {}, 23},
    {"nothing",
     [](Tensor t) {
         return t.view({4, 6});
     },
     {0, 3},
     {3, 1},
     0},
    {"nothing of nothing", [](Tensor t) { return t.narrow(0, 5, 0); }, {2, 0}, {1, 1}, 0},
};

/// Places in memory of a tensor's elements, row-major.
std::vector<int64_t> places(Sizes sizes, Sizes strides, int64_t offset) {
    std::vector<int64_t> out;
    const bool none = std::ranges::find(sizes, 0) != sizes.end();
    std::vector<int64_t> index(sizes.size());
    for (bool more = !none; more;) {
        int64_t at = offset;
        for (size_t d = 0; d < sizes.size(); d++) at += index[d] * strides[d];
        out.push_back(at);
        more = false;
        for (size_t d = sizes.size(); d-- > 0;) {
            if (++index[d] < sizes[d]) {
                more = true;
                break;
            }
            index[d] = 0;
        }
    }
    return out;
}

/// The gradient of sum(as_strided(x) * g): what every element of the base lends to the window, shared where elements
/// of the base share memory.
std::vector<double> expected(const std::vector<int64_t> &base, const std::vector<int64_t> &window,
                             const std::vector<double> &g) {
    std::map<int64_t, double> at, count;
    for (size_t i = 0; i < window.size(); i++) at[window[i]] += g[i];
    for (int64_t p : base) count[p]++;
    std::vector<double> out;
    for (int64_t p : base) out.push_back(at[p] / count[p]);
    return out;
}
} // namespace

TEST(AsStrided, ValuesAndGradients) {
    for (const Case &c : CASES) {
        SCOPED_TRACE(c.what);
        Tensor x = c.base(arange(0, 24, 1, kFLOAT64)).detach().requires_grad_();
        const std::vector<int64_t> base = places(x.sizes(), x.strides(), THTensor_offset(x.th())),
                                   window = places(c.sizes, c.strides, c.offset);
        Tensor y = as_strided(x, c.sizes, c.strides, c.offset);
        std::vector<double> shown(window.begin(), window.end());
        test::expect_values(y, shown, 0);
        manual_seed(4);
        Tensor g = randn(c.sizes, kFLOAT64);
        y.backward(g);
        test::expect_values(x.grad(), expected(base, window, test::values(g)), 1e-12);
    }
}

TEST(AsStrided, SecondOrder) {
    for (const Case &c : CASES) {
        SCOPED_TRACE(c.what);
        // as a function of dense values, which are written into the base's geometry
        Tensor like = c.base(zeros({24}, kFLOAT64)), inputs[] = {randn(like.sizes(), kFLOAT64)};
        auto f = [&](std::span<const Tensor> in) {
            Tensor memory = zeros({24}, kFLOAT64), x = c.base(memory);
            if (!THTensor_overlaps_itself(x.th())) x.copy_(in[0]);
            return square(as_strided(memory, c.sizes, c.strides, c.offset)) * sum(in[0]);
        };
        EXPECT_NO_THROW(gradcheck(f, inputs));
    }
}

TEST(AsStridedScatter, IsAWriteIntoAView) {
    for (const Case &c : CASES) {
        SCOPED_TRACE(c.what);
        const std::vector<int64_t> window = places(c.sizes, c.strides, c.offset);
        Tensor x = c.base(randn({24}, kFLOAT64)).detach(), src = randn(c.sizes, kFLOAT64);
        if (THTensor_overlaps_itself(as_strided(x, c.sizes, c.strides, c.offset).th())) {
            EXPECT_WICK_ERROR(as_strided_scatter(x, src, c.sizes, c.strides, c.offset), TH_E_ARG, "share memory");
            continue;
        }
        const std::vector<double> before = test::values(x), from = test::values(src);
        const std::vector<int64_t> base = places(x.sizes(), x.strides(), THTensor_offset(x.th()));
        x.requires_grad_(), src.requires_grad_();
        Tensor y = as_strided_scatter(x, src, c.sizes, c.strides, c.offset), g = randn(x.sizes(), kFLOAT64);
        y.backward(g);
        const std::vector<double> gs = test::values(g);
        std::vector<double> want = before, to_src(from.size());
        std::vector<bool> kept(base.size(), true);
        for (size_t i = 0; i < base.size(); i++)
            for (size_t j = 0; j < window.size(); j++)
                if (base[i] == window[j]) want[i] = from[j], to_src[j] += gs[i], kept[i] = false;
        test::expect_values(y, want, 1e-12);
        test::expect_values(x, before, 0);
        test::expect_values(src.grad(), to_src, 1e-12);
        if (THTensor_overlaps_itself(x.th())) continue; // who of those that share memory gets it is a convention
        std::vector<double> to_x;
        for (size_t i = 0; i < base.size(); i++) to_x.push_back(kept[i] ? gs[i] : 0);
        test::expect_values(x.grad(), to_x, 1e-12);
    }
}

TEST(AsStridedScatter, WantsASourceThatFits) {
    Tensor x = zeros({6}, kFLOAT64);
    EXPECT_WICK_ERROR(as_strided_scatter(x, zeros({3}, kFLOAT64), {2}, {1}), TH_E_SHAPE,
                      "want the sizes of the window");
    EXPECT_WICK_ERROR(as_strided_scatter(x, {}, {2}, {1}), TH_E_SHAPE, "undefined");
    EXPECT_WICK_ERROR(as_strided(x, {2}, {1, 1}), TH_E_ARG, "2 strides");
    EXPECT_WICK_ERROR(as_strided(x, {7}, {1}), TH_E_ARG, "outside");
}
