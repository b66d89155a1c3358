/* SPDX-License-Identifier: BSD-3-Clause */
/* Two levels. Blocks up to SMALL_MAX come from lists of the calling thread, without locks or atomic read-modify-writes;
   larger ones, and what the threads' lists cannot hold or serve, from central lists behind one mutex. Sizes are rounded
   up to classes, and every layer sees the rounded size, so that no block needs a header. The source (system or hooks)
   is never called with the mutex held: a hook may wait for a lock, such as an interpreter's, whose owner is about to
   allocate. */
#include "TH/memory.h"
#include "TH/sys.h"
#include "expr/sizes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature) /* clang says by this what gcc says by macros */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HIDE(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define SHOW(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define HIDE(p, n) ((void)0)
#define SHOW(p, n) ((void)0)
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CACHE_BY_DEFAULT = 0 }; /* the sanitizers see misuse better without */
#else
enum { CACHE_BY_DEFAULT = 1 };
#endif

enum {
    ALIGNMENT = 64,
    HUGE_PAGE = 2 << 20,
    SMALL_MAX = 4096,
    SMALL_CLASSES = SMALL_MAX / ALIGNMENT + 1, /* class k holds blocks of 64 k bytes; 0 stays empty */
    SMALL_LIST_BYTES = 32768,                  /* the most a thread keeps of one class */
    LARGE_CLASSES = 50 * 8,                    /* from 2^12 to 2^62, eight steps an octave */
    CLASSES = SMALL_CLASSES + LARGE_CLASSES
};
#define NBYTES_MAX (INT64_C(1) << 62)

/* A block that is not in use. */
typedef struct block {
    struct block *next;
    int64_t nbytes; /* only on its way to the source */
} block;

typedef struct list {
    block *head;
    int64_t count; /* atomic in threads' lists: their owner writes, everybody reads */
} list;

/* One thread's lists and its share of the counters. */
typedef struct thread_cache {
    list small[SMALL_CLASSES];
    int64_t allocated;   /* atomic as list.count; negative in a thread that frees others' blocks */
    int64_t allocations; /* atomic as list.count */
    struct thread_cache *next, **link;
} thread_cache;

static __thread thread_cache *mine __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int have_key;

/* Behind the mutex: */
static list central[CLASSES];
static thread_cache *threads;
static int64_t allocated, allocations, from_system, peak, cached;
static THMemoryHooks hooks;

static int64_t limit; /* atomic; of cached */

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define BUMP(x, d) STORE(x, (x) + (d)) /* of a counter that this thread alone writes */

/* ---- size classes ---- */

static int32_t class_of(int64_t nbytes) {
    if (nbytes <= SMALL_MAX) return (int32_t)((nbytes + ALIGNMENT - 1) / ALIGNMENT);
    int32_t octave = 63 - __builtin_clzll((unsigned long long)(nbytes - 1));
    int64_t step = INT64_C(1) << (octave - 3);
    return SMALL_CLASSES + (octave - 12) * 8 + (int32_t)((nbytes - 1 - (INT64_C(1) << octave)) / step);
}

static int64_t class_bytes(int32_t k) {
    if (k < SMALL_CLASSES) return (int64_t)k * ALIGNMENT;
    int32_t octave = (k - SMALL_CLASSES) / 8 + 12;
    return (INT64_C(1) << octave) + ((k - SMALL_CLASSES) % 8 + 1) * (INT64_C(1) << (octave - 3));
}

/* ---- the source: the system or the hooks ---- */

static void *source_alloc(int64_t nbytes) {
    if (hooks.alloc) return hooks.alloc(hooks.user, nbytes, ALIGNMENT);
    if (nbytes < HUGE_PAGE) return aligned_alloc(ALIGNMENT, (size_t)nbytes);
    void *p = NULL;
    if (posix_memalign(&p, HUGE_PAGE, (size_t)nbytes) != 0)
        return NULL; /* aligned_alloc wants a multiple of the page */
#if defined(MADV_HUGEPAGE)
    /* fewer page faults and TLB misses: adding 1M floats took 147 us instead of 176 */
    madvise(p, (size_t)nbytes, MADV_HUGEPAGE);
#endif
    return p;
}

