/* SPDX-License-Identifier: BSD-3-Clause */
/* The index space that a few operands share: broadcast, ordered by stride, merged. */
#ifndef TH_CORE_GEOMETRY_H
#define TH_CORE_GEOMETRY_H

#include "core/tensor.h"

enum { TH_OPERANDS_MAX = 5 };

/* Dimension 0 is the innermost. Strides are in bytes; 0 where an operand is stretched. */
typedef struct th_geometry {
    int32_t ndim, n;
    int64_t sizes[TH_MAX_DIM];
    int64_t strides[TH_OPERANDS_MAX][TH_MAX_DIM];
} th_geometry;

/* The sizes to which all n tensors (NULL entries skipped) broadcast; TH_E_SHAPE naming them if there are none. */
THStatus th_broadcast(int64_t *sizes, int32_t *ndim, const char *fn, const THTensor *const *tensors, int32_t n);

/* Whether t can be stretched to the given sizes. */
int32_t th_broadcasts_to(const THTensor *t, const int64_t *sizes, int32_t ndim);

/* An index space of the given sizes (outermost first, as a tensor has them) without operands. */
void th_geometry_begin(th_geometry *g, const int64_t *sizes, int32_t ndim);

/* Adds an operand that broadcasts to the sizes. */
void th_geometry_add(th_geometry *g, const THTensor *t);

/* Drops dimensions of size 1, orders the others by stride (operand 0 decides, then the next), and merges those that are
   one run for every operand. Leaves at least one dimension. */
void th_geometry_merge(th_geometry *g);

#endif
