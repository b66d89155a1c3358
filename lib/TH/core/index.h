/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of the ops that move elements between a tensor that is indexed along one dimension (the whole) and one
   that is walked (the part): strides, runs, threads. */
#ifndef TH_CORE_INDEX_H
#define TH_CORE_INDEX_H

#include "core/tensor.h"

/* GET: part = whole[index]; PUT: whole[index] = part; ADD: whole[index] += part; MUL: *= part. Halves have neither ADD
 * nor MUL: repeated entries would be rounded each time. */
enum { TH_PICK_GET, TH_PICK_PUT, TH_PICK_ADD, TH_PICK_MUL };

/* Dimension `dim` of a tensor, where a 0-dim one has a single dimension of size 1. */
static inline int64_t th_size_along(const THTensor *t, int32_t dim) { return t->ndim ? th_sizes(t)[dim] : 1; }
static inline int64_t th_stride_along(const THTensor *t, int32_t dim) { return t->ndim ? th_strides(t)[dim] : 0; }

/* An entry of an index. */
static inline int64_t th_pick_entry(const void *p, THDtype dtype) {
    return dtype == TH_INT32 ? *(const int32_t *)p : *(const int64_t *)p;
}

/* int32 or int64, else TH_E_TYPE; every entry in [-length, length), else TH_E_INDEX. */
THStatus th_pick_check_index(const char *fn, const THTensor *index, int32_t dim, int64_t length);

/* Walks the index space of `part`, or of `index` where that has as many dimensions (each at most part's). A 1-D or
   0-dim index for a part of more dimensions runs along dim and is the same for the others. Entries are checked. Writes
   to one place happen in order along dim. */
void th_pick_run(int mode, const THTensor *whole, const THTensor *part, const THTensor *index, int32_t dim,
                 int32_t same);

#endif
