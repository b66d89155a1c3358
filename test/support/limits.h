/* SPDX-License-Identifier: BSD-3-Clause */
/* A child process that the system allows little. Use it before the process has asked for threads: children forked after
   that have one. */
#ifndef SUPPORT_LIMITS_H
#define SUPPORT_LIMITS_H

#include "support/fork.h"

#include <stdio.h>
#include <sys/resource.h>

enum { LIMIT_NOTHING, LIMIT_PROCESSES, LIMIT_MEMORY, LIMIT_COUNT };

/* No more threads, or 64 MiB more of address space, which is little for stacks and work spaces. 0 if that cannot be
 * had. */
static inline int support_limit(int what) {
    if (what == LIMIT_PROCESSES) {
        struct rlimit one = {1, 1};
        if (getuid() == 0 && setuid(65534) != 0) return 0; /* root may make as many as it likes */
        return setrlimit(RLIMIT_NPROC, &one) == 0;
    }
    if (what == LIMIT_MEMORY) {
        long pages = 0;
        FILE *f = fopen("/proc/self/statm", "r");
        if (!f || fscanf(f, "%ld", &pages) != 1) return 0;
        fclose(f);
        rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)64 << 20);
        return setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0;
    }
    return 1;
}

static int (*support_limited_body)(void);
static int support_limited_what, support_limited_threads;

static inline int support_limited(void) {
    if (!support_limit(support_limited_what)) return 0;
    if (TH_set_num_threads(support_limited_threads) != TH_OK) return 1;
    return support_limited_body();
}

/* body in children under every limit, each with 1, 4 and absurdly many threads wanted; it returns 0 if all is well. */
static inline void under_every_limit(int (*body)(void)) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizers need memory without end */
#endif
    static const int threads[] = {1, 4, 100000};
    support_limited_body = body;
    for (int what = 0; what < LIMIT_COUNT; what++)
        for (int i = 0; i < 3; i++) {
            support_limited_what = what;
            support_limited_threads = threads[i];
            int code = in_child(support_limited);
            if (code != 0) fail_msg("limit %d, %d threads: got exit code %d", what, threads[i], code);
        }
}

#endif
