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
    "any",       "all",        "argmax",    "argmin",     "detach",      "empty",         "zeros",    "ones",
    "full",      "zeros_like", "ones_like", "empty_like", "arange",      "arange.start",  "linspace", "eye",
    "rand",      "randn",      "randint",   "randperm",   "manual_seed", "get_rng_state", "eye.m",
    "normal",    // draws other numbers in float32 than in float64: test_numbers.cpp
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

/// Every in-place form, on a tensor and on a view of one, gives what its op gives, gradients included; counted, so that
/// none drops out.
TEST(Gradients, InPlaceFormsAgreeWithTheirOps) {
    manual_seed(21);
    std::set<std::string> forms, tried;
    for (size_t i = 0; i < op_count(); i++)
        if (op_at(i).schema.name.ends_with('_')) forms.insert(op_at(i).schema.name);
    for (const char *name : {"copy_", "fill_", "uniform_", "normal_", "bernoulli_"})
        forms.erase(name); // test_change.cpp
    for (const OpCase &c : test::op_cases()) {
        const Op *in_place = find_op(c.op + "_");
        bool laid_out = c.args[0].find(':') != std::string::npos; // the form would change a copy
        if (!in_place || laid_out) continue;
        OpCall call(c, kFLOAT64);
        if (call.inputs().empty()) { // integers have no gradient
            tried.insert(c.op + "_");
            continue;
        }
        const List a = leaves(call.inputs());
        const Tensor y = call(a).to(kFLOAT64);
        if (y.dim() != a[0].dim() || !std::ranges::equal(y.sizes(), a[0].sizes())) continue;
        const Tensor v = randn(y.sizes(), kFLOAT64);
        if (y.requires_grad()) y.backward(v);
        for (bool view : {false, true}) {
            List b = leaves(call.inputs());
            const List leaf = b;
            Tensor base = stack(std::vector{leaf[0], leaf[0]}, 0); // a leaf must not change in place
            b[0] = view ? base[1] : leaf[0] * 1;
            const Tensor z = call(b, in_place);
            EXPECT_TRUE(all(logical_or(eq(y, z), isnan(y))).item<bool>()) << c.text();
            EXPECT_EQ(z.impl(), b[0].impl()) << c.text();
            const Tensor seen = view ? base[1] : z;
            EXPECT_NO_THROW(seen.backward(v)) << c.text();
            for (size_t i = 0; i < a.size(); i++) { // what is constant may say so by zeros
                const Tensor want = a[i].grad().defined() ? a[i].grad() : zeros_like(a[i]),
                             got = leaf[i].grad().defined() ? leaf[i].grad() : zeros_like(a[i]);
                EXPECT_TRUE(all(logical_or(eq(want, got), logical_and(isnan(want), isnan(got)))).item<bool>())
                    << c.text() << ": " << want.to_string() << " " << got.to_string();
            }
        }
        tried.insert(c.op + "_");
    }
    EXPECT_EQ(tried, forms);
    EXPECT_GE(tried.size(), 70u);
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
