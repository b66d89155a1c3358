// SPDX-License-Identifier: BSD-3-Clause
#include "wick/autograd.hpp"
#include "abi/guard.hpp"

namespace wick::abi {

static std::vector<Tensor> tensors(const char *fn, const char *arg, wick_object *const *handles, uint32_t n,
                                   bool absent = false) {
    std::vector<Tensor> out;
    if (!handles && (absent || n == 0)) return out;
    need(fn, arg, handles);
    out.reserve(n);
    for (uint32_t i = 0; i < n; i++) out.push_back(need_tensor(fn, arg, handles[i], absent));
    return out;
}

static BackwardOptions options(uint32_t flags) {
    return {.retain_graph = (flags & WICK_RETAIN_GRAPH) != 0, .create_graph = (flags & WICK_CREATE_GRAPH) != 0};
}

// What a hook gave back, or an undefined tensor to keep the gradient.
static Tensor replacement(Value &v) {
    OwnedValue owned(v);
    if (v.tag == WICK_TAG_UNSET || v.tag == WICK_TAG_NONE) return {};
    if (v.tag != WICK_TAG_TENSOR || !v.u.o)
        fail(TH_E_TYPE, "hook: got %s as replacement, want a Tensor or nothing", describe(v).c_str());
    return Tensor(Ref<TensorImpl>::share(static_cast<TensorImpl *>(object(v.u.o))));
}

static int32_t guard_err(const char *fn, wick_error **err, auto &&f) noexcept {
    drain_if_waiting();
    try {
        f();
        return WICK_OK;
    } catch (...) {
        return store_current(fn, err);
    }
}

} // namespace wick::abi

using namespace wick::abi;
using wick::Tensor;

int32_t wick_grad_mode(void) { return wick::grad_enabled(); }

int32_t wick_set_grad_mode(int32_t on) {
    int32_t previous = wick::grad_enabled();
    wick::set_grad_enabled(on != 0);
    return previous;
}

int32_t wick_tensor_requires_grad(const wick_object *t, int32_t *on) {
    const char *fn = "wick_tensor_requires_grad";
    return guard(fn, [&] { *need(fn, "on", on) = need_tensor(fn, "t", t).requires_grad(); });
}

int32_t wick_tensor_set_requires_grad(wick_object *t, int32_t on) {
    const char *fn = "wick_tensor_set_requires_grad";
    return guard(fn, [&] { need_tensor(fn, "t", t).requires_grad_(on != 0); });
}

int32_t wick_tensor_retain_grad(wick_object *t) {
    const char *fn = "wick_tensor_retain_grad";
    return guard(fn, [&] { need_tensor(fn, "t", t).retain_grad(); });
}

int32_t wick_tensor_grad(const wick_object *t, wick_object **out) {
    const char *fn = "wick_tensor_grad";
    return guard(fn, [&] { *need(fn, "out", out) = give(need_tensor(fn, "t", t).grad()); });
}

int32_t wick_tensor_set_grad(wick_object *t, wick_object *grad) {
    const char *fn = "wick_tensor_set_grad";
    return guard(fn, [&] { need_tensor(fn, "t", t).set_grad(need_tensor(fn, "grad", grad, true)); });
}

int32_t wick_tensor_detach(const wick_object *t, wick_object **out) {
    const char *fn = "wick_tensor_detach";
    return guard(fn, [&] { *need(fn, "out", out) = give(need_tensor(fn, "t", t).detach()); });
}

int32_t wick_tensor_register_hook(wick_object *t, wick_callback hook, void *user, void (*destroy)(void *user),
                                  uint32_t flags, uint64_t *id) {
    const char *fn = "wick_tensor_register_hook";
    return guard(fn, [&] {
        Tensor tensor = need_tensor(fn, "t", t);
        auto callback = std::make_shared<Callback>(need(fn, "fn", hook), user, flags);
        uint64_t number = tensor.register_hook([callback](const Tensor &grad) {
            wick::OwnedValue arg(wick::box(grad));
            wick_value result;
            (*callback)("hook", {&arg.get(), 1}, {&result, 1});
            return replacement(result);
        });
        callback->arm(destroy);
        if (id) *id = number;
    });
}

int32_t wick_tensor_remove_hook(wick_object *t, uint64_t id) {
    const char *fn = "wick_tensor_remove_hook";
    return guard(fn, [&] { need_tensor(fn, "t", t).remove_hook(id); });
}

int32_t wick_backward(wick_object *const *roots, wick_object *const *seeds, uint32_t n, uint32_t flags,
                      wick_error **err) {
    const char *fn = "wick_backward";
    return guard_err(fn, err, [&] {
        need(fn, "roots", roots);
        wick::backward(tensors(fn, "roots", roots, n), tensors(fn, "seeds", seeds, n, true), options(flags));
    });
}

int32_t wick_grad(wick_object *const *roots, wick_object *const *seeds, uint32_t n, wick_object *const *inputs,
                  uint32_t ninputs, uint32_t flags, wick_object **grads, wick_error **err) {
    const char *fn = "wick_grad";
    return guard_err(fn, err, [&] {
        need(fn, "roots", roots);
        need(fn, "inputs", inputs);
        need(fn, "grads", grads);
        std::vector<Tensor> out =
            wick::grad(tensors(fn, "roots", roots, n), tensors(fn, "inputs", inputs, ninputs),
                       tensors(fn, "seeds", seeds, n, true), options(flags), (flags & WICK_ALLOW_UNUSED) != 0);
        for (uint32_t i = 0; i < ninputs; i++) grads[i] = give(out[i]);
    });
}
