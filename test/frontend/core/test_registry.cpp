// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include "wick/value.hpp"
#include <gtest/gtest.h>
#include <thread>

using namespace wick;

namespace {
Value borrow(const Tensor &t) { return {WICK_TAG_TENSOR, 0, {.o = handle(t.impl())}}; }
Value integer(int64_t i) { return make_value(WICK_TAG_INT, i); }
Value floating(double f) { return {WICK_TAG_FLOAT, 0, {.f = f}}; }

/// The results of a call, or its error's text.
std::vector<OwnedValue> call(const char *name, std::vector<Value> args, std::vector<const char *> names = {}) {
    Value room[4];
    std::vector<OwnedValue> out;
    for (const Value &v : std::span(room, find_op(name)->call(args, names, room))) out.emplace_back(v);
    return out;
}
Tensor first(const std::vector<OwnedValue> &results) { return unbox<Tensor>(results.at(0).get()); }

void constant(const Callable &self, Object *, const Value *, Value *results) {
    results[0] = integer(*static_cast<const int64_t *>(self.context));
}
/// An op that returns this number.
const Op &add_constant(std::string schema, int64_t value) {
    return register_op(std::move(schema), "A number.", constant, std::make_shared<int64_t>(value));
}
int64_t number(const std::vector<OwnedValue> &results) { return unbox<int64_t>(results.at(0).get()); }
} // namespace

TEST(Registry, EveryNameOnceAndFound) {
    EXPECT_GT(op_count(), 150u);
    for (size_t i = 0; i < op_count(); i++) {
        const Op &op = op_at(i);
        const Op *found = find_op(op.schema.name);
        ASSERT_NE(found, nullptr) << op.schema.name;
        if (found->role == Op::Role::Group)
            EXPECT_EQ(static_cast<const Group *>(found)->variants()[0], &op);
        else
            EXPECT_EQ(found, &op);
        EXPECT_FALSE(op.doc.empty()) << op.schema.name;
        EXPECT_EQ(op.doc.back(), '.') << op.schema.name;
    }
    EXPECT_EQ(find_op("nonsense"), nullptr);
    EXPECT_EQ(find_op("max.nonsense"), nullptr);
    EXPECT_WICK_ERROR(op_at(op_count()), TH_E_INDEX, "op_at");
}

TEST(Registry, CallChecksItsArguments) {
    const Op *op = find_op("leaky_relu");
    Value result{}, number{WICK_TAG_FLOAT, 0, {.f = 2}}, text{WICK_TAG_STR, 1, {.s = "x"}};
    Value three[] = {number, number, number}, wrong[] = {text}, second[] = {number, text};
    EXPECT_WICK_ERROR(op->call({}, {&result, 1}), TH_E_ARG, "no value for argument 1, want Tensor x");
    EXPECT_WICK_ERROR(op->call(three, {&result, 1}), TH_E_ARG, "3 arguments, want at most 2");
    EXPECT_WICK_ERROR(op->call(wrong, {&result, 1}), TH_E_TYPE, "leaky_relu: got str");
    EXPECT_WICK_ERROR(op->call(second, {&result, 1}), TH_E_TYPE, "want float negative_slope");
    EXPECT_WICK_ERROR(op->call({&number, 1}, {}), TH_E_ARG, "room for 0 results");
}

TEST(Registry, FlagsAndSigns) {
    EXPECT_EQ(find_op("relu")->flags, uint32_t{Op::METHOD | Op::OUT});
    EXPECT_EQ(find_op("relu")->sign, nullptr);
    EXPECT_EQ(find_op("add_")->flags, uint32_t{Op::METHOD | Op::IN_PLACE});
    EXPECT_EQ(find_op("zeros")->flags, uint32_t{Op::OUT});
    EXPECT_EQ(find_op("view")->flags, uint32_t{Op::METHOD});
    EXPECT_EQ(find_op("mT")->flags, uint32_t{Op::METHOD | Op::PROPERTY});
    EXPECT_EQ(find_op("max")->flags & Op::METHOD, uint32_t{Op::METHOD});
    EXPECT_STREQ(find_op("add")->sign, "+");
    EXPECT_STREQ(find_op("floor_divide")->sign, "//");
    EXPECT_STREQ(find_op("neg")->sign, "-");
}

