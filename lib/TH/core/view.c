/* SPDX-License-Identifier: BSD-3-Clause */
/* Other windows on the same storage. */
#include "TH/copy.h"
#include "core/tensor.h"
#include "expr/sizes.h"

#include <string.h>

typedef struct geometry {
    int64_t sizes[TH_MAX_DIM + 1], strides[TH_MAX_DIM + 1], offset;
    int32_t ndim;
} geometry;

static THStatus begin(geometry *g, const char *fn, THTensor **out, const THTensor *t) {
    if (!out || !t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "t" : "out");
    size_t bytes = (size_t)t->ndim * sizeof(int64_t);
    memcpy(g->sizes, th_sizes(t), bytes);
    memcpy(g->strides, th_strides(t), bytes);
    g->ndim = t->ndim;
    g->offset = t->offset;
    return TH_OK;
}

static THStatus end(THTensor **out, const THTensor *t, const geometry *g) {
    THTensor *view = th_tensor_make(t->storage, t->dtype, g->sizes, g->strides, g->ndim, g->offset);
    if (!view) return TH_E_MEMORY;
    *out = view;
    return TH_OK;
}

/* begin for functions of one dimension that must exist. */
static THStatus begin_dim(geometry *g, const char *fn, THTensor **out, const THTensor *t, int32_t *dim) {
    THStatus status = begin(g, fn, out, t);
    if (status != TH_OK) return status;
    if (t->ndim == 0)
        return TH_raisef(TH_E_INDEX, "%s: got dim %d of a 0-dim tensor, want at least one dimension", fn, (int)*dim);
    return th_dim(dim, fn, *dim, t->ndim);
}

static void erase(geometry *g, int32_t dim) {
    size_t bytes = (size_t)(--g->ndim - dim) * sizeof(int64_t);
    memmove(g->sizes + dim, g->sizes + dim + 1, bytes);
    memmove(g->strides + dim, g->strides + dim + 1, bytes);
}

static THStatus too_many(const char *fn) {
    return TH_raisef(TH_E_SHAPE, "%s: got a tensor of %d dimensions, want room for one more", fn, TH_MAX_DIM);
}

THStatus THTensor_alias(THTensor **out, const THTensor *t) {
    geometry g;
    THStatus status = begin(&g, "THTensor_alias", out, t);
    return status == TH_OK ? end(out, t, &g) : status;
}

THStatus THTensor_narrow(THTensor **out, const THTensor *t, int32_t dim, int64_t start, int64_t length) {
    geometry g;
    THStatus status = begin_dim(&g, "THTensor_narrow", out, t, &dim);
    if (status != TH_OK) return status;
    int64_t size = g.sizes[dim], from = start < 0 ? start + size : start;
    if (from < 0 || from > size || length < 0 || length > size - from) {
        th_text text;
        return TH_raisef(TH_E_INDEX,
                         "THTensor_narrow: got start %lld and length %lld, want a range inside dim %d of %s",
                         (long long)start, (long long)length, (int)dim, th_tensor_text(text, t));
    }
    if (t->numel > 0) g.offset += from * g.strides[dim];
    g.sizes[dim] = length;
    return end(out, t, &g);
}

/* A slice bound as Python reads it. */
static int64_t clamp_bound(int64_t i, int64_t size) {
    if (i < 0) i += size;
    return i < 0 ? 0 : i > size ? size : i;
}

THStatus THTensor_slice(THTensor **out, const THTensor *t, int32_t dim, int64_t start, int64_t end_, int64_t step) {
    geometry g;
    THStatus status = begin_dim(&g, "THTensor_slice", out, t, &dim);
    if (status != TH_OK) return status;
    if (step < 1) return TH_raisef(TH_E_ARG, "THTensor_slice: got step %lld, want at least 1", (long long)step);
    int64_t size = g.sizes[dim], lo = clamp_bound(start, size), hi = clamp_bound(end_, size);
    int64_t length = hi > lo ? (hi - lo - 1) / step + 1 : 0;
    if (length > 0 && t->numel > 0) g.offset += lo * g.strides[dim];
    /* with one element or none the stride is never used, and a huge step would overflow it */
    if (length > 1) g.strides[dim] *= step;
    g.sizes[dim] = length;
    return end(out, t, &g);
}