static void source_free(void *p, int64_t nbytes) {
    SHOW(p, (size_t)nbytes);
    if (hooks.dealloc)
        hooks.dealloc(hooks.user, p, nbytes);
    else
        free(p);
}

/* ---- lists ---- */

static block *pop(list *l) {
    block *b = l->head;
    l->head = b->next;
    BUMP(l->count, -1);
    return b;
}

static void push(list *l, void *p, int64_t nbytes) {
    block *b = p;
    b->next = l->head;
    l->head = b;
    BUMP(l->count, 1);
    HIDE(b + 1, (size_t)nbytes - sizeof *b); /* the leak checker must see `next` */
    (void)nbytes;
}

/* Moves every block of `l` to a chain that `release` hands to the source; returns their bytes. */
static int64_t condemn(list *l, int64_t nbytes, block **doomed) {
    int64_t total = 0;
    for (; l->head; total += nbytes) {
        block *b = pop(l);
        *b = (block){*doomed, nbytes};
        *doomed = b;
    }
    return total;
}

static int64_t condemn_thread(thread_cache *c, block **doomed) {
    int64_t total = 0;
    for (int32_t k = 1; k < SMALL_CLASSES; k++) total += condemn(&c->small[k], class_bytes(k), doomed);
    return total;
}

static int64_t condemn_central(block **doomed) {
    int64_t total = 0;
    for (int32_t k = 1; k < CLASSES; k++) total += condemn(&central[k], class_bytes(k), doomed);
    cached = 0;
    return total;
}

/* Without the mutex. */
static void release(block *doomed) {
    while (doomed) {
        block b = *doomed;
        source_free(doomed, b.nbytes);
        doomed = b.next;
    }
}

/* Over the limit everything else goes: blocks of sizes no longer asked for must not fill the cache. */
static void keep_central(void *p, int32_t k, block **doomed) {
    int64_t nbytes = class_bytes(k), most = LOAD(limit);
    if (cached + nbytes > most) condemn_central(doomed);
    push(&central[k], p, nbytes);
    cached += nbytes;
    if (nbytes > most) condemn_central(doomed);
}

static void *take_central(int32_t k) {
    if (!central[k].head) return NULL;
    cached -= class_bytes(k);
    return pop(&central[k]);
}

/* ---- threads and processes ---- */

static void thread_ends(void *arg) {
    thread_cache *c = arg;
    block *doomed = NULL;
    pthread_mutex_lock(&mutex);
    for (int32_t k = 1; k < SMALL_CLASSES; k++)
        while (c->small[k].head) keep_central(pop(&c->small[k]), k, &doomed);
    allocated += c->allocated;
    allocations += c->allocations;
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
    pthread_mutex_unlock(&mutex);
    release(doomed);
    mine = NULL;
    free(c);
}

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void start(void) {
    const char *text = getenv("TH_CACHE_BYTES");
    char *end = NULL;
    int64_t bytes = text ? strtoll(text, &end, 10) : -1;
    if (!text || end == text || *end || bytes < 0)
        bytes = CACHE_BY_DEFAULT ? th_size_mul(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE)) / 4 : 0;
    STORE(limit, bytes);
    have_key = pthread_key_create(&key, thread_ends) == 0;
    pthread_atfork(lock, unlock, unlock);
}