TEST(Group, ArgumentsDecide) {
    Tensor x = tensor<double>({1.0, 5.0, 3.0, 4.0}).view({2, 2}), y = tensor<double>({2.0, 2.0});
    const Op *max = find_op("max");
    ASSERT_EQ(max->role, Op::Role::Group);
    EXPECT_EQ(max->schema.name, "max");
    EXPECT_EQ(static_cast<const Group *>(max)->variants().size(), 3u);
    EXPECT_EQ(first(call("max", {borrow(x)})).item<double>(), 5);
    auto along = call("max", {borrow(x), integer(1)});
    ASSERT_EQ(along.size(), 2u);
    EXPECT_EQ(first(along).to_string(), "[5, 4] float64[2]");
    EXPECT_EQ(unbox<Tensor>(along[1].get()).to_string(), "[1, 1] int64[2]");
    EXPECT_EQ(first(call("max", {borrow(x), integer(0)}, {"dim"})).to_string(), "[3, 5] float64[2]");
    EXPECT_EQ(first(call("max", {borrow(x), make_value(WICK_TAG_BOOL, 1), integer(0)}, {"keepdim", "dim"})).dim(), 2);
    EXPECT_EQ(first(call("max", {borrow(x), borrow(y)})).to_string(), "[[2, 5],\n [3, 4]] float64[2, 2]");
    EXPECT_EQ(first(call("max", {borrow(x), floating(4.5)})).to_string(), "[[4.5, 5],\n [4.5, 4.5]] float64[2, 2]");
    EXPECT_EQ(first(call("max.other", {borrow(y), integer(3)})).to_string(), "[3, 3] float64[2]"); // named: no dim
    EXPECT_EQ(first(call("arange", {integer(3)})).to_string(), "[0, 1, 2] int64[3]");
    EXPECT_EQ(first(call("arange", {integer(1), integer(3)})).to_string(), "[1, 2] int64[2]");
    EXPECT_EQ(first(call("arange", {integer(3), make_value(WICK_TAG_DTYPE, TH_FLOAT32)}, {"dtype"})).dtype(), kFLOAT32);
    int64_t dims[] = {0, -1};
    Tensor ones = zeros({1, 2, 1});
    EXPECT_EQ(first(call("squeeze", {borrow(ones)})).dim(), 1);
    EXPECT_EQ(first(call("squeeze", {borrow(ones), integer(0)})).dim(), 2);
    EXPECT_EQ(first(call("squeeze", {borrow(ones), {WICK_TAG_INTS, 2, {.ints = dims}}})).dim(), 1);
}

TEST(Group, RefusalNamesEveryVariantAndWhy) {
    Tensor x = zeros({2});
    Value text{WICK_TAG_STR, 1, {.s = "z"}};
    EXPECT_WICK_ERROR(
        call("max", {borrow(x), text}, {"keepdim"}), TH_E_TYPE,
        "max: got (Tensor float32[2], keepdim=str 'z'), want one of\n"
        "  max(Tensor x) -> Tensor: got an argument named 'keepdim', want one of its own\n"
        "  max.dim(Tensor x, int dim, bool keepdim=False) -> (Tensor values, Tensor indices): got no value "
        "for argument 2, want int dim\n"
        "  max.other(Tensor a, Tensor b) -> Tensor: got an argument named 'keepdim', want one of its own");
    EXPECT_WICK_ERROR(call("max", {}), TH_E_TYPE, "no value for argument 1");
    Value none{};
    EXPECT_WICK_ERROR(call("max", {borrow(x), none}), TH_E_TYPE, "got None for argument 2, want int dim");
    EXPECT_WICK_ERROR(call("max", {borrow(x), none}), TH_E_TYPE, "got None for argument 2, want Tensor b");
}

TEST(Group, ExactBeforeConvertible) {
    add_constant("exactness(Tensor x) -> int", 1);
    EXPECT_EQ(find_op("exactness")->role, Op::Role::Op);
    const Op *alone = find_op("exactness");
    add_constant("exactness.float(float x) -> int", 2);
    add_constant("exactness.list(int[] x) -> int", 3);
    add_constant("exactness.scalar(Scalar x) -> int", 4);
    Tensor x(1.0);
    EXPECT_EQ(number(call("exactness", {borrow(x)})), 1);
    EXPECT_EQ(number(call("exactness", {integer(1)})), 1); // what was added later takes no call from the first
    EXPECT_EQ(number(call("exactness.scalar", {integer(1)})), 4);
    int64_t list[] = {1};
    EXPECT_EQ(number(call("exactness", {{WICK_TAG_INTS, 1, {.ints = list}}})), 3);
    Value result{};
    Value one = integer(1);
    alone->call({&one, 1}, {&result, 1});
    EXPECT_EQ(result.u.i, 1); // an old pointer still means the first
}

TEST(Register, SchemasAndNamesAreChecked) {
    EXPECT_WICK_ERROR(add_constant("broken(", 1), TH_E_ARG, "column");
    EXPECT_WICK_ERROR(add_constant("relu(Tensor x) -> Tensor", 1), TH_E_ARG, "second op 'relu'");
    EXPECT_WICK_ERROR(add_constant("max.dim(Tensor x) -> Tensor", 1), TH_E_ARG, "second op 'max.dim'");
    size_t before = op_count();
    const Op &op = add_constant("test::forty_two(int n=1) -> int", 42);
    EXPECT_EQ(op_count(), before + 1);
    EXPECT_EQ(&op_at(before), &op);
    EXPECT_EQ(find_op("test::forty_two"), &op);
    EXPECT_EQ(number(call("test::forty_two", {})), 42);
}

