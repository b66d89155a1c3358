/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver between a reduction and its kernels: dimensions, strides, blocks, threads. */
#ifndef TH_CORE_REDUCE_H
#define TH_CORE_REDUCE_H

#include "core/tensor.h"
#include "kernels/reduce.h"

/* Makes finished values of `n` partial results, in place, each of `count` elements. */
typedef void (*th_finish)(th_strip *acc, int64_t n, int64_t count, double param);

typedef struct th_reduction {
    const char *fn;
    const th_fold *fold; /* for x's dtype; halves are handed over as float32 */
    int64_t size;        /* bytes of a partial result */
    THDtype value;       /* dtype of the finished values */
    THDtype result;      /* dtype of a result that has to be made */
    int32_t in_extra;    /* the finished values are in `extra` */
    int32_t ordered;     /* positions matter: the reduced range is walked in logical order */
    th_finish finish;    /* NULL: the values are finished */
    double param;
} th_reduction;

/* The bit set of the dimensions in dims, each in range and named once; all for ndims 0. */
THStatus th_reduce_dims(uint64_t *mask, const char *fn, const THTensor *x, const int32_t *dims, int32_t ndims);

/* How many elements become one. */
int64_t th_reduce_count(const THTensor *x, uint64_t mask);

/* Makes or checks *out and computes it. */
THStatus th_reduce_run(const th_reduction *op, THTensor **out, const THTensor *x, uint64_t mask, int32_t keepdim);

#endif
