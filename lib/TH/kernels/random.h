/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that draw whole groups of random values (see expr/random.inc), so that an element's bits do not depend on
   where a call begins or ends. */
#ifndef TH_KERNELS_RANDOM_H
#define TH_KERNELS_RANDOM_H

#include <stdint.h>

typedef struct th_draw {
    uint64_t seed, block; /* block of the first group */
    double a, b;          /* uniform: lowest value and length; normal: mean and standard deviation */
    double least, most;   /* uniform: what rounding must not leave */
    uint64_t range;       /* randint: how many values; bernoulli: a word below makes a 1 */
    int64_t from;         /* randint: the lowest value */
} th_draw;

typedef void (*th_random_kernel)(void *dst, int64_t groups, const th_draw *d);

struct th_random_table {
    th_random_kernel words;                         /* uint32_t, 64 in a group */
    th_random_kernel uniform_float, normal_float;   /* 64 in a group */
    th_random_kernel uniform_double, normal_double; /* 32 in a group */
    th_random_kernel bernoulli;                     /* uint8_t, 64 in a group */
    th_random_kernel randint;                       /* int64_t, 32 in a group */
};

#endif