TEST(Register, SeveralThreadsAtOnce) {
    constexpr int THREADS = 4, EACH = 50;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    const Op *relu = find_op("relu");
    add_constant("crowd(str text) -> int", -1);
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back([=, &wrong] {
            for (int i = 0; i < EACH; i++) {
                std::string name = "v" + std::to_string(t * EACH + i);
                const Op &op = add_constant("crowd." + name + "(int " + name + ") -> int", t * EACH + i);
                wrong += find_op("crowd." + name) != &op || find_op("relu") != relu;
                wrong += number(call("crowd", {integer(0)}, {name.c_str()})) != t * EACH + i;
                wrong += op_at(op_count() - 1).schema.name.empty();
            }
        });
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(static_cast<const Group *>(find_op("crowd"))->variants().size(), size_t{THREADS * EACH + 1});
}

TEST(Results, NoneIsLeftWhenAFunctionFailsAfterTheFirst) {
    static uint32_t alive;
    static Tensor *kept;
    register_op("test::half_done() -> (Tensor, Tensor)", "Fails late.",
                [](const Callable &, Object *, const Value *, Value *results) {
                    results[0] = box(*kept);
                    throw Error(TH_E_ARG, "half_done: failed");
                });
    Tensor t = zeros({1});
    kept = &t;
    alive = t.impl()->refs();
    Value room[2];
    EXPECT_WICK_ERROR(find_op("test::half_done")->call({}, room), TH_E_ARG, "half_done");
    EXPECT_EQ(t.impl()->refs(), alive);
    EXPECT_EQ(room[0].tag, uint32_t{WICK_TAG_NONE});
}

TEST(Out, TakesTheResult) {
    Tensor a = tensor<double>({1.0, 2.0}), b = tensor<double>({10.0, 20.0}), out = zeros({2}, kFLOAT32);
    auto results = call("add", {borrow(a), borrow(b), borrow(out)}, {"out"});
    EXPECT_EQ(first(results).impl(), out.impl());
    EXPECT_EQ(out.to_string(), "[11, 22] float32[2]");
    call("mul", {borrow(a), borrow(b), borrow(a)}, {"out"}); // one of the inputs
    EXPECT_EQ(a.to_string(), "[10, 40] float64[2]");
    Tensor largest = zeros({}, kFLOAT64);
    call("max", {borrow(b), borrow(largest)}, {"out"}); // through a group
    EXPECT_EQ(largest.item<double>(), 20);
    Tensor same = zeros({2}, kFLOAT64);
    call("maximum", {borrow(a), borrow(same), borrow(b)}, {"out", "b"});
    EXPECT_EQ(same.to_string(), "[10, 40] float64[2]");
}

TEST(Out, IsRefusedWithoutHarm) {
    Tensor a = tensor<double>({1.0, 2.0}), three = zeros({3}, kFLOAT64), ints = zeros({2}, kINT64),
           flags = zeros({2}, kBOOL);
    EXPECT_WICK_ERROR(call("neg", {borrow(a), borrow(three)}, {"out"}), TH_E_SHAPE, "neg: got out of float64[3]");
    EXPECT_WICK_ERROR(call("neg", {borrow(a), borrow(ints)}, {"out"}), TH_E_TYPE, "neg: got out of int64[2]");
    EXPECT_WICK_ERROR(call("neg", {borrow(a), borrow(flags)}, {"out"}), TH_E_TYPE, "neg: got out of bool[2]");
    EXPECT_WICK_ERROR(call("neg", {borrow(a), integer(1)}, {"out"}), TH_E_TYPE, "neg: got int 1 for out");
    EXPECT_WICK_ERROR(call("neg_", {borrow(a), borrow(a)}, {"out"}), TH_E_ARG, "named 'out'");
    EXPECT_WICK_ERROR(call("view", {borrow(a), integer(2), borrow(a)}, {"out"}), TH_E_ARG, "named 'out'");
    EXPECT_WICK_ERROR(call("max", {borrow(a), integer(0), borrow(a)}, {"out"}), TH_E_ARG, "max.dim: got out");
    EXPECT_EQ(a.to_string(), "[1, 2] float64[2]");
    Tensor w = tensor<double>({1.0, 2.0}).requires_grad_(), out = zeros({2}, kFLOAT64);
    EXPECT_WICK_ERROR(call("neg", {borrow(w), borrow(out)}, {"out"}), TH_E_AUTOGRAD, "neg: got out while recording");
    EXPECT_WICK_ERROR(call("neg", {borrow(out), borrow(w)}, {"out"}), TH_E_AUTOGRAD, "while recording");
    Value list[] = {borrow(w)};
    EXPECT_WICK_ERROR(call("cat", {{WICK_TAG_VALUES, 1, {.values = list}}, borrow(out)}, {"out"}), TH_E_AUTOGRAD,
                      "while recording");
    NoGrad guard;
    call("neg", {borrow(w), borrow(out)}, {"out"});
    EXPECT_EQ(out.to_string(), "[-1, -2] float64[2]");
}
