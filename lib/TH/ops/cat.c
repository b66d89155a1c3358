/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining tensors: a window on the result for each of them, then copies that cannot fail. */
#include "TH/index.h"
#include "TH/memory.h"
#include "core/iter.h"
#include "core/number.h"
#include "expr/sizes.h"

#include <string.h>

static THStatus check_list(const char *fn, THTensor **out, const THTensor *const *tensors, int32_t n) {
    if (!out || (!tensors && n > 0)) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "tensors" : "out");
    if (n < 1) return TH_raisef(TH_E_ARG, "%s: got %d tensors (an empty list), want at least 1", fn, (int)n);
    THStatus status = TH_OK;
    for (int32_t i = 0; i < n && status == TH_OK; i++) status = TH_check_input(fn, "a tensor", tensors[i]);
    return status;
}

/* A tensor that cat takes no notice of. */
static int skipped(const THTensor *t) { return t->ndim == 1 && t->numel == 0; }

/* Element `at` of the joined dimension on, as long as t. */
static THStatus window(THTensor **out, const THTensor *result, const THTensor *t, int32_t dim, int64_t at,
                       int stacked) {
    return stacked ? THTensor_select(out, result, dim, at) : THTensor_narrow(out, result, dim, at, th_sizes(t)[dim]);
}

static THStatus fill(const char *fn, THTensor *result, const THTensor *const *tensors, int32_t n, int32_t dim,
                     int stacked) {
    const int64_t bytes = th_size_mul(n, sizeof(THTensor *));
    THTensor **windows = TH_alloc(bytes);
    if (!windows) return TH_raisef(TH_E_MEMORY, "%s: could not allocate %lld bytes", fn, (long long)bytes);
    memset(windows, 0, (size_t)bytes);
    THStatus status = TH_OK;
    int64_t at = 0;
    for (int32_t i = 0; i < n && status == TH_OK; i++) {
        if (!stacked && skipped(tensors[i])) continue;
        status = window(&windows[i], result, tensors[i], dim, at, stacked);
        at += stacked ? 1 : th_sizes(tensors[i])[dim];
    }
    for (int32_t i = 0; i < n; i++) {
        if (status == TH_OK && windows[i]) th_copy(windows[i], tensors[i]);
        THTensor_free(windows[i]);
    }
    TH_free(windows, bytes);
    return status;
}

static THStatus join(const char *fn, THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim,
                     const int64_t *sizes, int32_t ndim, int stacked) {
    THDtype dtype;
    THStatus status = TH_result_type(&dtype, tensors, n);
    for (int32_t i = 0; i < n && status == TH_OK; i++) status = th_check_element(fn, "a tensor", tensors[i], dtype);
    THTensor *result;
    if (status == TH_OK) status = TH_output_begin(&result, fn, out, dtype, sizes, ndim, 0, 0, tensors, n);
    if (status != TH_OK) return status;
    if (result->numel) status = fill(fn, result, tensors, n, dim, stacked);
    return TH_output_end(result, out, status);
}

static THStatus raise_sizes(const char *fn, const THTensor *first, const THTensor *t, int32_t i, const char *want) {
    th_text a, b;
    return TH_raisef(TH_E_SHAPE, "%s: got %s and, as tensor %d, %s, want %s", fn, th_tensor_text(a, first), (int)i,
                     th_tensor_text(b, t), want);
}

THStatus TH_cat(THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim) {
    const char *fn = "TH_cat";
    THStatus status = check_list(fn, out, tensors, n);
    if (status != TH_OK) return status;
    const THTensor *first = tensors[0];
    for (int32_t i = 0; i < n && skipped(first); i++) first = tensors[i];
    status = th_dim(&dim, fn, dim, first->ndim);
    if (status != TH_OK) return status;
    if (!first->ndim) return raise_sizes(fn, first, first, 0, "tensors with dimensions");
    int64_t sizes[TH_MAX_DIM];
    memcpy(sizes, th_sizes(first), (size_t)first->ndim * sizeof *sizes);
    sizes[dim] = 0;
    for (int32_t i = 0; i < n; i++) {
        const THTensor *t = tensors[i];
        if (skipped(t)) continue;
        int fits = t->ndim == first->ndim;
        for (int32_t d = 0; d < t->ndim && fits; d++) fits = d == dim || th_sizes(t)[d] == sizes[d];
        fits = fits && !__builtin_add_overflow(sizes[dim], th_sizes(t)[dim], &sizes[dim]);
        if (!fits) return raise_sizes(fn, first, t, i, "equal sizes but along dim");
    }
    return join(fn, out, tensors, n, dim, sizes, first->ndim, 0);
}

THStatus TH_stack(THTensor **out, const THTensor *const *tensors, int32_t n, int32_t dim) {
    const char *fn = "TH_stack";
    THStatus status = check_list(fn, out, tensors, n);
    if (status != TH_OK) return status;
    const THTensor *first = tensors[0];
    const int32_t ndim = first->ndim + 1;
    status = th_dim(&dim, fn, dim, ndim);
    if (status != TH_OK) return status;
    if (ndim > TH_MAX_DIM) return raise_sizes(fn, first, first, 0, "fewer than 64 dimensions");
    int64_t sizes[TH_MAX_DIM];
    for (int32_t d = 0; d < ndim; d++) sizes[d] = d == dim ? n : th_sizes(first)[d - (d > dim)];
    for (int32_t i = 1; i < n; i++)
        if (tensors[i]->ndim != first->ndim ||
            memcmp(th_sizes(tensors[i]), th_sizes(first), (size_t)first->ndim * sizeof *sizes) != 0)
            return raise_sizes(fn, first, tensors[i], i, "equal sizes");
    return join(fn, out, tensors, n, dim, sizes, ndim, 1);
}
