/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution by im2col: the windows of a strip of output lines, or of a piece of one, become the columns of a matrix.
   Strips are cut so that the matrix stays in the cache; sizes alone decide how, so that bits do not depend on threads.
 */
#include <string.h>

#include "TH/memory.h"
#include "TH/runtime.h"
#include "TH/sys.h"
#include "core/conv.h"
#include "expr/sizes.h"
#include "kernels/conv.h"

#define TH_TABLE thnn_conv
#include "expr/tables.inc"

enum {
    STRIP = 1 << 16, /* elements of a strip's matrix: 256 KB of float32 */
    LINE = 4 * STRIP /* elements of one line's matrix from which the line is cut */
};
enum { GRAIN = 1 << 17 }; /* multiply-adds worth handing to a thread */

typedef struct gemm_work {
    const thnn_conv *g;
    thnn_conv_args args;
    const thnn_conv_kernels *kernels;
    THDtype dtype;
    int64_t size;                      /* bytes of an element */
    int64_t taps, ld;                  /* rows of a strip's matrix, and at least 1 */
    int64_t x_plane, y_plane, weights; /* elements of a channel and of the whole weight */
    int64_t lines, width;              /* a strip: so many output lines, or so many windows of one */
    int64_t across, strips, columns;   /* strips side by side; all strips; elements of a strip's matrix */
    int direct;                        /* the channels themselves are the matrix */
    int64_t parts, part_images;        /* see thnn_conv_part */
    int64_t slots, slot_bytes;         /* scratch memory for so many pieces at a time */
    int32_t *busy;                     /* by slot, atomic */
    char *scratch, *partial;           /* partial: all parts but the first, which is the result itself */
} gemm_work;

/* ---- scratch memory ---- */

