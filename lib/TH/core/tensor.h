/* SPDX-License-Identifier: BSD-3-Clause */
/* The two structs behind the opaque names, and shortcuts that public accessors would make slow. */
#ifndef TH_CORE_TENSOR_H
#define TH_CORE_TENSOR_H

#include "TH/sys.h"
#include "TH/tensor.h"
#include "core/text.h"

struct THStorage {
    int64_t refs;     /* atomic */
    uint64_t version; /* atomic, relaxed */
    void *data;
    int64_t nbytes;
    THDevice device;
    int32_t readonly;
    void (*deleter)(void *user); /* NULL: the bytes follow this struct in the same block */
    void *user;
};

struct THTensor {
    int64_t refs; /* atomic */
    THStorage *storage;
    void *data; /* storage's data + offset */
    int64_t offset;
    int64_t numel;
    THDtype dtype;
    int32_t ndim;
    uint8_t contiguous;
    uint8_t elsewhere; /* not on the CPU, as its storage says: small ops need not look there */
    uint8_t number;
    int64_t geometry[]; /* ndim sizes, then ndim strides */
};

static inline const int64_t *th_sizes(const THTensor *t) { return t->geometry; }
static inline const int64_t *th_strides(const THTensor *t) { return t->geometry + t->ndim; }

/* A new descriptor without checks: geometry is trusted. strides NULL: contiguous. Retains storage. NULL when out of
 * memory. */
THTensor *th_tensor_make(THStorage *storage, THDtype dtype, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                         int64_t offset);

/* THTensor_new and THTensor_new_on in the name of `fn`. */
THStatus th_tensor_new(THTensor **out, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim);
THStatus th_tensor_new_on(THTensor **out, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim,
                          THDevice device);

/* Turns a possibly negative dim into 0 ... ndim-1 (a 0-dim tensor counts as having one dimension). */
THStatus th_dim(int32_t *out, const char *fn, int32_t dim, int32_t ndim);

/* Checks ndim, that sizes are not negative, and that the bytes of a contiguous tensor (zeros counted as ones) can be
   counted; *numel is the number of elements. */
THStatus th_check_sizes(int64_t *numel, const char *fn, THDtype dtype, const int64_t *sizes, int32_t ndim);

#endif
