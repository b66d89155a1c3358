// SPDX-License-Identifier: BSD-3-Clause
#include "extern/guard.h"

#include <cxxabi.h>
#include <new>

int thnn_guard(void (*body)(void *arg), void *arg) {
    try {
        body(arg);
        return THNN_THREW_NOTHING;
    } catch (const std::bad_alloc &) {
        return THNN_THREW_BAD_ALLOC;
    } catch (abi::__forced_unwind &) { // of a cancelled thread, which must go on
        throw;
    } catch (...) {
        return THNN_THREW;
    }
}
