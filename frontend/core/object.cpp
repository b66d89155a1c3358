// SPDX-License-Identifier: BSD-3-Clause
#include "wick/object.hpp"

namespace wick {

void Object::destroy() noexcept {
    // Deleting an object releases those that it owns, and so on down. A few levels are deleted where they are released;
    // what is deeper waits in a list that needs no memory.
    constexpr int LEVELS = 32;
    thread_local int level = 0;
    thread_local Object *waiting = nullptr;
    if (level == LEVELS) {
        next_ = waiting;
        waiting = this;
        return;
    }
    level++;
    delete this;
    if (level == 1)
        while (Object *next = waiting) {
            waiting = next->next_;
            delete next;
        }
    level--;
}

} // namespace wick
