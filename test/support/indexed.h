/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of indexing share: shapes to try, index tensors, and the address that an index picks. */
#ifndef SUPPORT_INDEXED_H
#define SUPPORT_INDEXED_H

#include "support/tensors.h"

/* Sizes of the tensor that is indexed along dim, and of the index. */
typedef struct index_case {
    int32_t ndim, dim;
    int64_t sizes[4], index[4];
} index_case;

static const index_case index_cases[] = {
    {1, 0, {9}, {23}},
    {1, -1, {1}, {1}},
    {2, 0, {7, 5}, {11, 5}},
    {2, 1, {7, 5}, {6, 9}},
    {2, 0, {4, 1500}, {6, 1500}},
    {2, 1, {3, 700}, {3, 1300}},
    {3, 1, {4, 6, 3}, {2, 10, 3}},
    {3, -1, {4, 6, 3}, {4, 5, 7}},
    {3, 0, {5, 2, 3}, {8, 2, 2}},
    {2, 0, {3, 4}, {0, 4}},
    {2, 1, {0, 4}, {0, 6}},
    {0, 0, {0}, {0}},
};
enum { INDEX_CASES = sizeof index_cases / sizeof *index_cases };

/* Indices in [-length, length), with many repetitions. */
static inline THTensor *index_random(THDtype dtype, const int64_t *sizes, int32_t ndim, int64_t length, uint64_t seed) {
    THTensor *t = tensor_empty(dtype, sizes, ndim);
    for (int64_t i = 0; i < THTensor_numel(t); i++)
        set_element(t, i, (long double)(random_bits(&seed) % (uint64_t)(2 * length)) - (long double)length);
    return t;
}

static inline int32_t index_dim(const index_case *c) { return c->dim < 0 ? c->dim + c->ndim : c->dim; }

static inline int64_t index_length(const index_case *c) { return c->ndim ? c->sizes[index_dim(c)] : 1; }

/* Logical position in t of the element at position i of an index space of `sizes`, where coordinate dim is replaced. */
static inline int64_t picked_position(const THTensor *t, const int64_t *sizes, int32_t dim, int64_t i,
                                      int64_t replaced) {
    int64_t at = 0, step = 1;
    for (int32_t d = THTensor_ndim(t) - 1; d >= 0; d--) {
        at += (d == dim ? replaced : i % sizes[d]) * step;
        i /= sizes[d];
        step *= THTensor_sizes(t)[d];
    }
    return at;
}

/* Coordinate dim of position i. */
static inline int64_t coordinate(const int64_t *sizes, int32_t ndim, int32_t dim, int64_t i) {
    for (int32_t d = ndim - 1; d > dim; d--) i /= sizes[d];
    return ndim ? i % sizes[dim] : 0;
}

static inline int64_t wrapped(long double index, int64_t length) { return (int64_t)index + (index < 0 ? length : 0); }

typedef void (*index_check)(THDtype dtype, const index_case *c, int layout);

/* All of index_cases, in every dtype and layout, on changing ISAs and numbers of threads. */
static inline void check_index_cases(index_check check) {
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            for (int c = 0; c < INDEX_CASES; c++) {
                assert_ok(TH_set_isa(TH_isa_name((c + layout) % TH_isa_count())));
                assert_ok(TH_set_num_threads(1 + c % 2));
                check(dtype, &index_cases[c], layout);
            }
    assert_ok(TH_set_isa(TH_isa_name(0)));
}

/* Cases large enough for two threads. */
static inline void check_large_index_cases(const index_case *cases, int count, index_check check) {
    for (int threads = 1; threads <= 2; threads++)
        for (int c = 0; c < count; c++) {
            assert_ok(TH_set_num_threads(threads));
            check(TH_FLOAT32, &cases[c], threads == 1 ? LAYOUT_CONTIGUOUS : LAYOUT_REVERSED);
        }
}

#endif