THStatus THTensor_select(THTensor **out, const THTensor *t, int32_t dim, int64_t index) {
    geometry g;
    THStatus status = begin_dim(&g, "THTensor_select", out, t, &dim);
    if (status != TH_OK) return status;
    int64_t size = g.sizes[dim], i = index < 0 ? index + size : index;
    if (i < 0 || i >= size) {
        th_text text;
        return TH_raisef(TH_E_INDEX, "THTensor_select: got index %lld, want one inside dim %d of %s%s",
                         (long long)index, (int)dim, th_tensor_text(text, t), size ? "" : ", which is empty");
    }
    if (t->numel > 0) g.offset += i * g.strides[dim];
    erase(&g, dim);
    return end(out, t, &g);
}

THStatus THTensor_transpose(THTensor **out, const THTensor *t, int32_t dim0, int32_t dim1) {
    geometry g;
    THStatus status = begin(&g, "THTensor_transpose", out, t);
    if (status == TH_OK) status = th_dim(&dim0, "THTensor_transpose", dim0, t->ndim);
    if (status == TH_OK) status = th_dim(&dim1, "THTensor_transpose", dim1, t->ndim);
    if (status != TH_OK) return status;
    if (t->ndim > 0) {
        g.sizes[dim0] = th_sizes(t)[dim1], g.strides[dim0] = th_strides(t)[dim1];
        g.sizes[dim1] = th_sizes(t)[dim0], g.strides[dim1] = th_strides(t)[dim0];
    }
    return end(out, t, &g);
}

THStatus THTensor_permute(THTensor **out, const THTensor *t, const int32_t *dims, int32_t ndims) {
    static const char fn[] = "THTensor_permute";
    geometry g;
    THStatus status = begin(&g, fn, out, t);
    if (status != TH_OK) return status;
    if (ndims != t->ndim) return TH_raisef(TH_E_SHAPE, "%s: got %d dims, want all %d", fn, (int)ndims, (int)t->ndim);
    if (!dims && ndims > 0) return TH_raisef(TH_E_ARG, "%s: dims is NULL", fn);
    uint64_t seen = 0;
    for (int32_t k = 0; k < ndims; k++) {
        int32_t from;
        if ((status = th_dim(&from, fn, dims[k], ndims)) != TH_OK) return status;
        if (seen >> from & 1) return TH_raisef(TH_E_ARG, "%s: got dim %d twice, want each once", fn, (int)from);
        seen |= UINT64_C(1) << from;
        g.sizes[k] = th_sizes(t)[from];
        g.strides[k] = th_strides(t)[from];
    }
    return end(out, t, &g);
}

THStatus THTensor_expand(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    static const char fn[] = "THTensor_expand";
    geometry g;
    int64_t numel;
    th_text have, want;
    THStatus status = begin(&g, fn, out, t);
    if (status != TH_OK) return status;
    if (!sizes && ndim > 0) return TH_raisef(TH_E_ARG, "%s: sizes is NULL", fn);
    if (ndim < t->ndim || ndim > TH_MAX_DIM)
        return TH_raisef(TH_E_SHAPE, "%s: got %d sizes for %s, want %d to %d", fn, (int)ndim, th_tensor_text(have, t),
                         (int)t->ndim, TH_MAX_DIM);
    int32_t added = ndim - t->ndim;
    for (int32_t k = 0; k < ndim; k++) {
        int64_t size = k < added ? 1 : th_sizes(t)[k - added], stride = k < added ? 0 : th_strides(t)[k - added];
        int keep = k >= added && (sizes[k] == -1 || sizes[k] == size);
        if (!keep && (size != 1 || sizes[k] < 0))
            return TH_raisef(TH_E_SHAPE, "%s: got sizes %s for %s, want its sizes where they are not 1", fn,
                             th_sizes_text(want, sizes, ndim), th_tensor_text(have, t));
        g.sizes[k] = keep ? size : sizes[k];
        g.strides[k] = keep ? stride : 0;
    }
    g.ndim = ndim;
    status = th_check_sizes(&numel, fn, t->dtype, g.sizes, ndim);
    return status == TH_OK ? end(out, t, &g) : status;
}

