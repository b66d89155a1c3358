// SPDX-License-Identifier: BSD-3-Clause
// Every gradient in the registry, first and second order, by one loop over cases.def. An op must either have a case
// there or stand in the list of those without gradient; so a new op cannot be forgotten.
#include "support/op_cases.hpp"
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include <set>

using namespace wick;
using test::OpCall;
using test::OpCase;
using test::values;

namespace {
using List = std::vector<Tensor>;

const std::set<std::string> WITHOUT_GRADIENT = {
    "any",    "all",        "argmax",    "argmin",     "detach",      "empty",         "zeros",    "ones",
    "full",   "zeros_like", "ones_like", "empty_like", "arange",      "arange.start",  "linspace", "eye",
    "rand",   "randn",      "randint",   "randperm",   "manual_seed", "get_rng_state", "eye.m",
    "normal", // draws other numbers in float32 than in float64: test_numbers.cpp
    "to.device", // it has one, which test/frontend/core/test_device.cpp looks at
};

List leaves(const List &inputs) {
    List out;
    for (const Tensor &t : inputs) out.push_back(t.clone().requires_grad_());
    return out;
}

/// How far results and gradients may be from float64's, relative to 1 + their size: a few roundings of sums of
/// products.
double tolerance(DType d) {
    switch (d) {
    case kFLOAT16: return 4e-3;
    case kBFLOAT16: return 4e-2;
    default: return 1e-5;
    }
}

void expect_close(const Tensor &got, const Tensor &want, double tol, const std::string &what) {
    std::vector<double> g = values(got), w = values(want);
    ASSERT_EQ(g.size(), w.size()) << what;
    for (size_t i = 0; i < w.size(); i++)
        if (!(std::abs(g[i] - w[i]) <= tol * (1 + std::abs(w[i]))))
            ADD_FAILURE() << what << ", element " << i << ": got " << g[i] << ", want " << w[i];
}

/// y and the gradients of its sum weighted by cos(0), cos(1), ...
List with_gradients(const OpCall &call, const List &inputs) {
    List x = leaves(inputs), out{call(x)};
    if (!out[0].requires_grad()) return out;
    Tensor seed = cos(arange(0, out[0].numel(), 1, kFLOAT64)).to(out[0].dtype()).reshape(out[0].sizes());
    for (const Tensor &g : grad(out, x, {&seed, 1}, {}, true)) out.push_back(g);
    return out;
}
} // namespace

TEST(Gradients, EveryOpFirstAndSecondOrder) {
    manual_seed(20);
    size_t checked = 0;
    for (const OpCase &c : test::op_cases()) {
        ASSERT_NE(find_op(c.op), nullptr) << c.op;
        OpCall call(c, kFLOAT64);
        try {
            if (!call(call.inputs()).is_floating_point()) continue; // comparisons and tests
            gradcheck(std::cref(call), call.inputs());
            checked++;
        } catch (const Error &e) {
            ADD_FAILURE() << c.text() << ": " << e.message();
        }
    }
    EXPECT_GT(checked, 350u);
}

TEST(Gradients, EveryFloatAgreesWithFloat64) {
    manual_seed(22);
    size_t checked = 0;
    for (const OpCase &c : test::op_cases())
        for (DType d : {kFLOAT16, kBFLOAT16, kFLOAT32}) {
            OpCall call(c, d);
            List wide;
            for (const Tensor &t : call.inputs()) wide.push_back(t.to(kFLOAT64));
            try {
                List got = with_gradients(call, call.inputs()), want = with_gradients(call, wide);
                ASSERT_EQ(got.size(), want.size()) << c.text();
                for (size_t i = 0; i < got.size(); i++) {
                    ASSERT_EQ(got[i].defined(), want[i].defined()) << c.text();
                    if (!got[i].defined()) continue;
                    EXPECT_TRUE(i == 0 || got[i].dtype() == d) << c.text();
                    expect_close(got[i], want[i], tolerance(d),
                                 c.text() + " in " + TH_dtype_name(static_cast<THDtype>(d)) +
                                     (i ? ", gradient " + std::to_string(i) : ""));
                    checked++;
                }
            } catch (const Error &e) {
                ADD_FAILURE() << c.text() << ": " << e.message();
            }
        }
    EXPECT_GT(checked, 2800u);
}

TEST(Gradients, NoOpIsForgotten) {
    std::set<std::string> all;
    for (const OpCase &c : test::op_cases()) all.insert(c.op);
    for (size_t i = 0; i < op_count(); i++) {
        const std::string &name = op_at(i).schema.name;
        bool in_place = name.ends_with('_'),
             tensor_result = !op_at(i).schema.results.empty() && op_at(i).schema.results[0].starts_with("Tensor");
        if (in_place || !tensor_result || name.find("::") != std::string::npos) continue;
        EXPECT_TRUE(all.count(name) || WITHOUT_GRADIENT.count(name))
            << name << " has neither a case nor a place among those without gradient";
    }
}

TEST(Gradients, InPlaceFormsAgreeWithTheirOps) {
    manual_seed(21);
    size_t checked = 0;
    for (const OpCase &c : test::op_cases()) {
        const Op *in_place = find_op(c.op + "_");
        bool laid_out = c.args[0].find(':') != std::string::npos; // the form would change a copy
        if (!in_place || laid_out) continue;
        OpCall call(c, kFLOAT64);
        if (call.inputs().empty() || !call(call.inputs()).is_floating_point()) continue;
        List a = leaves(call.inputs()), b = leaves(call.inputs());
        Tensor y = call(a);
        if (y.dim() != a[0].dim() || !std::ranges::equal(y.sizes(), a[0].sizes())) continue;
        Tensor leaf = b[0];
        b[0] = leaf * 1; // a leaf must not change in place
        Tensor z = call(b, in_place);
        EXPECT_TRUE(all(eq(y, z)).item<bool>()) << c.text();
        EXPECT_EQ(z.impl(), b[0].impl()) << c.text();
        if (!y.requires_grad()) continue;
        Tensor v = randn(y.sizes(), kFLOAT64);
        y.backward(v);
        try {
            z.backward(v);
            EXPECT_TRUE(all(eq(a[0].grad(), leaf.grad())).item<bool>()) << c.text();
            checked++;
        } catch (const Error &e) { // ops that save their input must say so
            EXPECT_NE(e.message().find("changed in place"), std::string::npos) << c.text() << ": " << e.message();
        }
    }
    EXPECT_GT(checked, 10u);
}

TEST(Gradients, ReducingNumbersAndChosenDims) {
    Tensor number = full({}, 3, kFLOAT64).requires_grad_(), x = randn({2, 3, 4}, kFLOAT64).requires_grad_();
    using Reduce = Tensor (*)(const Tensor &, Dims);
    const Reduce reductions[] = {[](const Tensor &t, Dims d) { return sum(t, d); },
                                 [](const Tensor &t, Dims d) { return mean(t, d); },
                                 [](const Tensor &t, Dims d) { return amax(t, d); }};
    for (Reduce reduce : reductions)
        for (const std::vector<int32_t> &dims : {std::vector<int32_t>{}, {0}, {-1}}) {
            reduce(number, dims).backward();
            EXPECT_EQ(number.grad().item<double>(), 1);
            number.set_grad({});
        }
    sum(x, {2, 0}).backward(arange(0, 3, 1, kFLOAT64));
    for (int64_t i = 0; i < 24; i++) EXPECT_EQ(x.grad().flatten()[i].item<int64_t>(), i / 4 % 3);
}
