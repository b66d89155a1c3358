// SPDX-License-Identifier: BSD-3-Clause
// Every gradient in the registry, first and second order, by one loop over calls through the registry. An op must
// either have a case here or stand in the list of those without gradient; so a new op cannot be forgotten.
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include "wick/registry.hpp"
#include "wick/value.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <variant>

using namespace wick;

namespace {
using List = std::vector<Tensor>;
using Arg = std::variant<Tensor, List, Value, std::vector<int64_t>, const char *>;
using Args = std::vector<Arg>;

Tensor uniform(std::vector<int64_t> sizes, double lo = -1, double hi = 1) {
    Tensor t = empty(sizes, kFLOAT64);
    check(TH_uniform(t.th(), lo, hi, nullptr));
    return t;
}
Tensor indices(std::vector<int64_t> values) { return tensor(values); }
Value integer(int64_t i) { return box(i); }

/// Inputs of the families of TH/ops: inside the rows' domains and away from their ends.
Tensor inside(std::string_view cls, double lo, double hi, std::vector<int64_t> sizes) {
    if (cls == "BITS" || cls == "SHIFT") return randint(0, 5, sizes);
    lo = std::max(lo, -2.0), hi = std::min(hi, 2.0);
    double middle = (lo + hi) / 2, half = (hi - lo) / 2 * 0.9;
    return uniform(sizes, middle - half, middle + half);
}

std::multimap<std::string, Args> cases() {
    Tensor mask = gt(uniform({2, 3}), 0), labels = indices({2, 0, 1, 2}), weights = uniform({3}, 0.5, 2);
    Tensor x4 = uniform({2, 4, 5, 6}), with_zero = uniform({3, 4});
    {
        NoGrad guard;
        with_zero[1].narrow(0, 2, 1).zero_();
    }
    std::multimap<std::string, Args> c = {
#define TH_UNARY(name, cls, ulp, lo, hi) {#name, {inside(#cls, lo, hi, {2, 3})}},
#include "TH/ops/unary.def"
#undef TH_UNARY
#define TH_BINARY(name, cls, ulp, lo, hi) {#name, {inside(#cls, lo, hi, {2, 3}), inside(#cls, lo, hi, {3})}},
#include "TH/ops/binary.def"
#undef TH_BINARY
        {"add", {uniform({2, 1}), uniform({3}), box(2.5)}},
        {"sub", {uniform({2, 1}), uniform({3}), box(-1.5)}},
        {"maximum", {tensor({1.0, 2.0}), tensor({1.5, 0.5})}},
        {"where", {mask, uniform({3}), uniform({2, 1})}},
        {"clamp", {uniform({4, 4}, -3, 3), uniform({4}, -2, -1), uniform({4, 1}, 1, 2)}},
        {"clamp", {uniform({4, 4}, -3, 3), Value{}, box(0.5)}},
        {"addcmul", {uniform({2, 3}), uniform({3}), uniform({2, 1}), box(0.7)}},
        {"addcdiv", {uniform({2, 3}), uniform({3}), uniform({2, 1}, 1, 2), box(0.7)}},
        {"lerp", {uniform({2, 3}), uniform({3}), uniform({2, 1}, 0, 1)}},
        {"sum", {uniform({2, 3, 4}), std::vector<int64_t>{0, -1}}},
        {"sum", {uniform({2, 3})}},
        {"mean", {uniform({2, 3, 4}), std::vector<int64_t>{1}, box(true)}},
        {"prod", {uniform({3, 4}, 0.5, 2), std::vector<int64_t>{1}}},
        {"prod", {with_zero, std::vector<int64_t>{0}}},
        {"prod", {uniform({2, 3}, 0.5, 2)}},
        {"max", {uniform({3, 4}), std::vector<int64_t>{1}}},
        {"min", {uniform({3, 4})}},
        {"var", {uniform({3, 4}), std::vector<int64_t>{0}, box(1.0)}},
        {"dot", {uniform({4}), uniform({4})}},
        {"mv", {uniform({3, 4}), uniform({4})}},
        {"mm", {uniform({3, 4}), uniform({4, 2})}},
        {"bmm", {uniform({2, 3, 4}), uniform({2, 4, 2})}},
        {"matmul", {uniform({4}), uniform({4})}},
        {"matmul", {uniform({4}), uniform({2, 4, 3})}},
        {"matmul", {uniform({2, 3, 4}), uniform({4})}},
        {"matmul", {uniform({2, 1, 3, 4}), uniform({3, 4, 2})}},
        {"matmul", {uniform({2, 3, 4}), uniform({4, 2})}},
        {"addmm", {uniform({2}), uniform({3, 4}), uniform({4, 2}), box(0.5), box(2.0)}},
        {"linear", {uniform({3, 4}), uniform({2, 4}), uniform({2})}},
        {"linear", {uniform({2, 3, 4}), uniform({2, 4}), uniform({2})}},
        {"linear", {uniform({4}), uniform({2, 4})}},
        {"index_select", {uniform({3, 4}), integer(1), indices({3, 0, 3})}},
        {"index_add", {uniform({3, 4}), integer(0), indices({2, 2}), uniform({2, 4})}},
        {"gather", {uniform({3, 2}), integer(0), indices({0, 2, 2, 1}).reshape({2, 2})}},
        {"scatter", {uniform({3, 2}), integer(0), indices({0, 2, 1, 1}).reshape({2, 2}), uniform({3, 2})}},
        {"scatter_add", {uniform({3, 2}), integer(0), indices({0, 2, 0, 1}).reshape({2, 2}), uniform({2, 2})}},
        {"cat", {List{uniform({2, 3}), uniform({2, 1})}, integer(1)}},
        {"stack", {List{uniform({2, 3}), uniform({2, 3})}, integer(-1)}},
        {"view", {uniform({2, 6}), std::vector<int64_t>{3, -1}}},
        {"reshape", {uniform({2, 6}).t(), std::vector<int64_t>{3, 4}}},
        {"flatten", {uniform({2, 3, 4}), integer(1)}},
        {"squeeze", {uniform({2, 1, 3}), integer(1)}},
        {"unsqueeze", {uniform({2, 3}), integer(-1)}},
        {"transpose", {uniform({2, 3, 4}), integer(0), integer(-1)}},
        {"t", {uniform({2, 3})}},
        {"permute", {uniform({2, 3, 4}), std::vector<int64_t>{2, 0, -2}}},
        {"expand", {uniform({2, 1}), std::vector<int64_t>{4, -1, 3}}},
        {"narrow", {uniform({3, 5}), integer(-1), integer(-3), integer(2)}},
        {"select", {uniform({3, 5}), integer(1), integer(-2)}},
        {"slice", {uniform({3, 7}), integer(1), integer(1), integer(7), integer(2)}},
        {"unfold", {uniform({7, 2}), integer(0), integer(3), integer(2)}},
        {"diagonal", {uniform({3, 4}), integer(1)}},
        {"clone", {uniform({2, 3})}},
        {"contiguous", {uniform({2, 3}).t()}},
        {"to", {uniform({2, 3}), box(kFLOAT64)}},
        {"relu", {uniform({3, 4})}},
        {"leaky_relu", {uniform({3, 4}), box(0.2)}},
        {"gelu", {uniform({3, 4}, -3, 3)}},
        {"gelu", {uniform({3, 4}, -3, 3), "tanh"}},
        {"silu", {uniform({3, 4}, -3, 3)}},
        {"elu", {uniform({3, 4}, -3, 3), box(1.5)}},
        {"softplus", {uniform({3, 4}, -3, 3), box(2.0)}},
        {"softmax", {uniform({3, 4}), integer(0)}},
        {"log_softmax", {uniform({2, 3, 4}), integer(1)}},
        {"nll_loss", {uniform({4, 3}), labels}},
        {"nll_loss", {uniform({4, 3}), labels, weights.detach().to(kFLOAT64), integer(0), "sum"}},
        {"cross_entropy", {uniform({4, 3}), labels, Value{}, integer(-100), "mean", box(0.1)}},
        {"cross_entropy", {uniform({4, 3}), labels, Value{}, integer(2), "none"}},
        {"conv2d",
         {x4, uniform({4, 2, 3, 2}), uniform({4}), std::vector<int64_t>{2, 1}, std::vector<int64_t>{1, 2}, integer(1),
          integer(2)}},
        {"conv2d", {x4, uniform({3, 4, 2, 2}), Value{}, integer(1), integer(1), std::vector<int64_t>{2, 3}}},
        {"max_pool2d", {x4, integer(2), std::vector<int64_t>{2, 1}, integer(1)}},
        {"avg_pool2d", {x4, integer(3), integer(2), integer(1), box(true), box(false)}},
        {"batch_norm", {x4, Value{}, Value{}, uniform({4}), uniform({4}), box(true)}},
        {"dropout", {uniform({3, 4}), box(0.0)}},
    };
    return c;
}

const std::set<std::string> WITHOUT_GRADIENT = {
    "any",       "all",        "argmax", "argmin",   "detach", "empty", "zeros", "ones",    "full",     "zeros_like",
    "ones_like", "empty_like", "arange", "linspace", "eye",    "rand",  "randn", "randint", "randperm", "manual_seed",
};

/// Constants of a case: tensors that are not to be differentiated.
bool constant(const std::string &op, size_t position) {
    return (op == "nll_loss" || op == "cross_entropy") && position == 2;
}

/// Calls `op` with the floating tensors of args replaced, in order, by `inputs`.
Tensor call_with(const Op &op, const Args &args, std::span<const Tensor> inputs) {
    std::vector<OwnedValue> held;
    std::vector<Value> values;
    size_t next = 0;
    auto place = [&](const Tensor &t, size_t position) {
        return t.is_floating_point() && !constant(op.schema.name, position) ? inputs[next++] : t;
    };
    for (size_t i = 0; i < args.size(); i++) {
        const Arg &a = args[i];
        if (auto *t = std::get_if<Tensor>(&a)) {
            held.emplace_back(box(place(*t, i)));
        } else if (auto *l = std::get_if<List>(&a)) {
            List placed;
            for (const Tensor &item : *l) placed.push_back(place(item, i));
            held.emplace_back(box(placed));
        } else if (auto *v = std::get_if<Value>(&a)) {
            held.emplace_back(copy(*v));
        } else if (auto *n = std::get_if<std::vector<int64_t>>(&a)) {
            values.push_back({WICK_TAG_INTS, static_cast<uint32_t>(n->size()), {.ints = n->data()}});
            continue;
        } else {
            held.emplace_back(box(std::get<const char *>(a)));
        }
        values.push_back(held.back().get());
    }
    Value result{WICK_TAG_UNSET, 0, {.i = 0}};
    op.call(values, {&result, 1});
    return unbox<Tensor>(OwnedValue(result).get());
}

List differentiated(const std::string &op, const Args &args) {
    List out;
    for (size_t i = 0; i < args.size(); i++) {
        if (constant(op, i)) continue;
        if (auto *t = std::get_if<Tensor>(&args[i]); t && t->is_floating_point()) out.push_back(*t);
        if (auto *l = std::get_if<List>(&args[i])) out.insert(out.end(), l->begin(), l->end());
    }
    return out;
}
} // namespace

