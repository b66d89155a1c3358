// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

namespace {

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
