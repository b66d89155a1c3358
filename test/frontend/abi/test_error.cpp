// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"
#include <atomic>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

TEST(AbiError, SlotIsEmptyUntilAFailure) {
    EXPECT_EQ(wick_error_take(), nullptr);
    Handle t = floats({1, 2});
    EXPECT_EQ(wick_error_take(), nullptr);
    EXPECT_NE(wick_tensor_dtype(t, nullptr), WICK_OK);
    Raised e(wick_error_take());
    EXPECT_NE(static_cast<const wick_error *>(e), nullptr);
    EXPECT_EQ(wick_error_take(), nullptr);
}

TEST(AbiError, EveryStatusHasItsKind) {
    const std::vector<std::string> kinds = {"",
                                            "ArgumentError",
                                            "TypeError",
                                            "ShapeError",
                                            "NotFoundError",
                                            "MemoryError",
                                            "DeviceError",
                                            "UnsupportedError",
                                            "CallbackError",
                                            "AbiError",
                                            "ForkedError",
                                            "InternalError",
                                            "IndexError",
                                            "IOError",
                                            "AutogradError"};
    for (int32_t status = 1; status < static_cast<int32_t>(kinds.size()); status++) {
        EXPECT_EQ(wick_error_raise(status, nullptr, "text"), status);
        Raised e(wick_error_take());
        EXPECT_EQ(wick_error_status(e), status);
        EXPECT_EQ(e.kind(), kinds[static_cast<size_t>(status)]);
        EXPECT_EQ(e.message(), "text");
    }
}

TEST(AbiError, RaiseTakesAKindAndMakesUnknownStatusesCallbackErrors) {
    EXPECT_EQ(wick_error_raise(WICK_E_ARG, "python.ValueError", nullptr), WICK_E_ARG);
    {
        Raised e(wick_error_take());
        EXPECT_EQ(e.kind(), "python.ValueError");
        EXPECT_EQ(e.message(), "");
    }
    for (int32_t status : {0, -1, 99}) {
        EXPECT_EQ(wick_error_raise(status, nullptr, "x"), WICK_E_CALLBACK);
        Raised e(wick_error_take());
        EXPECT_EQ(e.kind(), "CallbackError");
    }
}

TEST(AbiError, FramesAreInnermostFirst) {
    wick_error_raise(WICK_E_ARG, nullptr, "x");
    expect_ok(wick_error_push_frame("a.c", "inner", 7));
    expect_ok(wick_error_push_frame(nullptr, "outer", 0));
    Raised e(wick_error_take());
    ASSERT_EQ(wick_error_frame_count(e), 2u);
    const char *where, *what;
    uint32_t line;
    expect_ok(wick_error_frame(e, 0, &where, &what, &line));
    EXPECT_STREQ(where, "a.c");
    EXPECT_STREQ(what, "inner");
    EXPECT_EQ(line, 7u);
    expect_ok(wick_error_frame(e, 1, &where, &what, nullptr));
    EXPECT_STREQ(where, "");
    EXPECT_STREQ(what, "outer");
    expect_error(wick_error_frame(e, 2, nullptr, nullptr, nullptr), WICK_E_INDEX, {"wick_error_frame", "2"});
}

TEST(AbiError, ForeignPayloadIsDestroyedOnce) {
    int destroyed = 0;
    auto destroy = [](void *p) { ++*static_cast<int *>(p); };
    wick_error_raise(WICK_E_ARG, nullptr, "x");
    expect_ok(wick_error_set_foreign("python", &destroyed, destroy));
    {
        Raised e(wick_error_take());
        EXPECT_EQ(wick_error_foreign(e, "python"), &destroyed);
        EXPECT_EQ(wick_error_foreign(e, "lua"), nullptr);
        EXPECT_EQ(wick_error_foreign(e, nullptr), nullptr);
        EXPECT_EQ(destroyed, 0);
    }
    EXPECT_EQ(destroyed, 1);
    // Without an error to add to: at once.
    expect_error(wick_error_set_foreign("python", &destroyed, destroy), WICK_E_ARG, {"wick_error_set_foreign"});
    EXPECT_EQ(destroyed, 2);
    expect_error(wick_error_push_frame("a", "b", 1), WICK_E_ARG, {"wick_error_push_frame"});
}

