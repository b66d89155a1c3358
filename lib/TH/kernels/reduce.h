/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the reductions. A strip is up to TH_STRIP partial results side by side; a kernel reduces one block of
   elements into it, `merge` joins the results of neighbouring blocks. Blocks are cut by shape alone and have as many
   lanes in every ISA, so that bits depend on neither threads nor ISA. */
#ifndef TH_KERNELS_REDUCE_H
#define TH_KERNELS_REDUCE_H

#include "TH/dtype.h"

enum {
    TH_STRIP = 256,     /* partial results in a strip */
    TH_EXTRA = 8,       /* bytes beside each */
    TH_BLOCK = 4096,    /* elements of a block that becomes one partial result */
    TH_BLOCK_ROWS = 16, /* rows of a block that becomes a strip; TH_STRIP * TH_BLOCK_ROWS == TH_BLOCK */
    TH_LANES = 32,      /* independent partial results within a row, */
    TH_FEW_LANES = 8    /* and within a short one */
};

/* `value` holds the partial results, in their own type of at most 16 bytes; `extra` what some keep beside them.
   Neither begins a multiple of 4096 bytes behind the other, or the CPU would take stores to one for stores to both. */
typedef struct th_strip {
    unsigned char extra[TH_STRIP * TH_EXTRA];
    unsigned char value[TH_STRIP * 16];
} __attribute__((aligned(64))) th_strip;

/* base: position of the block's first element in the reduced range; count, more: elements behind either side. */
typedef struct th_fold {
    void (*row)(const void *x, int64_t n, int64_t base, th_strip *acc, int64_t slot); /* n elements to one slot */
    void (*rows)(const void *const *x, int64_t nrows, int64_t n, int64_t base,
                 th_strip *acc); /* columns to slots 0 ... n-1 */
    void (*merge)(th_strip *acc, int64_t count, const th_strip *next, int64_t more, int64_t slot, int64_t n);
} th_fold;

enum {
#define TH_FOLD_WIDE(name, ...) TH_FOLD_##name,
#define TH_FOLD_ORDER TH_FOLD_WIDE
#define TH_FOLD_TEST TH_FOLD_WIDE
#include "expr/reduce.inc"
#undef TH_FOLD_WIDE
#undef TH_FOLD_ORDER
#undef TH_FOLD_TEST
    TH_FOLD_COUNT
};

/* By the dtype computed in, so that halves have none. Values: double or uint64_t for sums, the element's type for max
   and min; uint8_t for tests, bits as expr/reduce.inc says. */
struct th_reduce_table {
    th_fold fold[TH_FOLD_COUNT][TH_DTYPE_COUNT];
    th_fold sum_of_fours; /* of float32, where the result has no more digits: four at a time are added in float32 */
};

/* Value: the extreme; extra: its position, int64_t. */
struct th_argreduce_table {
    th_fold argmax[TH_DTYPE_COUNT], argmin[TH_DTYPE_COUNT];
};

/* Value: the sum of squared distances from the mean; extra: the mean; both double. Floating dtypes. */
struct th_var_table {
    th_fold fold[TH_DTYPE_COUNT];
};

#endif
