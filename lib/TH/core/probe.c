/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits on processes, on memory and of control groups show alike only by trying: threads are made, wait for each
   other, and end. */
#include "core/probe.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Address space that a thread needs besides its stack: BLAS's work space (extern/blas.c), and what the runtimes
 * allocate. */
#define ROOM_PER_THREAD ((size_t)160 << 20)

typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    int32_t arrived, open;
    long ids[TH_THREADS_MAX]; /* as the system knows the threads */
} gate;

static void *wait_for_all(void *arg) {
    gate *g = arg;
    pthread_mutex_lock(&g->mutex);
#ifdef SYS_gettid
    g->ids[g->arrived] = syscall(SYS_gettid);
#endif
    g->arrived++;
    while (!g->open) pthread_cond_wait(&g->moved, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
    return NULL;
}

/* A joined thread still counts until the system has forgotten it. */
static void wait_until_gone(const gate *g, int32_t n) {
#if defined(SYS_gettid) && defined(SYS_tgkill)
    for (int32_t i = 0; i < n; i++)
        for (int tries = 0; tries < 10000 && syscall(SYS_tgkill, getpid(), g->ids[i], 0) == 0; tries++) sched_yield();
#else
    (void)g, (void)n;
#endif
}

static int32_t try_threads(int32_t n) {
    gate g = {.mutex = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    pthread_t threads[TH_THREADS_MAX];
    int32_t made = 0;
    while (made < n - 1 && pthread_create(&threads[made], NULL, wait_for_all, &g) == 0) made++;
    pthread_mutex_lock(&g.mutex);
    g.open = 1;
    pthread_cond_broadcast(&g.moved);
    pthread_mutex_unlock(&g.mutex);
    for (int32_t i = 0; i < made; i++) pthread_join(threads[i], NULL);
    wait_until_gone(&g, made);
    return made + 1;
}

int32_t th_probe_threads(int32_t n) {
    for (; n > 1; n = n / 2) { /* room and threads must fit together */
        size_t bytes = (size_t)n * ROOM_PER_THREAD;
        void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) continue;
        n = try_threads(n);
        munmap(room, bytes);
        break;
    }
    return n;
}
