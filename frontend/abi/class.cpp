// SPDX-License-Identifier: BSD-3-Clause
#include "wick/class.hpp"
#include "abi/guard.hpp"

namespace wick::abi {

static const Class *unwrap(const wick_class *c) noexcept { return reinterpret_cast<const Class *>(c); }
static wick_class *class_handle(const Class *c) noexcept {
    return reinterpret_cast<wick_class *>(const_cast<Class *>(c));
}

} // namespace wick::abi

using namespace wick::abi;

uint32_t wick_class_count(const char *family) {
    return guard_value("wick_class_count", 0u,
                       [&] { return family ? static_cast<uint32_t>(wick::class_count(family)) : 0u; });
}

wick_class *wick_class_at(const char *family, uint32_t index) {
    return guard_value("wick_class_at", static_cast<wick_class *>(nullptr), [&]() -> wick_class * {
        if (!family || index >= wick::class_count(family)) return nullptr;
        return class_handle(&wick::class_at(family, index));
    });
}

int32_t wick_class_find(const char *family, const char *name, wick_class **out) {
    const char *fn = "wick_class_find";
    return guard(fn, [&] {
        need(fn, "out", out);
        const wick::Class *c = wick::find_class(need(fn, "family", family), need(fn, "name", name));
        if (!c)
            wick::fail(TH_E_NOTFOUND, "wick_class_find: got '%s' of family '%s', want the name of a class", name,
                       family);
        *out = class_handle(c);
    });
}

const char *wick_class_name(const wick_class *c) { return c ? unwrap(c)->name.c_str() : ""; }
const char *wick_class_doc(const wick_class *c) { return c ? unwrap(c)->doc.c_str() : ""; }

wick_op *wick_class_constructor(const wick_class *c) {
    return c ? op_handle(static_cast<const wick::Callable *>(unwrap(c))) : nullptr;
}

wick_class *wick_object_class(const wick_object *o) {
    return guard_value("wick_object_class", static_cast<wick_class *>(nullptr), [&]() -> wick_class * {
        return o ? class_handle(wick::class_of(*need_object("wick_object_class", "o", o))) : nullptr;
    });
}

uint32_t wick_object_method_count(const wick_object *o) {
    return guard_value("wick_object_method_count", 0u, [&] {
        return o ? static_cast<uint32_t>(wick::object_methods(*need_object("wick_object_method_count", "o", o)).size())
                 : 0u;
    });
}

wick_op *wick_object_method(const wick_object *o, uint32_t index) {
    return guard_value("wick_object_method", static_cast<wick_op *>(nullptr), [&]() -> wick_op * {
        if (!o) return nullptr;
        auto methods = wick::object_methods(*need_object("wick_object_method", "o", o));
        return index < methods.size() ? op_handle(static_cast<const wick::Callable *>(methods[index])) : nullptr;
    });
}

int32_t wick_class_new(wick_class *c, const wick_value *args, uint32_t nargs, const char *const *names, uint32_t nnames,
                       wick_object **out, wick_error **err) {
    const char *fn = "wick_class_new";
    return guard_call(
        fn, c ? unwrap(c)->name.c_str() : nullptr, {args, nargs}, nullptr, nullptr, err, [&](std::span<wick::Value>) {
            need(fn, "out", out);
            const wick::Class &made = *unwrap(need(fn, "c", c));
            *out = wick::handle(wick::class_new(made, {args, nargs}, need_names(fn, names, nnames, nargs)).detach());
            return size_t{0};
        });
}

int32_t wick_object_call(wick_object *o, const char *method, const wick_value *args, uint32_t nargs,
                         const char *const *names, uint32_t nnames, wick_value *results, uint32_t *nresults,
                         wick_error **err) {
    const char *fn = "wick_object_call";
    return guard_call(fn, method, {args, nargs}, results, nresults, err, [&](std::span<wick::Value> room) {
        wick::Object &self = *need_object(fn, "o", o);
        const wick::Method *m = wick::find_method(self, need(fn, "method", method));
        if (!m)
            wick::fail(TH_E_NOTFOUND, "wick_object_call: got '%s', want the name of a method of the object", method);
        return wick::object_call(self, *m, {args, nargs}, room, need_names(fn, names, nnames, nargs));
    });
}
