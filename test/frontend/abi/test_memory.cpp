// SPDX-License-Identifier: BSD-3-Clause
// Out of memory at every allocation, one after the other: a status, and nothing left behind.
#include "support.hpp"
#include <cstdlib>
#include <new>

namespace {

// Both sources of memory count down to a failure: TH's through the hooks, the language's through operator new.
struct Source {
    bool armed = false, sticky = false; // sticky: everything after the first failure fails too
    int64_t until_failure = 0, live = 0, failures = 0;

    bool fails() {
        if (!armed) return false;
        if (until_failure > 0) {
            until_failure--;
            return false;
        }
        if (failures && !sticky) return false;
        failures++;
        return true;
    }
};
Source hooks, language;

void *hook_alloc(void *, uint64_t device, int64_t nbytes, int64_t alignment) {
    EXPECT_EQ(device, 0u);
    if (hooks.fails()) return nullptr;
    void *p = std::aligned_alloc(static_cast<size_t>(alignment),
                                 static_cast<size_t>((nbytes + alignment - 1) / alignment * alignment));
    if (p) hooks.live++;
    return p;
}
void hook_dealloc(void *, uint64_t, void *p, int64_t) {
    hooks.live--;
    std::free(p);
}
int pressure_calls = 0;
int32_t hook_pressure(void *, uint64_t, int64_t) {
    pressure_calls++;
    return 0;
}

void *language_alloc(size_t n) noexcept {
    if (language.fails()) return nullptr;
    void *p = std::malloc(n ? n : 1);
    if (p && language.armed) language.live++;
    return p;
}

} // namespace

void *operator new(size_t n) {
    void *p = language_alloc(n);
    if (!p) throw std::bad_alloc();
    return p;
}
void *operator new(size_t n, const std::nothrow_t &) noexcept { return language_alloc(n); }
void operator delete(void *p) noexcept {
    if (p && language.armed) language.live--;
    std::free(p);
}
void operator delete(void *p, size_t) noexcept { operator delete(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { operator delete(p); }

namespace {

struct Failed {
    int32_t status;
};
void must(int32_t status) {
    if (status != WICK_OK) throw Failed{status};
}

Handle must_call(const char *name, const wick_value *args, uint32_t n) {
    wick_op *o = nullptr;
    Result r;
    must(wick_op_find(name, &o));
    must(wick_op_call(o, args, n, &r, 1, nullptr));
    return r.object();
}

Handle make(const char *family, const char *name, const wick_value *args, uint32_t n) {
    wick_class *c = nullptr;
    Handle h;
    must(wick_class_find(family, name, &c));
    must(wick_class_new(c, args, n, h.out(), nullptr));
    return h;
}

int32_t keep(void *, wick_call *, const wick_value *, uint32_t, wick_value *, uint32_t) { return WICK_CB_DONE; }

// A step of training, and whatever else allocates. Nothing in here allocates by itself.
void work() {
    static const float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const int64_t sizes[] = {4, 3};
    Handle x, string, list, grad;
    must(wick_tensor_from_data(numbers, WICK_FLOAT32, sizes, 2, x.out()));
    must(wick_tensor_set_requires_grad(x, 1));
    must(wick_tensor_register_hook(x, keep, nullptr, nullptr, WICK_ANY_THREAD, nullptr));
    must(wick_string_new("some text that is too long for a short string", -1, string.out()));
    wick_value both[] = {wick_v_object(x), wick_v_str("text"), wick_v_object(string)};
    must(wick_list_new(both, 3, list.out()));

    wick_value dims[] = {wick_v_int(3), wick_v_int(2)};
    Handle linear = make("nn", "Linear", dims, 2);
    Result parameters, out;
    must(wick_object_call(linear, "parameters", nullptr, 0, &parameters, 1, nullptr));
    wick_value options[] = {*parameters, wick_v_float(0.1), wick_v_float(0.9)};
    Handle sgd = make("optim", "SGD", options, 3);
    wick_value input = wick_v_object(x);
    must(wick_object_call(linear, "forward", &input, 1, &out, 1, nullptr));
    Handle y = out.object();
    wick_value square[] = {wick_v_object(y), wick_v_object(y)};
    Handle loss = must_call("mul", square, 2);
    wick_value all[] = {wick_v_object(loss)};
    loss = must_call("sum", all, 1);
    wick_object *root = loss;
    must(wick_backward(&root, nullptr, 1, 0, nullptr));
    must(wick_tensor_grad(x, grad.out()));
    must(wick_object_call(sgd, "step", nullptr, 0, nullptr, 0, nullptr));
    must(wick_tensor_string(grad, 1, string.out()));

    void *managed = nullptr;
    must(wick_tensor_to_dlpack(grad, 0, &managed));
    int32_t status = wick_tensor_from_dlpack(managed, grad.out());
    if (status != WICK_OK) { // it stays ours: the deleter is the fourth word of the struct
        struct Managed {
            uint32_t version[2];
            void *context;
            void (*deleter)(void *);
        };
        static_cast<Managed *>(managed)->deleter(managed);
        must(status);
    }
}

int64_t rounds_until_success(Source &source, bool sticky) {
    int64_t rounds = 0;
    for (bool done = false; !done && rounds < 5000; rounds++) {
        int64_t before = hooks.live;
        int32_t status = WICK_OK;
        source = {.armed = true, .sticky = sticky, .until_failure = rounds, .live = source.live, .failures = 0};
        language.live = 0;
        try {
            work();
        } catch (const Failed &f) {
            status = f.status;
        }
        bool failed = source.failures > 0;
        wick_error *e = wick_error_take();
        std::string message = wick_error_message(e);
        wick_error_free(e);
        source.armed = false;
        EXPECT_EQ(status, failed ? WICK_E_MEMORY : WICK_OK) << "allocation " << rounds << ": " << message;
        EXPECT_TRUE(!failed || !message.empty());
        EXPECT_EQ(hooks.live, before) << "after allocation " << rounds << " failed: " << message;
        if (testing::Test::HasFailure()) break;
        done = !failed;
    }
    return rounds;
}

TEST(AbiMemory, EveryAllocationMayFail) {
    wick_memory_set_cache_limit(0);
    wick_hooks h = {sizeof h, 0, nullptr, hook_alloc, hook_dealloc, hook_pressure};
    expect_ok(wick_set_hooks(&h));
    work(); // fills the registries
    EXPECT_EQ(hooks.live, 0);
    EXPECT_GT(rounds_until_success(hooks, false), 20);
    EXPECT_GT(pressure_calls, 20);
    rounds_until_success(hooks, true);
    EXPECT_GT(rounds_until_success(language, false), 20);
    rounds_until_success(language, true);
    Handle t = floats({1});
    expect_error(wick_set_hooks(nullptr), WICK_E_ARG, {"in use"});
    t = Handle();
    expect_ok(wick_set_hooks(nullptr));
    h.struct_size = 8;
    expect_error(wick_set_hooks(&h), WICK_E_ABI, {"wick_set_hooks", "8"});
    h.struct_size = sizeof h;
    h.alloc = nullptr;
    expect_error(wick_set_hooks(&h), WICK_E_ARG, {"alloc"});
}

} // namespace