/* ---- other sizes ---- */

/* Replaces one -1 and checks the number of elements. */
static THStatus infer_sizes(int64_t *full, const char *fn, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    th_text have, want;
    if (ndim < 0 || ndim > TH_MAX_DIM)
        return TH_raisef(TH_E_SHAPE, "%s: got %d sizes, want 0 to %d", fn, (int)ndim, TH_MAX_DIM);
    if (!sizes && ndim > 0) return TH_raisef(TH_E_ARG, "%s: sizes is NULL", fn);
    int64_t known = 1, zero = 0;
    int32_t open = -1, bad = 0;
    for (int32_t k = 0; k < ndim; k++) {
        full[k] = sizes[k];
        if (sizes[k] == -1 && open < 0)
            open = k;
        else if (sizes[k] < 0)
            bad = 1;
        else if (sizes[k] == 0)
            zero = 1;
        else
            bad |= __builtin_mul_overflow(known, sizes[k], &known);
    }
    if (zero && !bad) known = 0;
    if (open >= 0 && !bad) {
        bad = known == 0 || t->numel % known != 0;
        full[open] = bad ? -1 : t->numel / known;
    }
    if (bad || (open < 0 && known != t->numel))
        return TH_raisef(TH_E_SHAPE, "%s: got sizes %s for %s, want %lld elements%s", fn,
                         th_sizes_text(want, sizes, ndim), th_tensor_text(have, t), (long long)t->numel,
                         open >= 0 && zero ? " (-1 beside 0 could be anything)" : "");
    return TH_OK;
}

/* Strides of t's elements in other sizes of the same product; 0 if there are none. Both lists are walked from the end:
   t's dimensions are gathered into chunks that lie evenly in memory, and the new sizes must fill each chunk exactly. */
static int view_strides(int64_t *strides, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    const int64_t *old_sizes = th_sizes(t), *old_strides = th_strides(t);
    int32_t k = ndim - 1;
    int64_t step = 1, chunk = 1;
    for (int32_t i = t->ndim - 1; i >= 0; i--) {
        if (chunk == 1) step = old_strides[i];
        chunk = th_size_mul(chunk, old_sizes[i]);
        int joined = i > 0 && (old_sizes[i - 1] == 1 || old_strides[i - 1] == chunk * step);
        if (joined) continue;
        int64_t filled = 1;
        for (; k >= 0 && (filled < chunk || sizes[k] == 1); k--) {
            strides[k] = filled * step;
            filled = th_size_mul(filled, sizes[k]);
        }
        if (filled != chunk) return 0;
        chunk = 1;
    }
    for (; k >= 0; k--) strides[k] = 1; /* a 0-dim tensor seen as [1, ..., 1] */
    return 1;
}

/* *fits = 0 where a copy would be needed. */
static THStatus try_view(THTensor **out, int *fits, const char *fn, const THTensor *t, const int64_t *sizes,
                         int32_t ndim) {
    int64_t strides[TH_MAX_DIM], numel;
    THStatus status = th_check_sizes(&numel, fn, t->dtype, sizes, ndim);
    if (status != TH_OK) return status;
    *fits = t->contiguous || view_strides(strides, t, sizes, ndim);
    if (!*fits) return TH_OK;
    THTensor *view = th_tensor_make(t->storage, t->dtype, sizes, t->contiguous ? NULL : strides, ndim, t->offset);
    if (!view) return TH_E_MEMORY;
    *out = view;
    return TH_OK;
}

