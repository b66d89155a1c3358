// SPDX-License-Identifier: BSD-3-Clause
#include "wick/object.hpp"
#include "TH/memory.h"
#include "wick/error.hpp"

namespace wick {

void *Object::operator new(size_t size) {
    void *p = TH_alloc(static_cast<int64_t>(size));
    if (!p) throw_status(TH_E_MEMORY);
    return p;
}

void Object::operator delete(void *p, size_t size) noexcept { TH_free(p, static_cast<int64_t>(size)); }

} // namespace wick
