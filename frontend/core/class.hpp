// SPDX-License-Identifier: BSD-3-Clause
/// The registry's inside: families, and what modules and optimizers ask it about themselves.
#ifndef WICK_CORE_CLASS_HPP
#define WICK_CORE_CLASS_HPP

#include "wick/class.hpp"
#include <deque>

namespace wick {

struct Family {
    std::string_view name;
    Kind kind;
    std::vector<Method> methods;
    std::deque<Class> classes; // references stay valid as it grows
};

namespace detail {

/// The name of a C++ class without namespaces.
std::string type_name(const std::type_info &type);
const Class *class_by_type(std::string_view family, std::type_index type);

/// A vector of things that move but do not copy.
template <class... M> std::vector<Method> list_methods(M... methods) {
    std::vector<Method> out;
    (out.push_back(std::move(methods)), ...);
    return out;
}

} // namespace detail
} // namespace wick
#endif