THStatus THTensor_view(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    static const char fn[] = "THTensor_view";
    if (!out || !t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "t" : "out");
    int64_t full[TH_MAX_DIM];
    int fits = 1;
    THStatus status = infer_sizes(full, fn, t, sizes, ndim);
    if (status == TH_OK) status = try_view(out, &fits, fn, t, full, ndim);
    if (status == TH_OK && !fits) {
        th_text have, old, want;
        status = TH_raisef(TH_E_SHAPE, "%s: got sizes %s for %s with strides %s, want sizes that need no copy", fn,
                           th_sizes_text(want, full, ndim), th_tensor_text(have, t),
                           th_sizes_text(old, th_strides(t), t->ndim));
    }
    return status;
}

static THStatus reshape(THTensor **out, const char *fn, const THTensor *t, const int64_t *full, int32_t ndim) {
    int fits = 1;
    THStatus status = try_view(out, &fits, fn, t, full, ndim);
    if (status != TH_OK || fits) return status;
    THTensor *copy = NULL;
    status = THTensor_contiguous(&copy, t);
    if (status == TH_OK) status = try_view(out, &fits, fn, copy, full, ndim);
    THTensor_free(copy);
    return status;
}

THStatus THTensor_reshape(THTensor **out, const THTensor *t, const int64_t *sizes, int32_t ndim) {
    static const char fn[] = "THTensor_reshape";
    if (!out || !t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "t" : "out");
    int64_t full[TH_MAX_DIM];
    THStatus status = infer_sizes(full, fn, t, sizes, ndim);
    return status == TH_OK ? reshape(out, fn, t, full, ndim) : status;
}

THStatus THTensor_flatten(THTensor **out, const THTensor *t, int32_t start_dim, int32_t end_dim) {
    static const char fn[] = "THTensor_flatten";
    geometry g;
    int32_t first, last;
    th_text text;
    THStatus status = begin(&g, fn, out, t);
    if (status == TH_OK) status = th_dim(&first, fn, start_dim, t->ndim);
    if (status == TH_OK) status = th_dim(&last, fn, end_dim, t->ndim);
    if (status != TH_OK) return status;
    if (first > last)
        return TH_raisef(TH_E_ARG, "%s: got dims %d to %d of %s, want them in order", fn, (int)start_dim, (int)end_dim,
                         th_tensor_text(text, t));
    if (t->ndim == 0) return reshape(out, fn, t, (const int64_t[]){1}, 1);
    for (; last > first; last--) {
        g.sizes[first] = th_size_mul(g.sizes[first], g.sizes[first + 1]);
        erase(&g, first + 1);
    }
    return reshape(out, fn, t, g.sizes, g.ndim);
}

/* ---- dimensions of size 1, windows, diagonals ---- */

THStatus THTensor_squeeze(THTensor **out, const THTensor *t) {
    geometry g;
    THStatus status = begin(&g, "THTensor_squeeze", out, t);
    if (status != TH_OK) return status;
    for (int32_t k = g.ndim - 1; k >= 0; k--)
        if (g.sizes[k] == 1) erase(&g, k);
    return end(out, t, &g);
}

THStatus THTensor_squeeze_dim(THTensor **out, const THTensor *t, int32_t dim) {
    geometry g;
    THStatus status = begin(&g, "THTensor_squeeze_dim", out, t);
    if (status == TH_OK) status = th_dim(&dim, "THTensor_squeeze_dim", dim, t->ndim);
    if (status != TH_OK) return status;
    if (t->ndim > 0 && g.sizes[dim] == 1) erase(&g, dim);
    return end(out, t, &g);
}

/* Makes room for a dimension before `dim`. */
static void insert(geometry *g, int32_t dim, int64_t size, int64_t stride) {
    size_t bytes = (size_t)(g->ndim++ - dim) * sizeof(int64_t);
    memmove(g->sizes + dim + 1, g->sizes + dim, bytes);
    memmove(g->strides + dim + 1, g->strides + dim, bytes);
    g->sizes[dim] = size;
    g->strides[dim] = stride;
}

