// SPDX-License-Identifier: BSD-3-Clause
// Callbacks, by the only kind there is so far: hooks on gradients. Deleters of memory: test_tensor.cpp.
#include "support.hpp"
#include <atomic>
#include <functional>
#include <pthread.h>
#include <thread>

namespace {

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

// A destructor of another key of the thread's, which runs after everything of ours has gone, and before.
TEST(AbiUserData, HandedOverFromAKeysDestructor) {
    static std::atomic<int> deleted, hooks;
    deleted = hooks = 0;
    auto late = [](void *) {
        float data[1] = {1};
        int64_t size = 1;
        for (int i = 0; i < 3; i++) {
            Handle t;
            expect_ok(wick_tensor_from_blob(
                data, WICK_FLOAT32, 0, &size, nullptr, 1, 0, [](void *) { deleted++; }, nullptr, t.out()));
            Handle x = leaf({1});
            expect_ok(wick_tensor_register_hook(
                x, [](void *, wick_call *, const wick_value *, uint32_t, wick_value *, uint32_t) { return 1; }, nullptr,
                [](void *) { hooks++; }, 0, nullptr));
            wick_error_raise(WICK_E_ARG, nullptr, "a text that is too long to be kept without memory of its own");
        }
        wick_drain();
    };
    constexpr int KEYS = 3;
    pthread_key_t keys[KEYS];
    for (pthread_key_t &key : keys) ASSERT_EQ(pthread_key_create(&key, late), 0);
    for (bool used_before : {false, true}) {
        deleted = hooks = 0;
        std::thread([&] {
            if (used_before) {
                float data[1] = {1};
                int64_t size = 1;
                Handle t;
                expect_ok(wick_tensor_from_blob(
                    data, WICK_FLOAT32, 0, &size, nullptr, 1, 0, [](void *) { deleted++; }, nullptr, t.out()));
                wick_error_raise(WICK_E_ARG, nullptr, "another text that needs memory of its own");
            }
            for (pthread_key_t &key : keys) pthread_setspecific(key, &key);
        }).join();
        EXPECT_EQ(deleted, 3 * KEYS + used_before);
        EXPECT_EQ(hooks, 3 * KEYS);
    }
    for (pthread_key_t &key : keys) pthread_key_delete(key);
}

} // namespace
