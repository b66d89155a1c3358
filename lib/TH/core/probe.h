/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads the process can have: OpenMP's runtime ends the process when it cannot make one. */
#ifndef TH_CORE_PROBE_H
#define TH_CORE_PROBE_H

#include <stdint.h>

enum { TH_THREADS_MAX = 1024 }; /* the most that are ever used; the runtime keeps some bytes for each on the stack */

/* Of n threads (at most TH_THREADS_MAX), the calling one among them, how many can run at a time; at least 1. */
int32_t th_probe_threads(int32_t n);

#endif
