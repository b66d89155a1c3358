/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading by index. */
#include "TH/index.h"
#include "core/index.h"

#include <string.h>

static THStatus check_arguments(const char *fn, THTensor **out, const THTensor *x, const THTensor *index,
                                int32_t *dim) {
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = TH_check_input(fn, "index", index);
    return status == TH_OK ? th_dim(dim, fn, *dim, x->ndim) : status;
}

/* part = x[index] for a part of the given sizes. */
static THStatus get(const char *fn, THTensor **out, const THTensor *x, const THTensor *index, int32_t dim, int32_t same,
                    const int64_t *sizes) {
    THStatus status = th_pick_check_index(fn, index, dim, th_size_along(x, dim));
    if (status != TH_OK) return status;
    THTensor *result;
    const THTensor *const inputs[] = {x, index};
    status = TH_output_begin(&result, fn, out, x->dtype, sizes, x->ndim, 1, 0, inputs, 2);
    if (status != TH_OK) return status;
    th_pick_run(TH_PICK_GET, x, result, index, dim, same);
    return TH_output_end(result, out, TH_OK);
}

THStatus TH_index_select(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index) {
    const char *fn = "TH_index_select";
    const THStatus status = check_arguments(fn, out, x, index, &dim);
    if (status != TH_OK) return status;
    if (index->ndim > 1 || (!x->ndim && index->numel != 1)) {
        th_text a, b;
        return TH_raisef(TH_E_SHAPE, "%s: got index %s for x %s, want at most 1 dimension%s", fn,
                         th_tensor_text(a, index), th_tensor_text(b, x), x->ndim ? "" : " and one entry");
    }
    int64_t sizes[TH_MAX_DIM];
    memcpy(sizes, th_sizes(x), (size_t)x->ndim * sizeof *sizes);
    if (x->ndim) sizes[dim] = index->numel;
    return get(fn, out, x, index, dim, 1, sizes);
}

THStatus TH_gather(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index) {
    const char *fn = "TH_gather";
    const THStatus status = check_arguments(fn, out, x, index, &dim);
    if (status != TH_OK) return status;
    int fits = index->ndim == x->ndim;
    for (int32_t d = 0; d < x->ndim && fits; d++) fits = d == dim || th_sizes(index)[d] <= th_sizes(x)[d];
    if (!fits) {
        th_text a, b;
        return TH_raisef(TH_E_SHAPE, "%s: got index %s for x %s, want as many dimensions, none but dim %d longer", fn,
                         th_tensor_text(a, index), th_tensor_text(b, x), (int)dim);
    }
    return get(fn, out, x, index, dim, 0, th_sizes(index));
}