/* This thread's lists, made at first use; NULL if there is no memory for them. */
static thread_cache *my_cache(void) {
    if (mine) return mine;
    pthread_once(&once, start);
    thread_cache *c = have_key ? calloc(1, sizeof *c) : NULL;
    if (!c || pthread_setspecific(key, c) != 0) {
        free(c);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    c->next = threads;
    c->link = &threads;
    if (threads) threads->link = &c->next;
    threads = c;
    pthread_mutex_unlock(&mutex);
    return mine = c;
}

/* ---- counters (behind the mutex) ---- */

static int64_t allocated_now(void) {
    int64_t n = allocated;
    for (thread_cache *c = threads; c; c = c->next) n += LOAD(c->allocated);
    if (n > peak) peak = n;
    return n;
}

static void count_alloc(int64_t nbytes) {
    allocated += nbytes;
    allocations++;
    allocated_now();
}

static int64_t cached_now(void) {
    int64_t n = cached;
    for (thread_cache *c = threads; c; c = c->next)
        for (int32_t k = 1; k < SMALL_CLASSES; k++) n += LOAD(c->small[k].count) * class_bytes(k);
    return n;
}

/* ---- the slow paths ---- */

/* From the source, if need be after emptying the caches and asking for help. */
static void *alloc_source(int64_t nbytes) {
    void *p = source_alloc(nbytes);
    if (!p && TH_memory_trim() > 0) p = source_alloc(nbytes);
    if (!p && hooks.pressure && hooks.pressure(hooks.user, nbytes) == 1) p = source_alloc(nbytes);
    return p;
}

/* From the central lists, with some more for this thread's next calls. */
static void *alloc_central(thread_cache *c, int32_t k) {
    void *p = take_central(k);
    if (c && k < SMALL_CLASSES)
        for (int64_t n = SMALL_LIST_BYTES / class_bytes(k) / 2; n > 0 && central[k].head; n--)
            push(&c->small[k], take_central(k), class_bytes(k));
    return p;
}

static __attribute__((noinline)) void *alloc_slow(int64_t nbytes) {
    if (nbytes == 0) return TH_alloc(1);
    if (nbytes < 0 || nbytes > NBYTES_MAX) {
        TH_raisef(TH_E_MEMORY, "TH_alloc: got %lld bytes, want 0 to 2^62", (long long)nbytes);
        return NULL;
    }
    thread_cache *c = my_cache();
    int32_t k = class_of(nbytes);
    int64_t rounded = class_bytes(k);
    pthread_mutex_lock(&mutex);
    void *p = alloc_central(c, k);
    if (p) count_alloc(rounded);
    pthread_mutex_unlock(&mutex);
    if (!p) {
        p = alloc_source(rounded);
        if (!p) {
            TH_raisef(TH_E_MEMORY, "TH_alloc: out of memory: got none of the %lld bytes wanted", (long long)nbytes);
            return NULL;
        }
        pthread_mutex_lock(&mutex);
        from_system++;
        count_alloc(rounded);
        pthread_mutex_unlock(&mutex);
    }
    SHOW(p, (size_t)nbytes);
    HIDE((char *)p + nbytes, (size_t)(rounded - nbytes));
    return p;
}

static __attribute__((noinline)) void free_slow(void *p, int64_t nbytes) {
    if (nbytes == 0) {
        TH_free(p, 1);
        return;
    }
    thread_cache *c = my_cache();
    block *doomed = NULL;
    int32_t k = class_of(nbytes);
    int64_t rounded = class_bytes(k);
    SHOW(p, (size_t)rounded);
    pthread_mutex_lock(&mutex);
    allocated -= rounded;
    if (c && k < SMALL_CLASSES && LOAD(limit) > 0) {
        while (c->small[k].count > SMALL_LIST_BYTES / rounded / 2) keep_central(pop(&c->small[k]), k, &doomed);
        push(&c->small[k], p, rounded);
    } else {
        keep_central(p, k, &doomed);
    }
    pthread_mutex_unlock(&mutex);
    release(doomed);
}

/* ---- the interface ---- */

void *TH_alloc(int64_t nbytes) {
    thread_cache *c = mine;
    if ((uint64_t)nbytes - 1 >= SMALL_MAX || !c) return alloc_slow(nbytes);
    int64_t rounded = (nbytes + ALIGNMENT - 1) & -(int64_t)ALIGNMENT;
    list *l = &c->small[rounded / ALIGNMENT];
    if (!l->head) return alloc_slow(nbytes);
    block *b = pop(l);
    BUMP(c->allocated, rounded);
    BUMP(c->allocations, 1);
    SHOW(b, (size_t)nbytes);
    HIDE((char *)b + nbytes, (size_t)(rounded - nbytes));
    return b;
}

void TH_free(void *p, int64_t nbytes) {
    if (!p) return;
    thread_cache *c = mine;
    if ((uint64_t)nbytes - 1 >= SMALL_MAX || !c || LOAD(limit) == 0) {
        free_slow(p, nbytes);
        return;
    }
    int64_t rounded = (nbytes + ALIGNMENT - 1) & -(int64_t)ALIGNMENT;
    list *l = &c->small[rounded / ALIGNMENT];
    if (l->count * rounded >= SMALL_LIST_BYTES) {
        free_slow(p, nbytes);
        return;
    }
    SHOW(p, (size_t)rounded);
    push(l, p, rounded);
    BUMP(c->allocated, -rounded);
}

THStatus TH_memory_stats(THMemoryStats *stats) {
    if (!stats) return TH_raisef(TH_E_ARG, "TH_memory_stats: stats is NULL");
    uint32_t size = stats->struct_size;
    if (size < 8) return TH_raisef(TH_E_ABI, "TH_memory_stats: got struct_size %u, want at least 8", (unsigned)size);
    THMemoryStats now = {.struct_size = size};
    pthread_once(&once, start);
    pthread_mutex_lock(&mutex);
    now.allocated = allocated_now();
    now.peak = peak;
    now.cached = cached_now();
    now.allocations = allocations;
    for (thread_cache *c = threads; c; c = c->next) now.allocations += LOAD(c->allocations);
    now.system = from_system;
    pthread_mutex_unlock(&mutex);
    memcpy(stats, &now, size < sizeof now ? size : sizeof now);
    return TH_OK;
}

void TH_memory_reset_peak(void) {
    pthread_mutex_lock(&mutex);
    peak = INT64_MIN;
    allocated_now();
    pthread_mutex_unlock(&mutex);
}

int64_t TH_memory_trim(void) {
    block *doomed = NULL;
    pthread_mutex_lock(&mutex);
    int64_t n = condemn_central(&doomed);
    pthread_mutex_unlock(&mutex);
    if (mine) n += condemn_thread(mine, &doomed);
    release(doomed);
    return n;
}

void TH_memory_set_cache_limit(int64_t nbytes) {
    pthread_once(&once, start);
    STORE(limit, nbytes < 0 ? 0 : nbytes);
    TH_memory_trim();
}

THStatus TH_memory_set_hooks(const THMemoryHooks *h) {
    THMemoryHooks next = {.struct_size = sizeof next};
    if (h && h->struct_size < sizeof next)
        return TH_raisef(TH_E_ABI, "TH_memory_set_hooks: got struct_size %u, want %zu", (unsigned)h->struct_size,
                         sizeof next);
    if (h) next = *h;
    if (h && (!h->alloc || !h->dealloc))
        return TH_raisef(TH_E_ARG, "TH_memory_set_hooks: %s is NULL", h->alloc ? "dealloc" : "alloc");
    block *doomed = NULL;
    pthread_once(&once, start);
    pthread_mutex_lock(&mutex);
    int64_t used = allocated_now();
    if (used == 0) condemn_central(&doomed);
    for (thread_cache *c = threads; c && used == 0; c = c->next) condemn_thread(c, &doomed);
    pthread_mutex_unlock(&mutex);
    if (used != 0) return TH_raisef(TH_E_ARG, "TH_memory_set_hooks: got %lld bytes in use, want none", (long long)used);
    release(doomed); /* to the source they came from */
    hooks = next;
    return TH_OK;
}
