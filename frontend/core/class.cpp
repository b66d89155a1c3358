// SPDX-License-Identifier: BSD-3-Clause
#include "core/class.hpp"
#include "wick/nn/module.hpp"
#include "wick/optim/optimizer.hpp"
#include <algorithm>
#include <cxxabi.h>
#include <mutex>
#include <shared_mutex>

namespace wick {

namespace {

struct Registry {
    Family families[2] = {nn::class_family(), optim::class_family()};
    std::shared_mutex mutex; // over the classes; methods never change

    static Registry &get() {
        static Registry registry;
        return registry;
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
    Registry &registry = Registry::get();
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

std::string class_text(const Object &o) {
    switch (o.kind()) {
    case Kind::Module: return static_cast<const nn::Module &>(o).class_name();
    case Kind::Optimizer: return static_cast<const optim::Optimizer &>(o).class_name();
    default: return "object";
    }
}

} // namespace

Method::Method(std::string text, std::string doc_text, std::function<void(Object &, const Value *, Value *)> f)
    : Callable{Schema::parse(text), std::move(text), std::move(doc_text), nullptr}, call(std::move(f)) {}

Class::Class(std::string in_family, std::string text, std::string doc_text, std::function<Ref<Object>(const Value *)> f,
             std::vector<Method> own_methods, std::type_index cpp_type)
    : Callable{Schema::parse(text), std::move(text), std::move(doc_text), nullptr}, family(std::move(in_family)),
      name(schema.name), type(cpp_type), methods(std::move(own_methods)), construct(std::move(f)) {
    for (Method &m : methods) m.own = true;
}

size_t class_count(std::string_view family) {
    Registry &registry = Registry::get();
    std::shared_lock lock(registry.mutex);
    Family *f = registry.find(family);
    return f ? f->classes.size() : 0;
}

const Class &class_at(std::string_view family, size_t index) {
    Registry &registry = Registry::get();
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
    Registry &registry = Registry::get();
    std::unique_lock lock(registry.mutex);
    Family *f = registry.find(c.family);
    if (!f) throw Error(TH_E_NOTFOUND, "register_class: got family '" + c.family + "', want 'nn' or 'optim'");
    for (const Class &other : f->classes)
        if (other.name == c.name)
            throw Error(TH_E_ARG,
                        "register_class: got " + c.name + ", want a name that " + c.family + " does not have yet");
    return f->classes.emplace_back(std::move(c));
}

Ref<Object> class_new(const Class &c, std::span<const Value> args) {
    BindScratch scratch;
    std::vector<Value> bound(c.schema.arguments.size());
    bind_arguments(c.name, c.schema.arguments, args, bound.data(), scratch);
    return c.construct(bound.data());
}

const Class *class_of(const Object &o) {
    switch (o.kind()) {
    case Kind::Module: return static_cast<const nn::Module &>(o).registered_class();
    case Kind::Optimizer: return static_cast<const optim::Optimizer &>(o).registered_class();
    default: return nullptr;
    }
}

std::vector<const Method *> object_methods(const Object &o) {
    std::vector<const Method *> out;
    auto add = [&](const std::vector<Method> &methods) {
        for (const Method &m : methods)
            if (std::ranges::none_of(out, [&](const Method *seen) { return seen->schema.name == m.schema.name; }))
                out.push_back(&m);
    };
    if (const Class *c = class_of(o)) add(c->methods);
    if (const Family *f = Registry::get().find(o.kind())) add(f->methods);
    return out;
}

const Method *find_method(const Object &o, std::string_view name) {
    if (const Class *c = class_of(o))
        if (const Method *m = first_method(c->methods, name)) return m;
    const Family *f = Registry::get().find(o.kind());
    return f ? first_method(f->methods, name) : nullptr;
}

void object_call(Object &o, const Method &method, std::span<const Value> args, std::span<Value> results) {
    size_t count = method.schema.results.size();
    if (results.size() < count)
        throw Error(TH_E_ARG, method.schema.name + ": got room for " + std::to_string(results.size()) +
                                  " results, want " + std::to_string(count));
    BindScratch scratch;
    std::vector<Value> bound(method.schema.arguments.size());
    bind_arguments(method.schema.name, method.schema.arguments, args, bound.data(), scratch);
    std::vector<Value> raw(count, Value{WICK_TAG_UNSET, 0, {}});
    Object &self = method.own && o.kind() == Kind::Module ? static_cast<nn::Module &>(o).self() : o;
    try {
        method.call(self, bound.data(), raw.data());
        for (const Value &v : raw)
            if (v.tag == WICK_TAG_UNSET) throw Error(TH_E_CALLBACK, method.schema.name + ": left a result unset");
    } catch (...) {
        for (Value &v : raw) clear(v);
        throw;
    }
    std::copy(raw.begin(), raw.end(), results.begin());
}

void object_call(Object &o, std::string_view method, std::span<const Value> args, std::vector<Value> &results) {
    const Method *m = find_method(o, method);
    if (!m) throw Error(TH_E_NOTFOUND, class_text(o) + ": got no method '" + std::string(method) + "'");
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
