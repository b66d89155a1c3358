/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/geometry.h"
#include "expr/sizes.h"

static THStatus raise_shapes(const char *fn, const THTensor *const *tensors, int32_t n) {
    char text[512];
    int64_t used = 0;
    text[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        if (!tensors[k]) continue;
        for (const char *c = used ? " and " : ""; *c && used < 500; c++) text[used++] = *c;
        used += THTensor_describe(tensors[k], text + used, (int64_t)sizeof text - used);
        if (used > 500) used = 500;
    }
    return TH_raisef(TH_E_SHAPE, "%s: got %s, want broadcastable sizes", fn, text);
}

THStatus th_broadcast(int64_t *sizes, int32_t *ndim, const char *fn, const THTensor *const *tensors, int32_t n) {
    int32_t most = 0;
    for (int32_t k = 0; k < n; k++)
        if (tensors[k] && tensors[k]->ndim > most) most = tensors[k]->ndim;
    for (int32_t d = 0; d < most; d++) sizes[d] = 1;
    for (int32_t k = 0; k < n; k++) {
        if (!tensors[k]) continue;
        const int64_t *own = th_sizes(tensors[k]);
        int64_t *aligned = sizes + (most - tensors[k]->ndim);
        for (int32_t d = 0; d < tensors[k]->ndim; d++) {
            if (own[d] == aligned[d] || own[d] == 1) continue;
            if (aligned[d] != 1) return raise_shapes(fn, tensors, n);
            aligned[d] = own[d];
        }
    }
    *ndim = most;
    return TH_OK;
}

int32_t th_broadcasts_to(const THTensor *t, const int64_t *sizes, int32_t ndim) {
    if (t->ndim > ndim) return 0;
    const int64_t *own = th_sizes(t), *aligned = sizes + (ndim - t->ndim);
    for (int32_t d = 0; d < t->ndim; d++)
        if (own[d] != 1 && own[d] != aligned[d]) return 0;
    return 1;
}

void th_geometry_begin(th_geometry *g, const int64_t *sizes, int32_t ndim) {
    g->ndim = ndim;
    g->n = 0;
    for (int32_t d = 0; d < ndim; d++) g->sizes[d] = sizes[ndim - 1 - d];
}

void th_geometry_add(th_geometry *g, const THTensor *t) {
    int64_t *strides = g->strides[g->n++], size = TH_dtype_size(t->dtype);
    for (int32_t d = 0; d < g->ndim; d++) {
        int32_t own = t->ndim - 1 - d;
        strides[d] = own >= 0 && th_sizes(t)[own] != 1 ? th_strides(t)[own] * size : 0;
    }
}

static void drop_ones(th_geometry *g) {
    int32_t kept = 0;
    for (int32_t d = 0; d < g->ndim; d++) {
        if (g->sizes[d] == 1) continue;
        g->sizes[kept] = g->sizes[d];
        for (int32_t k = 0; k < g->n; k++) g->strides[k][kept] = g->strides[k][d];
        kept++;
    }
    g->ndim = kept;
}

/* Whether dimension b should lie inside dimension a. */
static int belongs_inside(const th_geometry *g, int32_t a, int32_t b) {
    for (int32_t k = 0; k < g->n; k++) {
        int64_t sa = g->strides[k][a], sb = g->strides[k][b];
        if (sa && sb && sa != sb) return sb < sa;
    }
    return 0;
}

static void swap_dims(th_geometry *g, int32_t a, int32_t b) {
    int64_t t = g->sizes[a];
    g->sizes[a] = g->sizes[b];
    g->sizes[b] = t;
    for (int32_t k = 0; k < g->n; k++) {
        t = g->strides[k][a];
        g->strides[k][a] = g->strides[k][b];
        g->strides[k][b] = t;
    }
}

static int is_one_run(const th_geometry *g, int32_t inner, int32_t outer) {
    for (int32_t k = 0; k < g->n; k++)
        if (g->strides[k][inner] * g->sizes[inner] != g->strides[k][outer]) return 0;
    return 1;
}

void th_geometry_merge(th_geometry *g) {
    drop_ones(g);
    for (int32_t d = 1; d < g->ndim; d++)
        for (int32_t e = d; e > 0 && belongs_inside(g, e - 1, e); e--) swap_dims(g, e - 1, e);
    int32_t last = 0;
    for (int32_t d = 1; d < g->ndim; d++) {
        if (is_one_run(g, last, d)) {
            g->sizes[last] = th_size_mul(g->sizes[last], g->sizes[d]);
            continue;
        }
        last++;
        g->sizes[last] = g->sizes[d];
        for (int32_t k = 0; k < g->n; k++) g->strides[k][last] = g->strides[k][d];
    }
    if (!g->ndim) {
        g->sizes[0] = 1;
        for (int32_t k = 0; k < g->n; k++) g->strides[k][0] = 0;
    }
    g->ndim = last + 1;
}
