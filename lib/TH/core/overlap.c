/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/overlap.h"
#include "core/tensor.h"

#include <string.h>

/* The dimensions that move, in bytes, widest stride first; `width`: of one element. */
typedef struct window {
    int64_t size[TH_MAX_DIM], stride[TH_MAX_DIM], width;
    int32_t n;
} window;

static void window_of(window *w, const THTensor *t) {
    w->width = TH_dtype_size(t->dtype);
    w->n = 0;
    for (int32_t k = 0; k < t->ndim; k++) {
        int64_t size = th_sizes(t)[k], stride = th_strides(t)[k] * w->width;
        if (size <= 1) continue;
        int32_t i = w->n++;
        for (; i > 0 && w->stride[i - 1] < stride; i--) {
            w->size[i] = w->size[i - 1];
            w->stride[i] = w->stride[i - 1];
        }
        w->size[i] = size;
        w->stride[i] = stride;
    }
}

/* Bytes from the first element's start to the last one's end. */
static int64_t extent(const window *w) {
    int64_t n = w->width;
    for (int32_t i = 0; i < w->n; i++) n += (w->size[i] - 1) * w->stride[i];
    return n;
}

int32_t THTensor_overlaps_itself(const THTensor *t) {
    if (!t || t->contiguous) return 0;
    window w;
    window_of(&w, t);
    int64_t reach = w.width;
    for (int32_t i = w.n - 1; i >= 0; i--) {
        if (w.stride[i] < reach) return 1;
        reach += (w.size[i] - 1) * w.stride[i];
    }
    return 0;
}

static void drop_multiples(window *w, int64_t of) {
    int32_t kept = 0;
    for (int32_t i = 0; i < w->n; i++) {
        if (w->stride[i] % of == 0) continue;
        w->size[kept] = w->size[i];
        w->stride[kept++] = w->stride[i];
    }
    w->n = kept;
}

/* Takes the widest stride m of both: modulo m, the dimensions that are multiples of it vanish, and what remains of a
   and b are two windows on a circle of m bytes. If those are apart, so are a and b. If neither wraps around, elements
   can only meet within one period, and the question is the same without these dimensions. `at`: b's first byte minus
   a's. */
static int interleaved_apart(window *a, window *b, int64_t at) {
    while (a->n > 0 || b->n > 0) {
        int64_t m = a->n > 0 ? a->stride[0] : 0;
        if (b->n > 0 && b->stride[0] > m) m = b->stride[0];
        if (m == 0) break;
        drop_multiples(a, m);
        drop_multiples(b, m);
        int64_t wide_a = extent(a), wide_b = extent(b), r = (at % m + m) % m;
        if (wide_a <= r && r + wide_b <= m) return 1;
        if (wide_a <= m && r + wide_b <= m)
            at = r;
        else if (wide_b <= m && m - r + wide_a <= m)
            at = r - m;
        else
            return 0;
    }
    return at >= a->width || -at >= b->width;
}

/* As extent, without sorting. */
static int64_t span(const THTensor *t) {
    int64_t n = 1;
    if (t->contiguous) return t->numel * TH_dtype_size(t->dtype);
    for (int32_t k = 0; k < t->ndim; k++) n += (th_sizes(t)[k] - 1) * th_strides(t)[k];
    return n * TH_dtype_size(t->dtype);
}

int th_overlap(const THTensor *a, const THTensor *b) {
    if (a->numel == 0 || b->numel == 0 || a->storage->device != b->storage->device) return 0;
    uintptr_t pa = (uintptr_t)a->data, pb = (uintptr_t)b->data;
    if (pa + (uintptr_t)span(a) <= pb || pb + (uintptr_t)span(b) <= pa) return 0;
    if (a->contiguous && b->contiguous) return 1;
    window wa, wb;
    window_of(&wa, a);
    window_of(&wb, b);
    return !interleaved_apart(&wa, &wb, (int64_t)(pb - pa));
}

int th_same_geometry(const THTensor *a, const THTensor *b) {
    if (a->data != b->data || a->dtype != b->dtype || a->ndim != b->ndim) return 0;
    for (int32_t k = 0; k < a->ndim; k++) {
        if (th_sizes(a)[k] != th_sizes(b)[k]) return 0;
        if (th_sizes(a)[k] > 1 && th_strides(a)[k] != th_strides(b)[k]) return 0;
    }
    return 1;
}
