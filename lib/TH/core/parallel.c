/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: the only place that starts any. */
#include "TH/runtime.h"
#include "TH/sys.h"
#include "core/probe.h"
#include "expr/openmp.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int32_t threads; /* atomic */
static int32_t forked;  /* atomic; set in a child process, where the parent's pool of threads does not exist */

/* What this thread asked for last, and what it can have: every thread has its own pool. */
static __thread struct { int32_t asked, allowed; } team;

static void child(void) {
    __atomic_store_n(&forked, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&threads, 1, __ATOMIC_RELAXED);
}

static int32_t at_most(int32_t n, int32_t most) { return n < most ? n : most; }

static void start(void) {
    __atomic_store_n(&threads, at_most(omp_get_max_threads(), TH_THREADS_MAX), __ATOMIC_RELAXED);
    pthread_atfork(NULL, NULL, child);
}

int32_t TH_num_threads(void) {
    int32_t n = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    if (n > 0) return n;
    pthread_once(&once, start);
    return __atomic_load_n(&threads, __ATOMIC_RELAXED);
}

THStatus TH_set_num_threads(int32_t n) {
    if (n < 1) return TH_raisef(TH_E_ARG, "TH_set_num_threads: got %d, want at least 1", (int)n);
    TH_num_threads();
    if (n > 1 && __atomic_load_n(&forked, __ATOMIC_RELAXED))
        return TH_raisef(TH_E_FORKED, "TH_set_num_threads: got %d in a forked process, want 1", (int)n);
    __atomic_store_n(&threads, at_most(n, TH_THREADS_MAX), __ATOMIC_RELAXED);
    return TH_OK;
}

int32_t TH_team(void) {
    int32_t n = TH_num_threads();
    if (n == 1 || omp_in_parallel()) return 1;
    if (n != team.asked) {
        team.allowed = n <= team.allowed ? n : th_probe_threads(n);
        team.asked = n;
    }
    return team.allowed;
}

/* One call that several threads work on. */
typedef struct call {
    void (*body)(void *arg, int64_t lo, int64_t hi);
    void *arg;
    int64_t n, grain, pieces;
    int64_t forked, joined; /* whose addresses stand for the two events; never read */
} call;

static void run(const call *c, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++) c->body(c->arg, i * c->grain, i < c->pieces - 1 ? (i + 1) * c->grain : c->n);
}

/* The thread sanitizer does not know the synchronisation inside libgomp, and would take the compiler's own code for a
   region for a race: that code is left out of its sight, and it is told of fork and join here. */
#if defined(__SANITIZE_THREAD__)
#define HAVE_TSAN 1
#elif defined(__has_feature)
#define HAVE_TSAN __has_feature(thread_sanitizer)
#endif
#if HAVE_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define BEFORE(event) __tsan_release(event)
#define AFTER(event) __tsan_acquire(event)
#define UNSEEN __attribute__((no_sanitize("thread")))
#else
#define BEFORE(event) (void)(event)
#define AFTER(event) (void)(event)
#define UNSEEN
#endif

/* The calling thread's share: runs of pieces, as equal as can be. */
static void share(void *arg) {
    call *c = arg;
    AFTER(&c->forked);
    int64_t thread = omp_get_thread_num(), threads_here = omp_get_num_threads();
    int64_t least = c->pieces / threads_here, longer = c->pieces % threads_here;
    int64_t first = thread * least + (thread < longer ? thread : longer);
    run(c, first, first + least + (thread < longer));
    BEFORE(&c->joined);
}

/* The team is whole even where there are fewer pieces: OpenMP's runtime ends the threads that a smaller one leaves
   over, and making them again costs more than waking them, and could fail. */
UNSEEN void TH_parallel(int64_t n, int64_t grain, void (*body)(void *arg, int64_t lo, int64_t hi), void *arg) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    call c = {.body = body, .arg = arg, .n = n, .grain = grain, .pieces = (n - 1) / grain + 1};
    int32_t size = c.pieces == 1 ? 1 : TH_team();
    if (size == 1) {
        run(&c, 0, c.pieces);
        return;
    }
    BEFORE(&c.forked);
#ifdef __clang__
    GOMP_parallel(share, &c, (unsigned)size, 0);
#else
#pragma omp parallel num_threads(size)
    share(&c);
#endif
    AFTER(&c.joined);
}
