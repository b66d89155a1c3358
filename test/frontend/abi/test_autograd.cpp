// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"
#include <functional>
#include <stdexcept>

namespace {

Handle leaf(const std::vector<float> &values) {
    Handle t = floats(values);
    expect_ok(wick_tensor_set_requires_grad(t, 1));
    return t;
}

std::vector<float> grad_of(wick_object *t, size_t n) {
    Handle g;
    expect_ok(wick_tensor_grad(t, g.out()));
    return g ? read(g, n) : std::vector<float>();
}

int32_t backward(wick_object *root, uint32_t flags = 0, wick_object *seed = nullptr) {
    return wick_backward(&root, seed ? &seed : nullptr, 1, flags, nullptr);
}

TEST(AbiAutograd, BackwardFillsLeaves) {
    Handle x = leaf({1, 2, 3});
    Handle y = call("mul", {wick_v_object(x), wick_v_object(x)});
    Handle loss = call("sum", {wick_v_object(y)});
    int32_t on = 0;
    expect_ok(wick_tensor_requires_grad(loss, &on));
    EXPECT_EQ(on, 1);
    EXPECT_TRUE(grad_of(x, 3).empty());
    expect_ok(backward(loss, WICK_RETAIN_GRAPH));
    EXPECT_EQ(grad_of(x, 3), (std::vector<float>{2, 4, 6}));
    expect_ok(backward(loss));
    EXPECT_EQ(grad_of(x, 3), (std::vector<float>{4, 8, 12}));
    expect_ok(wick_tensor_set_grad(x, nullptr));
    EXPECT_TRUE(grad_of(x, 3).empty());
    expect_error(backward(loss), WICK_E_AUTOGRAD, {"backward", "retain_graph"});
}

TEST(AbiAutograd, SeedsAndSeveralRoots) {
    Handle x = leaf({1, 2});
    Handle y = call("mul", {wick_v_object(x), wick_v_float(3)}), z = call("sum", {wick_v_object(x)}),
           seed = floats({10, 100});
    wick_object *roots[] = {y, z}, *seeds[] = {seed, nullptr};
    expect_ok(wick_backward(roots, seeds, 2, 0, nullptr));
    EXPECT_EQ(grad_of(x, 2), (std::vector<float>{31, 301}));
    Handle w = call("mul", {wick_v_object(x), wick_v_float(3)});
    expect_error(backward(w), WICK_E_SHAPE, {"[2]"});
    Handle longer = floats({1, 2, 3});
    expect_error(backward(w, 0, longer), WICK_E_SHAPE, {"[2]", "[3]"});
}

TEST(AbiAutograd, SecondOrderByGrad) {
    Handle x = leaf({2, 3});
    Handle y =
        call("sum", {wick_v_object(call(
                        "mul", {wick_v_object(x), wick_v_object(call("mul", {wick_v_object(x), wick_v_object(x)}))}))});
    wick_object *root = y, *input = x, *first = nullptr, *second = nullptr;
    expect_ok(wick_grad(&root, nullptr, 1, &input, 1, WICK_CREATE_GRAPH, &first, nullptr));
    Handle g(first);
    EXPECT_EQ(read(g, 2), (std::vector<float>{12, 27}));
    EXPECT_TRUE(grad_of(x, 2).empty());
    Handle sum = call("sum", {wick_v_object(g)});
    root = sum;
    expect_ok(wick_grad(&root, nullptr, 1, &input, 1, 0, &second, nullptr));
    Handle h(second);
    EXPECT_EQ(read(h, 2), (std::vector<float>{12, 18}));

    Handle unused = leaf({1});
    wick_object *inputs[] = {x, unused}, *grads[] = {nullptr, nullptr};
    Handle z = call("sum", {wick_v_object(x)});
    root = z;
    wick_error *err = nullptr;
    EXPECT_EQ(wick_grad(&root, nullptr, 1, inputs, 2, WICK_RETAIN_GRAPH, grads, &err), WICK_E_AUTOGRAD);
    wick_error_free(err);
    EXPECT_EQ(grads[0], nullptr);
    expect_ok(wick_grad(&root, nullptr, 1, inputs, 2, WICK_ALLOW_UNUSED, grads, nullptr));
    EXPECT_EQ(read(grads[0], 2), (std::vector<float>{1, 1}));
    EXPECT_EQ(grads[1], nullptr);
    wick_release(grads[0]);
}

TEST(AbiAutograd, GradModeAndDetach) {
    Handle x = leaf({1, 2}), detached;
    EXPECT_EQ(wick_grad_mode(), 1);
    EXPECT_EQ(wick_set_grad_mode(0), 1);
    int32_t on = 1;
    expect_ok(wick_tensor_requires_grad(call("mul", {wick_v_object(x), wick_v_float(2)}), &on));
    EXPECT_EQ(on, 0);
    EXPECT_EQ(wick_set_grad_mode(1), 0);
    Handle y = call("mul", {wick_v_object(x), wick_v_float(2)});
    expect_ok(wick_tensor_detach(y, detached.out()));
    expect_ok(wick_tensor_requires_grad(detached, &on));
    EXPECT_EQ(on, 0);
    expect_ok(wick_tensor_retain_grad(y));
    expect_ok(backward(call("sum", {wick_v_object(y)})));
    EXPECT_EQ(grad_of(y, 2), (std::vector<float>{1, 1}));
}

TEST(AbiAutograd, ChangedSavedTensorNamesTheOp) {
    Handle x = leaf({1, 2}), y = floats({3, 4});
    Handle loss = call("sum", {wick_v_object(call("mul", {wick_v_object(x), wick_v_object(y)}))});
    call("fill_", {wick_v_object(y), wick_v_float(0)});
    expect_error(backward(loss), WICK_E_AUTOGRAD, {"mul"});
    int64_t zero = 0;
    Handle ints;
    expect_ok(wick_tensor_from_data(&zero, WICK_INT64, nullptr, 0, ints.out()));
    EXPECT_NE(wick_tensor_set_requires_grad(ints, 1), WICK_OK);
    Raised e(wick_error_take());
}

// ---- hooks ----

using Hook = std::function<int32_t(const wick_value &grad, wick_value *replacement)>;
int destroyed = 0;

// One trampoline serves all, as in a binding.
int32_t trampoline(void *user, wick_call *call, const wick_value *args, uint32_t nargs, wick_value *results,
                   uint32_t nresults) {
    EXPECT_EQ(call, nullptr);
    EXPECT_EQ(nargs, 1u);
    EXPECT_EQ(nresults, 1u);
    EXPECT_EQ(results[0].tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    return (*static_cast<Hook *>(user))(args[0], results);
}

/// The status of a backward with this hook, and the gradient.
std::pair<int32_t, std::vector<float>> with_hook(Hook hook, wick_error **err = nullptr) {
    destroyed = 0;
    Handle x = leaf({1, 2});
    uint64_t id = 0;
    expect_ok(wick_tensor_register_hook(
        x, trampoline, &hook, [](void *) { destroyed++; }, 0, &id));
    Handle loss = call("sum", {wick_v_object(x)});
    wick_object *root = loss;
    int32_t status = wick_backward(&root, nullptr, 1, 0, err);
    return {status, grad_of(x, 2)};
}

TEST(AbiHook, SeesAndReplacesTheGradient) {
    using Floats = std::vector<float>;
    auto seen = with_hook([](const wick_value &g, wick_value *) {
        EXPECT_EQ(read(g.u.o, 2), (Floats{1, 1}));
        return WICK_CB_DONE;
    });
    EXPECT_EQ(seen.second, (Floats{1, 1}));
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(wick_drain(), 1u);
    EXPECT_EQ(destroyed, 1);
    auto replaced = with_hook([](const wick_value &g, wick_value *r) { // calls back into the library
        wick_value args[] = {g, wick_v_float(5)};
        return wick_op_call(op("mul"), args, 2, r, 1, nullptr) == WICK_OK ? WICK_CB_DONE : WICK_CB_FAIL;
    });
    expect_ok(replaced.first);
    EXPECT_EQ(replaced.second, (Floats{5, 5}));
    wick_drain();
}

TEST(AbiHook, FailuresComeOut) {
    EXPECT_EQ(with_hook([](const wick_value &, wick_value *) { return 0; }).first, WICK_E_CALLBACK);
    {
        Raised e(wick_error_take());
        EXPECT_NE(e.message().find("hook"), std::string::npos) << e.message();
    }
    // A stale error of an inner, handled failure is not the callback's.
    with_hook([](const wick_value &, wick_value *) {
        wick_op *o;
        wick_op_find("nope", &o);
        return WICK_CB_DONE;
    });
    EXPECT_EQ(wick_error_take(), nullptr);
    // An exception through C frames.
    EXPECT_EQ(with_hook([](const wick_value &, wick_value *) -> int32_t { throw 5; }).first, WICK_E_CALLBACK);
    wick_error_free(wick_error_take());
    // A wrong result, and results of a failed callback, are dropped.
    EXPECT_EQ(with_hook([](const wick_value &, wick_value *r) {
                  wick_object *s = nullptr;
                  wick_string_new("not a tensor", -1, &s);
                  *r = wick_v_object(s);
                  return WICK_CB_DONE;
              }).first,
              WICK_E_TYPE);
    wick_error_free(wick_error_take());
    EXPECT_EQ(with_hook([](const wick_value &g, wick_value *r) {
                  wick_retain(g.u.o);
                  *r = g;
                  return 0;
              }).first,
              WICK_E_CALLBACK);
    wick_error_free(wick_error_take());
    wick_drain();
}

TEST(AbiHook, ForeignPayloadMakesTheRoundTrip) {
    int payload = 0; // counts its destruction
    wick_error *err = nullptr;
    auto outcome = with_hook(
        [&](const wick_value &, wick_value *) -> int32_t {
            wick_error_raise(WICK_E_CALLBACK, "python.ValueError", "from the host");
            wick_error_push_frame("train.py", "my_hook", 12);
            wick_error_set_foreign("python", &payload, [](void *p) { ++*static_cast<int *>(p); });
            return WICK_CB_FAIL;
        },
        &err);
    EXPECT_EQ(outcome.first, WICK_E_CALLBACK);
    EXPECT_EQ(wick_error_take(), nullptr);
    ASSERT_NE(err, nullptr);
    EXPECT_STREQ(wick_error_kind(err), "python.ValueError");
    EXPECT_STREQ(wick_error_message(err), "from the host");
    EXPECT_EQ(wick_error_foreign(err, "python"), &payload);
    const char *where = nullptr;
    uint32_t line = 0;
    expect_ok(wick_error_frame(err, 0, &where, nullptr, &line));
    EXPECT_STREQ(where, "train.py");
    EXPECT_EQ(line, 12u);
    EXPECT_EQ(payload, 0);
    wick_error_free(err);
    EXPECT_EQ(payload, 1);
    wick_drain();
}

TEST(AbiHook, RemovalAndMisuse) {
    destroyed = 0;
    Handle x = leaf({1}), plain = floats({1});
    uint64_t id = 0;
    Hook never = [](const wick_value &, wick_value *) { return WICK_CB_FAIL; };
    expect_ok(wick_tensor_register_hook(
        x, trampoline, &never, [](void *) { destroyed++; }, WICK_ANY_THREAD, &id));
    expect_ok(wick_tensor_remove_hook(x, id));
    EXPECT_EQ(destroyed, 1);
    expect_ok(backward(call("sum", {wick_v_object(x)})));
    expect_error(wick_tensor_register_hook(x, nullptr, nullptr, nullptr, 0, nullptr), WICK_E_ARG, {"fn"});
    expect_error(wick_tensor_register_hook(
                     plain, trampoline, &never, [](void *) { destroyed++; }, 0, nullptr),
                 WICK_E_AUTOGRAD);
    EXPECT_EQ(wick_drain(), 0u);
    EXPECT_EQ(destroyed, 1) << "a failed registration destroys nothing";
}

TEST(AbiAutograd, NullArguments) {
    expect_error(wick_backward(nullptr, nullptr, 1, 0, nullptr), WICK_E_ARG, {"wick_backward", "roots"});
    wick_object *null_root = nullptr;
    expect_error(wick_backward(&null_root, nullptr, 1, 0, nullptr), WICK_E_ARG, {"wick_backward", "roots"});
    expect_error(wick_tensor_grad(nullptr, &null_root), WICK_E_ARG, {"wick_tensor_grad"});
    expect_error(wick_tensor_grad(floats({1}), nullptr), WICK_E_ARG, {"out"});
    Handle x = floats({1});
    wick_object *root = x;
    expect_error(wick_grad(&root, nullptr, 1, nullptr, 1, 0, &root, nullptr), WICK_E_ARG, {"inputs"});
    expect_error(wick_grad(&root, nullptr, 1, &root, 1, 0, nullptr, nullptr), WICK_E_ARG, {"grads"});
}

} // namespace
