/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/memory.h
 * The allocator behind every storage and every object: 64-byte aligned, caching, countable, replaceable. */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#include "TH/status.h"
TH_BEGIN

/** Allocates `nbytes` (at least 1), aligned to 64 bytes, not initialised. NULL when out of memory or
 * `nbytes` < 0; sets the error text. Free with TH_free and the same size, on any thread. Sizes are rounded up: to a
 * multiple of 64 up to 4096 bytes, above that by at most an eighth. */
TH_API void *TH_alloc(int64_t nbytes);

/** Gives back what TH_alloc(nbytes) returned. NULL is allowed. */
TH_API void TH_free(void *p, int64_t nbytes);

/** Counters since the start of the process, in bytes (as rounded up) where not said otherwise. Exact while no other
 * thread is inside TH_alloc or TH_free. `peak` follows every block above 4096 bytes; smaller ones that come from a
 * thread's own list are seen at the next larger one or the next reading. */
typedef struct THMemoryStats {
    uint32_t struct_size; /**< sizeof(THMemoryStats), set by the caller */
    uint32_t reserved;    /**< 0 */
    int64_t allocated;    /**< in use now */
    int64_t peak;         /**< highest `allocated` since the start or the last TH_memory_reset_peak */
    int64_t cached;       /**< held for reuse, not in use */
    int64_t allocations;  /**< calls of TH_alloc that succeeded (a count) */
    int64_t system;       /**< of those, how many went to the system or the hook (a count) */
} THMemoryStats;

/** Fills `stats` up to its struct_size. TH_E_ABI if that is smaller than 8. */
TH_API THStatus TH_memory_stats(THMemoryStats *stats);

/** Makes `peak` equal to what is allocated now. */
TH_API void TH_memory_reset_peak(void);

/** Gives every cached block that the calling thread can reach back to the system; returns the bytes given back. */
TH_API int64_t TH_memory_trim(void);

/** The most bytes to keep cached (0: cache nothing). Default: a quarter of physical memory (0 in builds with the
 * address or thread sanitizer); also read from TH_CACHE_BYTES at start. Each thread may keep a further 32 KiB of each
 * size up to 4096. */
TH_API void TH_memory_set_cache_limit(int64_t nbytes);

/** Replaces the system as source of memory. Sizes are the rounded ones. Called on any thread, several at once, without
 * locks held: a hook may take locks. `alloc` and `dealloc` must not call TH_alloc or TH_free; `pressure` may. */
typedef struct THMemoryHooks {
    uint32_t struct_size; /**< sizeof(THMemoryHooks) */
    uint32_t reserved;    /**< 0 */
    void *user;
    /** Called for every TH_alloc that the cache cannot serve; NULL means out of memory. */
    void *(*alloc)(void *user, int64_t nbytes, int64_t alignment);
    void (*dealloc)(void *user, void *p, int64_t nbytes);
    /** Called when `alloc` failed, after the cache was trimmed: 1 = something was freed, try once more. NULL allowed.
     */
    int32_t (*pressure)(void *user, int64_t nbytes);
} THMemoryHooks;

/** Installs hooks (copied), or the system's functions again for NULL; call it while no other thread uses TH. Turn the
 * cache off first (TH_memory_set_cache_limit(0)) to see every allocation. TH_E_ARG while blocks of the previous source
 * are in use; cached ones go back to it. */
TH_API THStatus TH_memory_set_hooks(const THMemoryHooks *hooks);

TH_END
#endif
