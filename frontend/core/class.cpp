// SPDX-License-Identifier: BSD-3-Clause
#include "core/registry.hpp"
#include <algorithm>
#include <cxxabi.h>
#include <mutex>
#include <shared_mutex>

namespace wick {

namespace {

struct Classes {
    std::deque<Family> families = class_families();
    std::shared_mutex mutex; // over the classes; methods never change

    static Classes &get() {
        static Classes classes;
        return classes;
    }
    Family *find(std::string_view name) {
        for (Family &f : families)
            if (f.name == name) return &f;
        return nullptr;
    }
    Family *find(Kind kind) {
        for (Family &f : families)
            if (f.kind == kind) return &f;
        return nullptr;
    }
};

template <class P> const Class *first_class(std::string_view family, P &&matches) {
    Classes &registry = Classes::get();
    std::shared_lock lock(registry.mutex);
    if (Family *f = registry.find(family))
        for (const Class &c : f->classes)
            if (matches(c)) return &c;
    return nullptr;
}

const Method *first_method(const std::vector<Method> &methods, std::string_view name) {
    for (const Method &m : methods)
        if (m.schema.name == name) return &m;
    return nullptr;
}

std::string family_names() {
    std::string text;
    for (const Family &f : Classes::get().families)
        text.append(text.empty() ? "'" : " or '").append(f.name).append("'");
    return text;
}

using MethodFunction = std::function<void(Object &, const Value *, Value *)>;
using Constructor = std::function<Ref<Object>(const Value *)>;

void call_method(const Callable &self, Object *object, const Value *args, Value *results) {
    (*static_cast<const MethodFunction *>(self.context))(*object, args, results);
}
void call_constructor(const Callable &self, Object *, const Value *args, Value *results) {
    results[0] = box((*static_cast<const Constructor *>(self.context))(args));
}

/// A callable that owns its function.
template <class F> Callable owning(Callable::Role role, std::string text, std::string doc, Invoke invoke, F f) {
    Callable c;
    c.schema = Schema::parse(text);
    c.schema_text = std::move(text);
    c.doc = std::move(doc);
    c.role = role;
    auto kept = std::make_shared<F>(std::move(f));
    c.invoke = invoke;
    c.context = kept.get();
    c.keepalive = std::move(kept);
    return c;
}
} // namespace

Method::Method(std::string text, std::string doc_text, std::function<void(Object &, const Value *, Value *)> f)
    : Callable(owning(Role::Method, std::move(text), std::move(doc_text), call_method, std::move(f))) {}

Class::Class(std::string in_family, std::string text, std::string doc_text, std::function<Ref<Object>(const Value *)> f,
             std::vector<Method> own_methods, std::type_index cpp_type)
    : Callable(owning(Role::Constructor, std::move(text), std::move(doc_text), call_constructor, std::move(f))),
      family(std::move(in_family)), name(schema.name), type(cpp_type), methods(std::move(own_methods)) {
    schema.results = {"any"}; // however it is written
    for (Method &m : methods) m.own = true;
}

size_t class_count(std::string_view family) {
    Classes &registry = Classes::get();
    std::shared_lock lock(registry.mutex);
    Family *f = registry.find(family);
    return f ? f->classes.size() : 0;
}

const Class &class_at(std::string_view family, size_t index) {
    Classes &registry = Classes::get();
    std::shared_lock lock(registry.mutex);
    Family *f = registry.find(family);
    size_t count = f ? f->classes.size() : 0;
    if (index >= count)
        throw Error(TH_E_INDEX,
                    "class_at: got index " + std::to_string(index) + ", want below " + std::to_string(count));
    return f->classes[index];
}

const Class *find_class(std::string_view family, std::string_view name) {
    return first_class(family, [&](const Class &c) { return c.name == name; });
}

const Class &register_class(Class c) {
    Classes &registry = Classes::get();
    std::unique_lock lock(registry.mutex);
    Family *f = registry.find(c.family);
    if (!f) throw Error(TH_E_NOTFOUND, "register_class: got family '" + c.family + "', want " + family_names());
    for (const Class &other : f->classes)
        if (other.name == c.name)
            throw Error(TH_E_ARG,
                        "register_class: got " + c.name + ", want a name that " + c.family + " does not have yet");
    return f->classes.emplace_back(std::move(c));
}

Ref<Object> class_new(const Class &c, std::span<const Value> args, std::span<const char *const> names) {
    Value made{};
    c.call(args, names, {&made, 1});
    return Ref<Object>::adopt(object(made.u.o));
}

const Class *class_of(const Object &o) { return o.registered_class(); }

std::vector<const Method *> object_methods(const Object &o) {
    std::vector<const Method *> out;
    auto add = [&](const std::vector<Method> &methods) {
        for (const Method &m : methods)
            if (std::ranges::none_of(out, [&](const Method *seen) { return seen->schema.name == m.schema.name; }))
                out.push_back(&m);
    };
    if (const Class *c = class_of(o)) add(c->methods);
    if (const Family *f = Classes::get().find(o.kind())) add(f->methods);
    return out;
}

const Method *find_method(const Object &o, std::string_view name) {
    if (const Class *c = class_of(o))
        if (const Method *m = first_method(c->methods, name)) return m;
    const Family *f = Classes::get().find(o.kind());
    return f ? first_method(f->methods, name) : nullptr;
}

size_t object_call(Object &o, const Method &method, std::span<const Value> args, std::span<Value> results,
                   std::span<const char *const> names) {
    return method.call(args, names, results, method.own ? &o.self() : &o);
}

void object_call(Object &o, std::string_view method, std::span<const Value> args, std::vector<Value> &results) {
    const Method *m = find_method(o, method);
    if (!m) throw Error(TH_E_NOTFOUND, o.class_name() + ": got no method '" + std::string(method) + "'");
    std::vector<Value> out(m->schema.results.size());
    object_call(o, *m, args, out);
    results = std::move(out);
}

namespace detail {

std::string type_name(const std::type_info &type) {
    int status = 0;
    std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                 std::free);
    std::string name = status == 0 ? text.get() : type.name();
    size_t end = name.find('<'); // of a template's arguments
    size_t colon = name.rfind("::", end);
    return colon == std::string::npos ? name : name.substr(colon + 2);
}

const Class *class_by_type(std::string_view family, std::type_index type) {
    return first_class(family, [&](const Class &c) { return c.type == type; });
}

} // namespace detail
} // namespace wick
