// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the C ABI share: owned handles, and checks of errors. Nothing here knows more of Wick than
// wick/abi.h.
#ifndef WICK_TEST_ABI_SUPPORT_HPP
#define WICK_TEST_ABI_SUPPORT_HPP

#include "wick/abi.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Calls without names, with exactly so much room for results.
inline int32_t wick_op_call(wick_op *op, const wick_value *args, uint32_t nargs, wick_value *results, uint32_t nresults,
                            wick_error **err) {
    return wick_op_call(op, args, nargs, nullptr, 0, results, &nresults, err);
}
inline int32_t wick_object_call(wick_object *o, const char *method, const wick_value *args, uint32_t nargs,
                                wick_value *results, uint32_t nresults, wick_error **err) {
    return wick_object_call(o, method, args, nargs, nullptr, 0, results, &nresults, err);
}
inline int32_t wick_class_new(wick_class *c, const wick_value *args, uint32_t nargs, wick_object **out,
                              wick_error **err) {
    return wick_class_new(c, args, nargs, nullptr, 0, out, err);
}

/// An owned handle.
class Handle {
  public:
    Handle() = default;
    explicit Handle(wick_object *o) : o_(o) {}
    Handle(Handle &&h) noexcept : o_(h.o_) { h.o_ = nullptr; }
    Handle &operator=(Handle &&h) noexcept {
        std::swap(o_, h.o_);
        return *this;
    }
    ~Handle() { wick_release(o_); }
    operator wick_object *() const { return o_; }
    wick_object **out() {
        wick_release(o_);
        o_ = nullptr;
        return &o_;
    }

  private:
    wick_object *o_ = nullptr;
};

/// An owned value.
class Result {
  public:
    Result() : v_(wick_v_unset()) {}
    Result(Result &&r) noexcept : v_(r.v_) { r.v_ = wick_v_none(); }
    ~Result() { wick_value_clear(&v_); }
    wick_value *operator&() { return &v_; }
    const wick_value &operator*() const { return v_; }
    const wick_value *operator->() const { return &v_; }
    Handle object() {
        Handle h(v_.u.o);
        v_ = wick_v_none();
        return h;
    }

  private:
    wick_value v_;
};

/// An owned error, or none.
class Raised {
  public:
    explicit Raised(wick_error *e) : e_(e) {}
    Raised(const Raised &) = delete;
    ~Raised() { wick_error_free(e_); }
    operator const wick_error *() const { return e_; }
    std::string message() const { return wick_error_message(e_); }
    std::string kind() const { return wick_error_kind(e_); }

  private:
    wick_error *e_;
};

/// That a call failed with this status and a text that has all of the pieces.
inline void expect_error(int32_t got, int32_t want, const std::vector<std::string> &pieces = {}) {
    EXPECT_EQ(got, want);
    Raised e(wick_error_take());
    ASSERT_NE(static_cast<const wick_error *>(e), nullptr);
    EXPECT_EQ(wick_error_status(e), want);
    for (const std::string &piece : pieces)
        EXPECT_NE(e.message().find(piece), std::string::npos) << "'" << e.message() << "' lacks '" << piece << "'";
}

inline void expect_ok(int32_t status) {
    if (status == WICK_OK) return;
    Raised e(wick_error_take());
    ADD_FAILURE() << "status " << status << ": " << e.message();
}

inline Handle floats(const std::vector<float> &values, std::vector<int64_t> sizes = {}) {
    if (sizes.empty()) sizes = {static_cast<int64_t>(values.size())};
    Handle h;
    expect_ok(
        wick_tensor_from_data(values.data(), WICK_FLOAT32, sizes.data(), static_cast<uint32_t>(sizes.size()), h.out()));
    return h;
}

inline wick_op *op(const char *name) {
    wick_op *found = nullptr;
    expect_ok(wick_op_find(name, &found));
    return found;
}

/// Calls an op with one result.
inline Handle call(const char *name, const std::vector<wick_value> &args) {
    Result r;
    expect_ok(wick_op_call(op(name), args.data(), static_cast<uint32_t>(args.size()), &r, 1, nullptr));
    return r.object();
}

/// The elements of a float32 tensor, in order.
inline std::vector<float> read(wick_object *t, size_t n) {
    Handle dense = call("contiguous", {wick_v_object(t)});
    void *data = nullptr;
    expect_ok(wick_tensor_data(dense, &data));
    return data ? std::vector<float>(static_cast<float *>(data), static_cast<float *>(data) + n) : std::vector<float>();
}

inline std::string text(wick_object *s) {
    const char *bytes = nullptr;
    int64_t n = 0;
    expect_ok(wick_string_data(s, &bytes, &n));
    return bytes ? std::string(bytes, static_cast<size_t>(n)) : "";
}

// ---- gradients ----

inline Handle leaf(const std::vector<float> &values) {
    Handle t = floats(values);
    expect_ok(wick_tensor_set_requires_grad(t, 1));
    return t;
}

inline std::vector<float> grad_of(wick_object *t, size_t n) {
    Handle g;
    expect_ok(wick_tensor_grad(t, g.out()));
    return g ? read(g, n) : std::vector<float>();
}

inline int32_t backward(wick_object *root, uint32_t flags = 0, wick_object *seed = nullptr) {
    return wick_backward(&root, seed ? &seed : nullptr, 1, flags, nullptr);
}

#endif
