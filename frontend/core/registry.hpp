// SPDX-License-Identifier: BSD-3-Clause
/// What the registry holds from the start. frontend/contents.cpp, which alone knows all of it, defines these.
#ifndef WICK_CORE_REGISTRY_HPP
#define WICK_CORE_REGISTRY_HPP

#include "core/class.hpp"

namespace wick {

/// add(op) for every op.
void add_contents(const std::function<const Op &(Op)> &add);
/// The families of classes.
std::deque<Family> class_families();

} // namespace wick
#endif
