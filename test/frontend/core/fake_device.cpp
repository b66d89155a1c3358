// SPDX-License-Identifier: BSD-3-Clause
// A device library for tests: the fake device's functions are TH's, on tensors over the same bytes as the CPU sees
// them. It serves a handful of functions; their calls are counted.
#include "THNN/THNN.h"
#include "support/device.h"
#include <map>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
fake_state device, other_device;
std::map<std::string, int> calls;

/// Arguments of a twin, and what TH's function gets for them.
class Call {
  public:
    explicit Call(const char *name) : name_(name) { calls[name]++; }
    ~Call() {
        for (THTensor *t : shadows_) THTensor_free(t);
    }
    const THTensor *see(const THTensor *t) {
        if (!t) return nullptr;
        inputs_.push_back(t);
        THTensor *shadow = nullptr;
        if (THTensor_device(t)) where_ = THTensor_device(t);
        if (status_ == TH_OK) status_ = fake_shadow(&device, &shadow, t);
        if (shadow) shadows_.push_back(shadow);
        return shadow;
    }
    template <class T> T see(T value) { return value; }
    const THTensor *const *see_all(const THTensor *const *list, int32_t n) {
        for (int32_t i = 0; i < n; i++) list_.push_back(see(list[i]));
        return list_.data();
    }
    THStatus status() const { return status_; }

    /// Gives the device the result that fn(&out) makes on the CPU.
    template <class F> THStatus result(THTensor **out, F fn) {
        THTensor *made = nullptr, *y = nullptr, *shadow = nullptr;
        for (const THTensor *t : inputs_)
            if (status_ == TH_OK) status_ = TH_check_input_on(name_, "a tensor", t, where_);
        if (status_ == TH_OK) status_ = fn(&made);
        if (status_ == TH_OK)
            status_ =
                TH_output_begin_on(&y, name_, out, THTensor_dtype(made), THTensor_sizes(made), THTensor_ndim(made), 0,
                                   1, inputs_.data(), static_cast<int32_t>(inputs_.size()), where_);
        if (status_ == TH_OK) {
            status_ = fake_shadow(&device, &shadow, y);
            if (status_ == TH_OK) status_ = THTensor_copy(shadow, made);
            status_ = TH_output_end(y, out, status_);
        }
        THTensor_free(made);
        THTensor_free(shadow);
        return status_;
    }

  private:
    const char *name_;
    THDevice where_ = FAKE(device.current);
    THStatus status_ = TH_OK;
    std::vector<const THTensor *> inputs_, list_;
    std::vector<THTensor *> shadows_;
};

template <auto Fn, class... A> THStatus twin(const char *name, THTensor **out, A... a) {
    Call call(name);
    auto seen = std::make_tuple(call.see(a)...);
    return call.result(out,
                       [&](THTensor **made) { return std::apply([&](auto... s) { return Fn(made, s...); }, seen); });
}

/// A function that changes its tensor.
template <auto Fn, class... A> THStatus changing(const char *name, THTensor *t, A... a) {
    Call call(name);
    auto *shadow = const_cast<THTensor *>(call.see(static_cast<const THTensor *>(t)));
    THStatus status = call.status() == TH_OK ? Fn(shadow, a...) : call.status();
    if (status == TH_OK) THStorage_touch(THTensor_storage(t));
    return status;
}
} // namespace

EXPORT THStatus TH_device_open(void) {
    THStatus status = device.seen ? TH_OK : fake_open(&device);
    THDeviceLibrary more = fake_library(&other_device); // a second type, without memory and functions
    more.type = FAKE_TYPE + 1;
    more.name = "other";
    more.prefix = "OTHER";
    more.nn_prefix = nullptr;
    return status == TH_OK ? TH_device_register(&more) : status;
}

/// For the tests.
EXPORT fake_state *fake_device_state(void) { return &device; }
EXPORT int fake_device_calls(const char *name) { return calls[name]; }

#define UNARY(lib, prefix, fn)                                                                                         \
    EXPORT THStatus prefix##_##fn(THTensor **out, const THTensor *x) {                                                 \
        return twin<lib##_##fn>(#prefix "_" #fn, out, x);                                                              \
    }
#define BINARY(fn)                                                                                                     \
    EXPORT THStatus FAKE_##fn(THTensor **out, const THTensor *a, const THTensor *b) {                                  \
        return twin<TH_##fn>("FAKE_" #fn, out, a, b);                                                                  \
    }
UNARY(TH, FAKE, exp)
UNARY(TH, FAKE, neg)
UNARY(TH, FAKE, sqrt)
BINARY(mul)
BINARY(div)
BINARY(mm)

EXPORT THStatus FAKE_add(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha) {
    return twin<TH_add>("FAKE_add", out, a, b, alpha);
}
EXPORT THStatus FAKE_sub(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha) {
    return twin<TH_sub>("FAKE_sub", out, a, b, alpha);
}
EXPORT THStatus FAKE_sum(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim) {
    return twin<TH_sum>("FAKE_sum", out, x, dims, ndims, keepdim);
}
EXPORT THStatus FAKE_full(THTensor **out, const int64_t *sizes, int32_t ndim, const THScalar *value, THDtype dtype) {
    return twin<TH_full>("FAKE_full", out, sizes, ndim, value, dtype);
}
EXPORT THStatus FAKE_arange(THTensor **out, const THScalar *start, const THScalar *end, const THScalar *step,
                            THDtype dtype) {
    return twin<TH_arange>("FAKE_arange", out, start, end, step, dtype);
}
EXPORT THStatus FAKE_index_add(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index,
                               const THTensor *src) {
    return twin<TH_index_add>("FAKE_index_add", out, x, dim, index, src);
}
EXPORT THStatus FAKE_cat(THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim) {
    Call call("FAKE_cat");
    const THTensor *const *seen = call.see_all(tensors, n);
    return call.result(out, [&](THTensor **made) { return TH_cat(made, seen, n, dim); });
}
EXPORT THStatus FAKE_fill(THTensor *t, const THScalar *value) { return changing<TH_fill>("FAKE_fill", t, value); }
EXPORT THStatus FAKE_uniform(THTensor *t, double lo, double hi, THGenerator *g) {
    return changing<TH_uniform>("FAKE_uniform", t, lo, hi, g);
}
EXPORT THStatus FAKENN_softmax(THTensor **out, const THTensor *x, int32_t dim) {
    return twin<THNN_softmax>("FAKENN_softmax", out, x, dim);
}
EXPORT THStatus FAKENN_dropout(THTensor **out, THTensor **mask, const THTensor *x, double p, THGenerator *g) {
    Call call("FAKENN_dropout");
    const THTensor *seen = call.see(x);
    THTensor *kept = nullptr, *there = nullptr;
    THStatus status = call.result(out, [&](THTensor **made) { return THNN_dropout(made, &kept, seen, p, g); });
    if (status == TH_OK) status = THTensor_to_device(&there, kept, THTensor_device(x));
    THTensor_free(kept);
    if (status == TH_OK) *mask = there;
    return status;
}
