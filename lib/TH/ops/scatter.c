/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing by index. */
#include "TH/index.h"

#include "TH/copy.h"
#include "core/index.h"
#include "core/iter.h"
#include "core/number.h"
#include "core/overlap.h"

#include <stddef.h>

static THStatus check_arguments(const char *fn, THTensor **out, const THTensor *x, const THTensor *index,
                                const THTensor *src, int32_t *dim, int32_t numbers) {
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = TH_check_input(fn, "index", index);
    if (status == TH_OK) status = TH_check_input(fn, "src", src);
    if (status == TH_OK) status = th_dim(dim, fn, *dim, x->ndim);
    if (status != TH_OK || x->dtype == src->dtype || (!src->ndim && x->ndim && numbers)) return status;
    th_text a, b;
    return TH_raisef(TH_E_TYPE, "%s: got src %s for x %s, want the same dtype", fn, th_tensor_text(a, src),
                     th_tensor_text(b, x));
}

/* index and src must lie apart from the output, which may be x itself. */
static THStatus begin(THTensor **result, const char *fn, THTensor **out, const THTensor *x, const THTensor *index,
                      const THTensor *src) {
    const THTensor *const apart[] = {index, src};
    if (*out) {
        const THStatus status = TH_output_begin(result, fn, out, x->dtype, th_sizes(x), x->ndim, 1, 1, &x, 1);
        if (status != TH_OK) return status;
        THTensor_free(*result);
    }
    return TH_output_begin(result, fn, out, x->dtype, th_sizes(x), x->ndim, 1, 0, apart, 2);
}

/* Adding and multiplying in float32, rounded once. */
static THStatus join_halves(int mode, THTensor *result, const THTensor *x, const THTensor *index, const THTensor *src,
                            int32_t dim, int32_t same) {
    THTensor *wide = NULL, *part = NULL;
    THStatus status = THTensor_to(&wide, x, TH_FLOAT32);
    if (status == TH_OK) status = THTensor_to(&part, src, TH_FLOAT32);
    if (status == TH_OK) {
        th_pick_run(mode, wide, part, index, dim, same);
        th_copy(result, wide);
    }
    THTensor_free(wide);
    THTensor_free(part);
    return status;
}

static THStatus put(const char *fn, int mode, THTensor **out, const THTensor *x, const THTensor *index,
                    const THTensor *src, int32_t dim, int32_t same) {
    THStatus status = th_pick_check_index(fn, index, dim, th_size_along(x, dim));
    THTensor *result;
    if (status == TH_OK) status = begin(&result, fn, out, x, index, src);
    if (status != TH_OK) return status;
    if (mode >= TH_PICK_ADD && th_compute_dtype(x->dtype) != x->dtype)
        return TH_output_end(result, out, join_halves(mode, result, x, index, src, dim, same));
    if (!th_same_geometry(result, x)) th_copy(result, x);
    th_pick_run(mode, result, src, index, dim, same);
    return TH_output_end(result, out, TH_OK);
}

/* A number for every entry of index, in x's dtype, if src is one; else src itself, retained. */
static THStatus spread(THTensor **out, const char *fn, const THTensor *x, const THTensor *index, const THTensor *src) {
    THTensor *cast = NULL;
    if (src->ndim || !x->ndim) {
        *out = THTensor_retain((THTensor *)src);
        return TH_OK;
    }
    if (TH_dtype_is_floating(src->dtype) && !TH_dtype_is_floating(x->dtype)) {
        th_text a, b;
        return TH_raisef(TH_E_TYPE, "%s: got src %s for x %s, want an integer", fn, th_tensor_text(a, src),
                         th_tensor_text(b, x));
    }
    THStatus status = th_check_element(fn, "src", src, x->dtype);
    if (status == TH_OK) status = THTensor_to(&cast, src, x->dtype);
    if (status == TH_OK) status = THTensor_expand(out, cast, th_sizes(index), index->ndim);
    THTensor_free(cast);
    return status;
}

static THStatus scatter_tensor(const char *fn, int mode, THTensor **out, const THTensor *x, int32_t dim,
                               const THTensor *index, const THTensor *src) {
    int fits = index->ndim == x->ndim && src->ndim == x->ndim;
    for (int32_t d = 0; d < x->ndim && fits; d++)
        fits = th_sizes(index)[d] <= th_sizes(src)[d] && (d == dim || th_sizes(index)[d] <= th_sizes(x)[d]);
    if (!fits) {
        th_text a, b, c;
        return TH_raisef(
            TH_E_SHAPE,
            "%s: got index %s and src %s for x %s, want as many dimensions, index none longer than src's or, "
            "but for dim %d, x's",
            fn, th_tensor_text(a, index), th_tensor_text(b, src), th_tensor_text(c, x), (int)dim);
    }
    return put(fn, mode, out, x, index, src, dim, 0);
}

static THStatus scatter(const char *fn, int mode, THTensor **out, const THTensor *x, int32_t dim, const THTensor *index,
                        const THTensor *src) {
    THTensor *part = NULL;
    THStatus status = check_arguments(fn, out, x, index, src, &dim, 1);
    if (status == TH_OK) status = spread(&part, fn, x, index, src);
    if (status == TH_OK) status = scatter_tensor(fn, mode, out, x, dim, index, part);
    THTensor_free(part);
    return status;
}

THStatus TH_scatter(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index, const THTensor *src) {
    return scatter("TH_scatter", TH_PICK_PUT, out, x, dim, index, src);
}

THStatus TH_scatter_add(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index, const THTensor *src) {
    return scatter("TH_scatter_add", TH_PICK_ADD, out, x, dim, index, src);
}

THStatus TH_scatter_mul(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index, const THTensor *src) {
    return scatter("TH_scatter_mul", TH_PICK_MUL, out, x, dim, index, src);
}

THStatus TH_index_add(THTensor **out, const THTensor *x, int32_t dim, const THTensor *index, const THTensor *src) {
    const char *fn = "TH_index_add";
    const THStatus status = check_arguments(fn, out, x, index, src, &dim, 0);
    if (status != TH_OK) return status;
    int fits = index->ndim <= 1 && src->ndim == x->ndim && th_size_along(src, dim) == index->numel;
    for (int32_t d = 0; d < x->ndim && fits; d++) fits = d == dim || th_sizes(src)[d] == th_sizes(x)[d];
    if (!fits) {
        th_text a, b, c;
        return TH_raisef(TH_E_SHAPE, "%s: got index %s and src %s for x %s, want src of x's sizes but %s along dim %d",
                         fn, th_tensor_text(a, index), th_tensor_text(b, src), th_tensor_text(c, x),
                         "as many entries as the 1-D index", (int)dim);
    }
    return put(fn, TH_PICK_ADD, out, x, index, src, dim, 1);
}