THStatus THTensor_unsqueeze(THTensor **out, const THTensor *t, int32_t dim) {
    static const char fn[] = "THTensor_unsqueeze";
    geometry g;
    THStatus status = begin(&g, fn, out, t);
    if (status != TH_OK) return status;
    if (t->ndim == TH_MAX_DIM) return too_many(fn);
    if ((status = th_dim(&dim, fn, dim, t->ndim + 1)) != TH_OK) return status;
    /* the stride that keeps a contiguous tensor's strides row-major */
    int64_t stride = 1;
    if (dim < t->ndim) stride = g.strides[dim] * (g.sizes[dim] > 1 ? g.sizes[dim] : 1);
    insert(&g, dim, 1, stride);
    return end(out, t, &g);
}

THStatus THTensor_unfold(THTensor **out, const THTensor *t, int32_t dim, int64_t size, int64_t step) {
    static const char fn[] = "THTensor_unfold";
    geometry g;
    th_text text;
    THStatus status = begin(&g, fn, out, t);
    if (status == TH_OK) status = th_dim(&dim, fn, dim, t->ndim);
    if (status != TH_OK) return status;
    if (t->ndim == TH_MAX_DIM) return too_many(fn);
    const int number = t->ndim == 0; /* has as many elements as its window */
    if (number) insert(&g, 0, 1, 1);
    if (step < 1) return TH_raisef(TH_E_ARG, "%s: got step %lld, want at least 1", fn, (long long)step);
    if (size < 0 || size > g.sizes[dim])
        return TH_raisef(TH_E_ARG, "%s: got windows of %lld along dim %d of %s, want 0 to %lld", fn, (long long)size,
                         (int)dim, th_tensor_text(text, t), (long long)g.sizes[dim]);
    int64_t windows = (g.sizes[dim] - size) / step + 1, stride = g.strides[dim], numel;
    g.sizes[dim] = number ? size : windows;
    if (windows > 1) g.strides[dim] = stride * step;
    if (!number) insert(&g, g.ndim, size, stride);
    status = th_check_sizes(&numel, fn, t->dtype, g.sizes, g.ndim);
    return status == TH_OK ? end(out, t, &g) : status;
}

THStatus THTensor_diagonal(THTensor **out, const THTensor *t, int64_t offset, int32_t dim0, int32_t dim1) {
    static const char fn[] = "THTensor_diagonal";
    geometry g;
    th_text text;
    THStatus status = begin(&g, fn, out, t);
    if (status != TH_OK) return status;
    if (t->ndim < 2)
        return TH_raisef(TH_E_SHAPE, "%s: got %s, want at least two dimensions", fn, th_tensor_text(text, t));
    if ((status = th_dim(&dim0, fn, dim0, t->ndim)) != TH_OK) return status;
    if ((status = th_dim(&dim1, fn, dim1, t->ndim)) != TH_OK) return status;
    if (dim0 == dim1) return TH_raisef(TH_E_ARG, "%s: got dim %d twice, want two dims", fn, (int)dim0);
    int64_t rows = g.sizes[dim0], columns = g.sizes[dim1], length = 0;
    if (offset >= 0 && offset < columns) length = columns - offset < rows ? columns - offset : rows;
    if (offset < 0 && offset > -rows) length = rows + offset < columns ? rows + offset : columns;
    int64_t stride = g.strides[dim0] + g.strides[dim1];
    if (length > 0 && t->numel > 0) g.offset += offset >= 0 ? offset * g.strides[dim1] : -offset * g.strides[dim0];
    erase(&g, dim0 > dim1 ? dim0 : dim1);
    erase(&g, dim0 > dim1 ? dim1 : dim0);
    insert(&g, g.ndim, length, stride);
    return end(out, t, &g);
}