TEST(Gradients, EveryOpFirstAndSecondOrder) {
    manual_seed(20);
    size_t checked = 0;
    for (const auto &[name, args] : cases()) {
        const Op *op = find_op(name);
        ASSERT_NE(op, nullptr) << name;
        if (!call_with(*op, args, differentiated(name, args)).is_floating_point()) continue; // comparisons and tests
        try {
            gradcheck([&](std::span<const Tensor> in) { return call_with(*op, args, in); }, differentiated(name, args));
            checked++;
        } catch (const Error &e) {
            ADD_FAILURE() << name << ": " << e.message();
        }
    }
    EXPECT_GT(checked, 100u);
}

TEST(Gradients, NoOpIsForgotten) {
    auto all = cases();
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
    for (const auto &[name, args] : cases()) {
        const Op *plain = find_op(name), *in_place = find_op(name + "_");
        if (!in_place) continue;
        List inputs = differentiated(name, args), a, b;
        if (inputs.empty()) continue;
        if (!call_with(*plain, args, inputs).is_floating_point()) continue;
        for (const Tensor &t : inputs) {
            a.push_back(t.clone().requires_grad_());
            b.push_back(t.clone().requires_grad_());
        }
        Tensor y = call_with(*plain, args, a);
        if (y.dim() != inputs[0].dim() || !std::ranges::equal(y.sizes(), inputs[0].sizes())) continue;
        Tensor leaf = b[0];
        b[0] = leaf * 1; // a leaf must not change in place
        Tensor z = call_with(*in_place, args, b);
        EXPECT_TRUE(all(eq(y, z)).item<bool>()) << name;
        EXPECT_EQ(z.impl(), b[0].impl()) << name;
        if (!y.requires_grad()) continue;
        Tensor v = uniform({y.sizes().begin(), y.sizes().end()});
        y.backward(v);
        try {
            z.backward(v);
            EXPECT_TRUE(all(eq(a[0].grad(), leaf.grad())).item<bool>()) << name;
            checked++;
        } catch (const Error &e) { // ops that save their input must say so
            EXPECT_NE(e.message().find("changed in place"), std::string::npos) << name << ": " << e.message();
        }
    }
    EXPECT_GT(checked, 10u);
}

TEST(Gradients, ReducingNumbersAndChosenDims) {
    Tensor number = full({}, 3, kFLOAT64).requires_grad_(), x = uniform({2, 3, 4}).requires_grad_();
    for (auto reduce : {sum, mean, max})
        for (const std::vector<int32_t> &dims : {std::vector<int32_t>{}, {0}, {-1}}) {
            reduce(number, dims, false).backward();
            EXPECT_EQ(number.grad().item<double>(), 1);
            number.set_grad({});
        }
    sum(x, {2, 0}).backward(arange(0, 3, 1, kFLOAT64));
    for (int64_t i = 0; i < 24; i++) EXPECT_EQ(x.grad().flatten()[i].item<int64_t>(), i / 4 % 3);
}
