/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: the only place that starts any. */
#include "TH/runtime.h"
#include "TH/sys.h"
#include "extern/blas.h"

#include <omp.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int32_t threads; /* atomic */
static int32_t forked;  /* atomic; set in a child process, where the parent's pool of threads does not exist */

static void child(void) {
    __atomic_store_n(&forked, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&threads, 1, __ATOMIC_RELAXED);
    th_blas_set_num_threads(1);
}

static void start(void) {
    __atomic_store_n(&threads, omp_get_max_threads(), __ATOMIC_RELAXED);
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
    __atomic_store_n(&threads, n, __ATOMIC_RELAXED);
    th_blas_set_num_threads(n);
    return TH_OK;
}

void TH_parallel(int64_t n, int64_t grain, void (*body)(void *arg, int64_t lo, int64_t hi), void *arg) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    if (n <= grain) {
        body(arg, 0, n);
        return;
    }
    int64_t pieces = (n - 1) / grain + 1;
    int32_t team = omp_in_parallel() ? 1 : TH_num_threads();
    if (team > pieces) team = (int32_t)pieces;
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < pieces; i++) body(arg, i * grain, i < pieces - 1 ? (i + 1) * grain : n);
}