TEST(AbiError, NullIsHarmless) {
    wick_error_free(nullptr);
    EXPECT_EQ(wick_error_status(nullptr), WICK_OK);
    EXPECT_STREQ(wick_error_kind(nullptr), "");
    EXPECT_STREQ(wick_error_message(nullptr), "");
    EXPECT_EQ(wick_error_frame_count(nullptr), 0u);
    EXPECT_EQ(wick_error_foreign(nullptr, "x"), nullptr);
    expect_error(wick_error_frame(nullptr, 0, nullptr, nullptr, nullptr), WICK_E_ARG);
}

TEST(AbiError, ErrParameterTakesTheErrorInsteadOfTheSlot) {
    Handle a = floats({1, 2, 3}), b = floats({1, 2});
    wick_value args[] = {wick_v_object(a), wick_v_object(b)}, result = wick_v_none();
    wick_error *err = nullptr;
    EXPECT_EQ(wick_op_call(op("add"), args, 2, &result, 1, &err), WICK_E_SHAPE);
    EXPECT_EQ(wick_error_take(), nullptr);
    Raised e(err);
    EXPECT_EQ(result.tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    EXPECT_EQ(e.kind(), "ShapeError");
    EXPECT_NE(e.message().find("[3]"), std::string::npos) << e.message();
    EXPECT_NE(e.message().find("[2]"), std::string::npos) << e.message();
    ASSERT_GE(wick_error_frame_count(e), 1u);
    const char *what = nullptr;
    expect_ok(wick_error_frame(e, wick_error_frame_count(e) - 1, nullptr, &what, nullptr));
    EXPECT_STREQ(what, "add");
}

TEST(AbiError, EachThreadHasItsSlot) {
    constexpr int THREADS = 8, ROUNDS = 500;
    std::vector<std::thread> threads;
    std::vector<int> wrong(THREADS);
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([i, &wrong] {
            std::string name = "no_such_op_" + std::to_string(i);
            for (int round = 0; round < ROUNDS; round++) {
                wick_op *found = nullptr;
                if (wick_op_find(name.c_str(), &found) != WICK_E_NOTFOUND) wrong[static_cast<size_t>(i)]++;
                std::this_thread::yield();
                Raised e(wick_error_take());
                if (e.message().find("'" + name + "'") == std::string::npos) wrong[static_cast<size_t>(i)]++;
            }
            wick_error_raise(WICK_E_ARG, nullptr, "left behind; freed with the thread");
        });
    for (std::thread &t : threads) t.join();
    for (int w : wrong) EXPECT_EQ(w, 0);
    EXPECT_EQ(wick_error_take(), nullptr);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they need memory without end

// Takes all memory there is; then a thread has its first errors.
int first_error_without_memory() {
    pthread_t thread;
    static std::atomic<bool> go;
    static int32_t status[3];
    go = false;
    auto work = [](void *) -> void * {
        while (!go) usleep(1000);
        wick_op *found = nullptr;
        wick_object *out = nullptr;
        status[0] = wick_op_find("there is no such operator, and its name is long enough to need memory", &found);
        status[1] = wick_tensor_empty(77, 0, nullptr, 0, &out);
        float data[1] = {1};
        status[2] = wick_tensor_from_blob(
            data, WICK_FLOAT32, 0, nullptr, nullptr, 0, 0, [](void *) {}, nullptr, &out);
        return nullptr;
    };
    if (pthread_create(&thread, nullptr, work, nullptr) != 0) return 2;
    struct rlimit none = {1, 1};
    setrlimit(RLIMIT_AS, &none);
    for (size_t n = size_t{1} << 30; n >= 16; n /= 2)
        while (void *volatile p = malloc(n)) (void)p;
    go = true;
    pthread_join(thread, nullptr);
    return status[0] == WICK_OK || status[1] == WICK_OK ? 3 : 0; // the last may have found a cached block
}

TEST(AbiError, AThreadsFirstWithoutMemory) {
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        _exit(first_error_without_memory());
    }
    int code = -1;
    ASSERT_EQ(waitpid(pid, &code, 0), pid);
    EXPECT_TRUE(WIFEXITED(code)) << "ended by signal " << WTERMSIG(code);
    EXPECT_EQ(WEXITSTATUS(code), 0);
}

#endif

} // namespace
