// SPDX-License-Identifier: BSD-3-Clause
// What every exported function is made of: one guard that lets no exception out, handles turned into objects, checks.
#ifndef WICK_ABI_GUARD_HPP
#define WICK_ABI_GUARD_HPP

#include "abi/callback.hpp"
#include "core/call.hpp"
#include "wick/value.hpp"

/// An error taken out of its slot.
struct wick_error {
    wick::Error error;
};

namespace wick::abi {

/// Turns the exception being handled into an error, stores it into *err or, if err is null, into the thread's slot, and
/// returns its status. A non-null `op` is added as a frame, `fn` as the place.
int32_t store_current(const char *fn, wick_error **err, const char *op = nullptr) noexcept;

/// The thread's slot. Owns.
wick_error *take_slot() noexcept;
/// Drops what is in the slot.
void clear_slot() noexcept;

/// Runs f; WICK_OK, or the status of what it threw.
template <class F> int32_t guard(const char *fn, F &&f) noexcept {
    drain_if_waiting();
    try {
        f();
        return WICK_OK;
    } catch (...) {
        return store_current(fn, nullptr);
    }
}

/// Runs f; its result, or `fallback` with the error in the slot. For functions that return no status.
template <class T, class F> T guard_value(const char *fn, T fallback, F &&f) noexcept {
    try {
        return f();
    } catch (...) {
        store_current(fn, nullptr);
        return fallback;
    }
}

/// "Tensor", "Module", ... or "value of tag 33".
std::string kind_name(uint32_t tag);

[[noreturn]] void fail_null(const char *fn, const char *arg);
[[noreturn]] void fail_kind(const char *fn, const char *arg, Kind got, Kind want);

template <class T> T *need(const char *fn, const char *arg, T *p) {
    if (!p) [[unlikely]]
        fail_null(fn, arg);
    return p;
}

/// The object behind a handle; handles to const are a promise to C callers, not to the object.
inline Object *need_object(const char *fn, const char *arg, const wick_object *o) {
    return object(const_cast<wick_object *>(need(fn, arg, o)));
}

inline Object *need_kind(const char *fn, const char *arg, const wick_object *o, Kind want) {
    Object *p = need_object(fn, arg, o);
    if (p->kind() != want) [[unlikely]]
        fail_kind(fn, arg, p->kind(), want);
    return p;
}

/// The tensor behind a handle, shared. `absent` allows 0.
inline Tensor need_tensor(const char *fn, const char *arg, const wick_object *o, bool absent = false) {
    if (!o && absent) return {};
    return Tensor(Ref<TensorImpl>::share(static_cast<TensorImpl *>(need_kind(fn, arg, o, Kind::Tensor))));
}

/// Gives a tensor to the caller; 0 if it is undefined.
inline wick_object *give(const Tensor &t) noexcept { return box(t).u.o; }

/// Checks values that came from outside: tags exist and fit their objects, no null pointer hides behind a count.
void check_value(const char *fn, size_t i, const Value &v);
inline void check_values(const char *fn, std::span<const Value> values) {
    for (size_t i = 0; i < values.size(); i++) {
        const Value &v = values[i];
        bool number = v.tag < WICK_TAG_STR;
        bool fits = v.tag == WICK_TAG_TENSOR && v.u.o && object(v.u.o)->kind() == Kind::Tensor;
        if (!number && !fits) check_value(fn, i, v);
    }
}

/// The callable behind a handle.
inline const Callable *callable(const wick_op *op) noexcept { return reinterpret_cast<const Callable *>(op); }
inline wick_op *op_handle(const Callable *c) noexcept { return reinterpret_cast<wick_op *>(const_cast<Callable *>(c)); }

/// The names of a call's last arguments, if they are sound.
inline std::span<const char *const> need_names(const char *fn, const char *const *names, uint32_t n, uint32_t nargs) {
    if (n == 0) [[likely]]
        return {};
    need(fn, "names", names);
    if (n > nargs) fail(TH_E_ARG, "%s: got %u names of %u arguments, want at most as many", fn, n, nargs);
    for (uint32_t i = 0; i < n; i++) need(fn, "a name", names[i]);
    return {names, n};
}

/// A call of a callable: checks the pointers, prepares results, runs f, and on failure drops what results hold. f
/// returns how many results there are, for *nresults, which says before how many there is room for.
template <class F>
int32_t guard_call(const char *fn, const char *op, std::span<const Value> args, Value *room, uint32_t *nresults,
                   wick_error **err, F &&f) noexcept {
    drain_if_waiting();
    std::span<Value> results(room, room && nresults ? *nresults : 0);
    try {
        if ((args.size() && !args.data()) || (!room && nresults && *nresults)) [[unlikely]]
            fail_null(fn, args.data() ? "results" : "args");
        unset(results);
        check_values(op ? op : fn, args);
        size_t count = f(results);
        if (nresults) *nresults = static_cast<uint32_t>(count);
        return WICK_OK;
    } catch (...) {
        drop(results);
        if (nresults) *nresults = 0;
        return store_current(fn, err, op);
    }
}

} // namespace wick::abi
#endif