/* No more pieces run at a time than there are slots, unless the number of threads is being changed; then some wait. */
static int64_t acquire(gemm_work *w) {
    for (int64_t i = 0;; i = (i + 1) % w->slots) {
        int32_t expected = 0;
        if (__atomic_compare_exchange_n(&w->busy[i], &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return i;
    }
}

static void release(gemm_work *w, int64_t slot) { __atomic_store_n(&w->busy[slot], 0, __ATOMIC_RELEASE); }

/* ---- pieces ---- */

static char *at(const gemm_work *w, void *base, int64_t element) { return (char *)base + element * w->size; }

static char *x_of(const gemm_work *w, int64_t image, int64_t group) {
    return at(w, w->args.x, (image * w->g->groups + group) * w->g->c * w->x_plane);
}

static char *y_of(const gemm_work *w, int64_t image, int64_t group) {
    return at(w, w->args.y, (image * w->g->groups + group) * w->g->k * w->y_plane);
}

static char *weight_of(const gemm_work *w, int64_t group) { return at(w, w->args.weight, group * w->g->k * w->taps); }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static thnn_conv_strip strip_of(const gemm_work *w, int64_t strip) {
    const thnn_axis *a = w->g->axes;
    int64_t lo = strip / w->across * w->lines, from = strip % w->across * w->width;
    return (thnn_conv_strip){a,    w->g->c,
                             lo,   smaller(lo + w->lines, th_size_mul(a[0].out, a[1].out)),
                             from, smaller(from + w->width, a[2].out)};
}

static int64_t strip_first(const gemm_work *w, const thnn_conv_strip *s) { return s->lo * w->g->axes[2].out + s->from; }
static int64_t strip_size(const thnn_conv_strip *s) { return th_size_mul(s->hi - s->lo, s->to - s->from); }

static void forward(void *arg, int64_t lo, int64_t hi) {
    gemm_work *w = arg;
    int64_t slot = acquire(w), ld_y = w->y_plane;
    for (int64_t i = lo; i < hi; i++) {
        int64_t group = i / w->strips % w->g->groups, image = i / w->strips / w->g->groups;
        thnn_conv_strip s = strip_of(w, i % w->strips);
        int64_t first = strip_first(w, &s), n = strip_size(&s);
        char *y = at(w, y_of(w, image, group), first), *columns = w->scratch + slot * w->slot_bytes;
        for (int64_t k = 0; w->args.bias && k < w->g->k; k++)
            w->kernels->fill(at(w, y, k * ld_y), (const char *)w->args.bias + (group * w->g->k + k) * w->size, n);
        if (w->direct)
            columns = at(w, x_of(w, image, group), first);
        else
            w->kernels->unfold(&s, x_of(w, image, group), columns);
        TH_gemm(w->dtype, 0, 0, w->g->k, n, w->taps, weight_of(w, group), w->ld, columns, w->direct ? w->x_plane : n,
                w->args.bias ? 1 : 0, y, ld_y);
    }
    release(w, slot);
}

static void backward_input(void *arg, int64_t lo, int64_t hi) {
    gemm_work *w = arg;
    int64_t slot = acquire(w);
    for (int64_t i = lo; i < hi; i++) {
        int64_t group = i % w->g->groups, image = i / w->g->groups;
        char *x = x_of(w, image, group), *columns = w->scratch + slot * w->slot_bytes;
        if (!w->direct) memset(x, 0, (size_t)(w->g->c * w->x_plane * w->size));
        for (int64_t strip = 0; strip < w->strips; strip++) {
            thnn_conv_strip s = strip_of(w, strip);
            int64_t first = strip_first(w, &s), n = strip_size(&s);
            char *to = w->direct ? at(w, x, first) : columns;
            TH_gemm(w->dtype, 1, 0, w->taps, n, w->g->k, weight_of(w, group), w->ld,
                    at(w, y_of(w, image, group), first), w->y_plane, 0, to, w->direct ? w->x_plane : n);
            if (!w->direct) w->kernels->fold(&s, columns, x);
        }
    }
    release(w, slot);
}

/* One part of one group: its images in turn. */
static void backward_weight(void *arg, int64_t lo, int64_t hi) {
    gemm_work *w = arg;
    int64_t slot = acquire(w), weights = th_size_mul(w->g->k, w->taps);
    for (int64_t i = lo; i < hi; i++) {
        int64_t group = i % w->g->groups, first_image = i / w->g->groups * w->part_images;
        int64_t end = first_image + w->part_images < w->g->images ? first_image + w->part_images : w->g->images;
        char *sum = i < w->g->groups ? weight_of(w, i) : at(w, w->partial, (i - w->g->groups) * weights);
        memset(sum, 0, (size_t)(weights * w->size));
        for (int64_t j = first_image * w->strips; j < end * w->strips; j++) {
            thnn_conv_strip s = strip_of(w, j % w->strips);
            int64_t image = j / w->strips, first = strip_first(w, &s), n = strip_size(&s);
            char *columns = w->scratch + slot * w->slot_bytes;
            if (w->direct)
                columns = at(w, x_of(w, image, group), first);
            else
                w->kernels->unfold(&s, x_of(w, image, group), columns);
            TH_gemm(w->dtype, 0, 1, w->g->k, w->taps, n, at(w, y_of(w, image, group), first), w->y_plane, columns,
                    w->direct ? w->x_plane : n, 1, sum, w->ld);
        }
    }
    release(w, slot);
}

static void add_parts(void *arg, int64_t lo, int64_t hi) {
    gemm_work *w = arg;
    for (int64_t p = 0; p < w->parts - 1; p++)
        w->kernels->add(at(w, w->args.weight, lo), at(w, w->partial, p * w->weights + lo), hi - lo);
}

/* ---- the whole ---- */

static int64_t whole(int64_t n, int64_t piece) { return n > 0 ? (n - 1) / piece + 1 : 0; }

/* Bytes in whole cache lines. */
static int64_t cache_lines(int64_t bytes) { return th_size_mul(whole(bytes, 64), 64); }

/* The product of one number of each axis. */
#define OVER_AXES(g, field) th_size_mul(th_size_mul((g)->axes[0].field, (g)->axes[1].field), (g)->axes[2].field)

static gemm_work plan(THDtype dtype, const thnn_conv *g, const thnn_conv_args *args) {
    gemm_work w = {.g = g, .args = *args, .dtype = dtype, .size = TH_dtype_size(dtype), .direct = 1};
    w.kernels = &tables[TH_isa_index()]->of[dtype];
    w.taps = th_size_mul(g->c, OVER_AXES(g, kernel));
    w.ld = larger(w.taps, 1);
    w.x_plane = OVER_AXES(g, in);
    w.y_plane = OVER_AXES(g, out);
    for (int d = 0; d < THNN_AXES_MAX; d++)
        w.direct = w.direct && g->axes[d].kernel == 1 && g->axes[d].stride == 1 && g->axes[d].padding == 0 &&
                   g->axes[d].in == g->axes[d].out;
    int64_t out = g->axes[2].out, lines = w.y_plane / out, line = th_size_mul(w.ld, out);
    w.width = line > LINE ? smaller(larger(LINE / w.ld, 16), out) : out;
    w.lines = line > LINE ? 1 : smaller(larger(STRIP / line, 1), lines);
    w.across = whole(out, w.width);
    w.strips = th_size_mul(w.across, whole(lines, w.lines));
    w.columns = w.direct ? 0 : th_size_mul(w.ld, th_size_mul(w.width, w.lines));
    w.weights = th_size_mul(th_size_mul(g->groups, g->k), w.taps);
    w.part_images = thnn_conv_part(g->images, w.weights);
    w.parts = whole(g->images, w.part_images);
    return w;
}

static THStatus run(gemm_work *w, int64_t pieces, double cost, void (*body)(void *, int64_t, int64_t)) {
    w->slots = smaller(TH_team(), larger(pieces, 1));
    w->slot_bytes = cache_lines(th_size_mul(w->columns, w->size));
    int64_t flags = cache_lines(th_size_mul(w->slots, sizeof *w->busy));
    int64_t partial =
        body == backward_weight ? th_size_mul(larger(w->parts - 1, 0), th_size_mul(w->weights, w->size)) : 0;
    int64_t bytes = th_size_add(th_size_add(flags, th_size_mul(w->slots, w->slot_bytes)), partial);
    char *memory = TH_alloc(bytes);
    if (!memory) return TH_E_MEMORY;
    w->busy = (int32_t *)(void *)memory;
    memset(w->busy, 0, (size_t)flags);
    w->scratch = memory + flags;
    w->partial = w->scratch + w->slots * w->slot_bytes;
    TH_parallel(pieces, (int64_t)(GRAIN / (cost + 1)), body, w);
    if (partial > 0) TH_parallel(w->weights, GRAIN / w->parts, add_parts, w);
    TH_free(memory, bytes);
    return TH_OK;
}

THStatus thnn_conv_gemm(const char *fn, THDtype dtype, const thnn_conv *g, const thnn_conv_args *args) {
    gemm_work w = plan(dtype, g, args);
    if (g->images == 0 || g->k == 0) { /* no products */
        if (g->kind == THNN_CONV_BACKWARD_INPUT)
            memset(args->x, 0, (size_t)(g->images * g->groups * g->c * w.x_plane * w.size));
        if (g->kind == THNN_CONV_BACKWARD_WEIGHT) memset(args->weight, 0, (size_t)(w.weights * w.size));
        return TH_OK;
    }
    if (larger(larger(w.taps, g->k), larger(w.x_plane, w.y_plane)) > THNN_WINDOW_MAX)
        return TH_raisef(TH_E_UNSUPPORTED, "%s: got planes or windows of 2^31 elements or more, want fewer", fn);
    int64_t pairs = th_size_mul(g->images, g->groups);
    double cost = (double)w.taps * (double)g->k * (double)w.y_plane;
    if (g->kind == THNN_CONV_FORWARD) return run(&w, pairs * w.strips, cost / (double)w.strips, forward);
    if (g->kind == THNN_CONV_BACKWARD_INPUT) return run(&w, pairs, cost, backward_input);
    return run(&w, w.parts * g->groups, cost * (double)w.part_images, backward_weight);
}
