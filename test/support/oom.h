/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the k-th allocation fail, for every k. */
#ifndef SUPPORT_OOM_H
#define SUPPORT_OOM_H

#include "support/check.h"

#include <stdlib.h>

static int64_t support_oom_left = -1; /* allocations until one fails; -1: none does */
static int64_t support_oom_fired;

static inline void *support_oom_alloc(void *user, int64_t nbytes, int64_t alignment) {
    (void)user;
    int64_t left = __atomic_load_n(&support_oom_left, __ATOMIC_RELAXED);
    if (left >= 0 && __atomic_fetch_sub(&support_oom_left, 1, __ATOMIC_RELAXED) == 0) {
        __atomic_store_n(&support_oom_fired, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    return aligned_alloc((size_t)alignment, (size_t)nbytes);
}

static inline void support_oom_dealloc(void *user, void *p, int64_t nbytes) {
    (void)user;
    (void)nbytes;
    free(p);
}

/* Call this first in main: hooks can only be set while nothing is allocated. */
static inline void oom_install(void) {
    THMemoryHooks hooks = {.struct_size = sizeof hooks, .alloc = support_oom_alloc, .dealloc = support_oom_dealloc};
    if (TH_memory_set_hooks(&hooks) != TH_OK) abort();
}

static inline int64_t support_allocated(void) {
    THMemoryStats stats = {.struct_size = sizeof stats};
    assert_ok(TH_memory_stats(&stats));
    return stats.allocated;
}

/* Runs body(arg) with its first, second, ... allocation failing, until it runs through without a failure. Each time all
   memory that body took must be free again. body checks by itself that a call gave TH_OK or TH_E_MEMORY, and that in
   the latter case outputs are as they were. The cache is off meanwhile, so that every TH_alloc counts. */
static inline void oom_each(void (*body)(void *arg), void *arg) {
    TH_memory_set_cache_limit(0);
    int64_t before = support_allocated(), k = 0;
    do {
        support_oom_fired = 0;
        support_oom_left = k++;
        body(arg);
        support_oom_left = -1;
        if (support_allocated() != before) fail_msg("allocation %d failed and memory was lost", (int)k - 1);
    } while (support_oom_fired && k < 10000);
    assert_in_range(k, 1, 9999);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    TH_memory_set_cache_limit(INT64_C(1) << 28);
#endif
}

#endif
