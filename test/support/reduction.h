/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of reductions share: the elements behind each output, and shapes to try. */
#ifndef SUPPORT_REDUCTION_H
#define SUPPORT_REDUCTION_H

#include "support/tensors.h"

/* Reducing `dims` of `sizes`; ndims 0: all. */
typedef struct reduction_case {
    int32_t ndim;
    int64_t sizes[5];
    int32_t ndims;
    int32_t dims[5];
} reduction_case;

static const reduction_case reduction_cases[] = {
    {0, {0}, 0, {0}},
    {0, {0}, 1, {-1}},
    {1, {1}, 0, {0}},
    {1, {31}, 1, {0}},
    {1, {333}, 0, {0}},
    {1, {0}, 0, {0}},
    {2, {7, 33}, 1, {0}},
    {2, {7, 33}, 1, {1}},
    {2, {7, 33}, 2, {1, 0}},
    {2, {5, 1}, 1, {-1}},
    {2, {41, 3}, 1, {1}},
    {2, {41, 3}, 1, {0}},
    {2, {70, 260}, 1, {0}},
    {3, {4, 5, 6}, 1, {1}},
    {3, {4, 5, 6}, 2, {0, 2}},
    {3, {4, 5, 6}, 2, {-1, 1}},
    {4, {2, 20, 3, 11}, 2, {0, 2}},
    {4, {2, 20, 3, 11}, 2, {1, 3}},
    {3, {3, 0, 2}, 1, {1}},
    {3, {3, 0, 2}, 1, {0}},
    {3, {3, 0, 2}, 2, {1, 2}},
};
enum { REDUCTION_CASES = sizeof reduction_cases / sizeof *reduction_cases };

/* The elements that go into output o, in logical order: value[o * count] ... value[o * count + count - 1]. */
typedef struct slices {
    int64_t outputs, count;
    long double *value;
    int32_t ndim, kept_ndim; /* of the result with keepdim, and without */
    int64_t sizes[TH_MAX_DIM], kept_sizes[TH_MAX_DIM];
} slices;

static inline slices slices_of(const THTensor *x, const int32_t *dims, int32_t ndims) {
    slices s = {.outputs = 1, .count = 1, .ndim = THTensor_ndim(x)};
    int gone[TH_MAX_DIM] = {0};
    for (int32_t i = 0; i < ndims; i++) gone[dims[i] < 0 ? dims[i] + (s.ndim ? s.ndim : 1) : dims[i]] = 1;
    for (int32_t d = 0; d < s.ndim; d++) {
        gone[d] |= ndims == 0;
        const int64_t size = THTensor_sizes(x)[d];
        s.sizes[d] = gone[d] ? 1 : size;
        if (!gone[d]) s.kept_sizes[s.kept_ndim++] = size;
        *(gone[d] ? &s.count : &s.outputs) *= size;
    }
    s.value = test_malloc((size_t)(s.outputs * s.count + 1) * sizeof *s.value);
    for (int64_t i = 0; i < THTensor_numel(x); i++) {
        int64_t left = i, o = 0, k = 0, o_step = 1, k_step = 1;
        for (int32_t d = s.ndim - 1; d >= 0; d--) {
            const int64_t size = THTensor_sizes(x)[d], at = left % size;
            left /= size;
            if (gone[d])
                k += at * k_step, k_step *= size;
            else
                o += at * o_step, o_step *= size;
        }
        s.value[o * s.count + k] = element(x, i);
    }
    return s;
}

#endif
