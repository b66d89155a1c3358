// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/class.hpp
/// Modules and optimizers as classes with schemas: made and driven by name, with the ABI's values. What C++ calls with
/// types, every other language calls through here.
#ifndef WICK_CLASS_HPP
#define WICK_CLASS_HPP

#include "wick/value.hpp"
#include <functional>
#include <typeindex>

namespace wick {

/// Something to call on an object. Not bound to a class: a family ("nn", "optim") shares most of its methods.
struct WICK_API Method : Callable {
    /// f is called with exactly schema.arguments.size() values and room for as many results as the schema has; it
    /// throws on failure. Results it has set by then are dropped.
    Method(std::string schema_text, std::string doc,
           std::function<void(Object &self, const Value *args, Value *results)> f);
    bool own = false; ///< of one class, not of the family
};

/// A class of a family; as a Callable its constructor, whose result is the object: "Conv2d(int in_channels, ...) ->
/// any".
struct WICK_API Class : Callable {
    std::string family, name;    ///< "nn", "Conv2d"
    std::type_index type;        ///< the C++ type of its objects
    std::vector<Method> methods; ///< its own, found before the family's

    /// Parses the schema. construct is called with exactly schema.arguments.size() values. An unset type is for classes
    /// made outside C++, whose objects answer class_of by themselves.
    Class(std::string family, std::string schema_text, std::string doc,
          std::function<Ref<Object>(const Value *)> construct, std::vector<Method> methods = {},
          std::type_index type = typeid(void));
};

/// The registry, filled on first use. Indices never change, entries live until the process ends. Families: "nn",
/// "optim".
WICK_API size_t class_count(std::string_view family);
/// IndexError out of range.
WICK_API const Class &class_at(std::string_view family, size_t index);
/// nullptr if there is none.
WICK_API const Class *find_class(std::string_view family, std::string_view name);
/// Adds a class, from any thread. ArgumentError for a name that the family has, NotFoundError for an unknown family.
WICK_API const Class &register_class(Class c);

/// Checks arguments, fills in defaults, constructs. `names` are those of the last arguments.
WICK_API Ref<Object> class_new(const Class &c, std::span<const Value> args, std::span<const char *const> names = {});
/// The registered class of an object, or nullptr.
WICK_API const Class *class_of(const Object &o);

/// What can be called on an object: its class's own methods, then its family's. Pointers live until the process ends.
WICK_API std::vector<const Method *> object_methods(const Object &o);
/// nullptr if there is none.
WICK_API const Method *find_method(const Object &o, std::string_view name);
/// Checks arguments, fills in defaults, calls; how many results there are. results has room for
/// method.schema.results.size() values, which are owned by the caller after success.
WICK_API size_t object_call(Object &o, const Method &method, std::span<const Value> args, std::span<Value> results,
                            std::span<const char *const> names = {});
/// The same by name, for as many results as the method has. NotFoundError for an unknown method.
WICK_API void object_call(Object &o, std::string_view method, std::span<const Value> args, std::vector<Value> &results);

/// Puts a C++ result into a call's results. Types that are several results have an overload beside them.
template <class T> void store(Value *results, T &&value) { results[0] = box(std::forward<T>(value)); }

namespace detail {
template <class C, class R, class... A> struct MethodSignature {
    using Class = C;
    using Result = R;
    template <auto F> static void call(C &self, const Value *args, Value *results) {
        call<F>(self, args, results, std::index_sequence_for<A...>{});
    }

  private:
    template <auto F, size_t... I>
    static void call(C &self, const Value *args, Value *results, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<R>)
            (self.*F)(unbox<A>(args[I])...);
        else
            store(results, (self.*F)(unbox<A>(args[I])...));
    }
};
template <class C, class R, class... A> MethodSignature<C, R, A...> method_signature(R (C::*)(A...));
template <class C, class R, class... A> MethodSignature<C, R, A...> method_signature(R (C::*)(A...) const);
} // namespace detail

/// A method from a C++ member function: values to its parameters, its result to values.
template <auto F> Method method(std::string schema_text, std::string doc) {
    using Signature = decltype(detail::method_signature(F));
    return Method(std::move(schema_text), std::move(doc), [](Object &self, const Value *args, Value *results) {
        Signature::template call<F>(static_cast<typename Signature::Class &>(self), args, results);
    });
}

} // namespace wick
#endif
