/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/iter.h"
#include "expr/sizes.h"

#include <stddef.h>

enum {
    BLOCK = 512,   /* elements that are gathered or cast at once */
    CHUNK = 32768, /* elements that are worth a thread, and the longest run */
    ROW = 64,      /* a row this long goes to the kernel by itself */
    TILE = 32      /* edge of a block where operands run along different dimensions */
};

typedef struct buffers {
    _Alignas(64) char computed[TH_OPERANDS_MAX][BLOCK * TH_ELEMENT_MAX];
    _Alignas(64) char gathered[BLOCK * TH_ELEMENT_MAX];
} buffers;

void th_iter_begin(th_iter *it, int32_t outputs, const int64_t *sizes, int32_t ndim) {
    th_geometry_begin(&it->space, sizes, ndim);
    it->outputs = outputs;
}

void th_iter_add(th_iter *it, const THTensor *t, THDtype computed) {
    th_iter_operand *o = &it->operand[it->space.n];
    o->data = t->data;
    o->stored = t->dtype;
    o->computed = computed;
    o->stored_size = TH_dtype_size(t->dtype);
    o->computed_size = TH_dtype_size(computed);
    th_geometry_add(&it->space, t);
}

/* ---- one block: rows n[1] of n[0] elements ---- */

static int stays(const th_iter *it, int32_t k, const int64_t *n) {
    const int64_t *s = it->space.strides[k];
    return k >= it->outputs && (n[0] == 1 || !s[0]) && (n[1] == 1 || !s[1]);
}

static int is_run(const th_iter *it, int32_t k, const int64_t *n) {
    const int64_t *s = it->space.strides[k], size = it->operand[k].stored_size;
    return (n[0] == 1 || s[0] == size) && (n[1] == 1 || s[1] == n[0] * size);
}

static void gather(const th_iter *it, int32_t k, void *dst, const char *src, const int64_t *n) {
    const int64_t *s = it->space.strides[k], size = it->operand[k].stored_size;
    const th_move m = {dst, src, {n[0], n[1]}, {size, n[0] * size}, {s[0], it->space.ndim > 1 ? s[1] : 0}};
    th_copy_table()->move[th_log2_size(size)](&m);
}

static void scatter(const th_iter *it, char *dst, const void *src, const int64_t *n) {
    const int64_t *s = it->space.strides[0], size = it->operand[0].stored_size;
    const th_move m = {dst, src, {n[0], n[1]}, {s[0], it->space.ndim > 1 ? s[1] : 0}, {size, n[0] * size}};
    th_copy_table()->move[th_log2_size(size)](&m);
}

/* Operand k's elements as the kernel wants them: where they lie, or in a buffer. */
static void *bring(const th_iter *it, int32_t k, char *at, const int64_t *n, buffers *b) {
    const th_iter_operand *o = &it->operand[k];
    const int64_t one[2] = {1, 1};
    if (stays(it, k, n)) n = one;
    if (o->stored == o->computed) {
        if (is_run(it, k, n)) return at;
        gather(it, k, b->computed[k], at, n);
        return b->computed[k];
    }
    const void *run = at;
    if (!is_run(it, k, n)) {
        gather(it, k, b->gathered, at, n);
        run = b->gathered;
    }
    th_cast(b->computed[k], o->computed, run, o->stored, n[0] * n[1]);
    return b->computed[k];
}

static void deliver(const th_iter *it, char *at, const int64_t *n, buffers *b) {
    const th_iter_operand *o = &it->operand[0];
    const void *run = b->computed[0];
    if (o->stored != o->computed) {
        void *cast = is_run(it, 0, n) ? at : b->gathered;
        th_cast(cast, o->stored, run, o->computed, n[0] * n[1]);
        run = cast;
    }
    if (run != at) scatter(it, at, run, n);
}

static void run_block(const th_iter *it, char *const *at, const int64_t *n, buffers *b) {
    void *p[TH_OPERANDS_MAX];
    int64_t step[TH_OPERANDS_MAX] = {1}, moving = 0, count = th_size_mul(n[0], n[1]);
    const int direct = it->outputs && it->operand[0].stored == it->operand[0].computed && is_run(it, 0, n);
    if (it->outputs) p[0] = direct ? at[0] : b->computed[0];
    for (int32_t k = it->outputs; k < it->space.n; k++) {
        p[k] = bring(it, k, at[k], n, b);
        step[k] = !stays(it, k, n);
        moving += step[k];
    }
    if (moving || count == 1) {
        it->kernel(p, step, count, it->param);
    } else { /* one value for the whole block */
        for (int32_t k = it->outputs; k < it->space.n; k++) step[k] = 1;
        it->kernel(p, step, 1, it->param);
        if (it->outputs) th_copy_table()->fill[th_log2_size(it->operand[0].computed_size)](p[0], p[0], count);
    }
    if (it->outputs && !direct) deliver(it, at[0], n, b);
}

static void move_block(const th_iter *it, char *const *at, const int64_t *n) {
    const int64_t *d = it->space.strides[0], *s = it->space.strides[1];
    const int rows = it->space.ndim > 1;
    const th_move m = {at[0], at[1], {n[0], n[1]}, {d[0], rows ? d[1] : 0}, {s[0], rows ? s[1] : 0}};
    th_copy_table()->move[th_log2_size(it->operand[0].stored_size)](&m);
}

static void cast_kernel(void *const *p, const int64_t *step, int64_t n, const void *param) {
    const THDtype *dtypes = param;
    (void)step;
    th_cast(p[0], dtypes[0], p[1], dtypes[1], n);
}

/* ---- all blocks ---- */

typedef struct cursor {
    int64_t index[TH_MAX_DIM];
    char *at[TH_OPERANDS_MAX];
} cursor;

static int64_t step_of(const th_iter *it, int32_t d) { return d < 2 ? it->block[d] : 1; }

static void seek(const th_iter *it, cursor *c, int64_t block) {
    for (int32_t k = 0; k < it->space.n; k++) c->at[k] = it->operand[k].data;
    for (int32_t d = 0; d < it->space.ndim; d++) {
        const int64_t step = step_of(it, d), count = (it->space.sizes[d] - 1) / step + 1;
        c->index[d] = block % count * step;
        block /= count;
        for (int32_t k = 0; k < it->space.n; k++) c->at[k] += c->index[d] * it->space.strides[k][d];
    }
}

static void advance(const th_iter *it, cursor *c) {
    for (int32_t d = 0; d < it->space.ndim; d++) {
        const int64_t step = step_of(it, d), before = c->index[d];
        const int wraps = before + step >= it->space.sizes[d];
        c->index[d] = wraps ? 0 : before + step;
        for (int32_t k = 0; k < it->space.n; k++) c->at[k] += (c->index[d] - before) * it->space.strides[k][d];
        if (!wraps) return;
    }
}

static int64_t extent(const th_iter *it, const cursor *c, int32_t d) {
    if (d >= it->space.ndim) return 1;
    const int64_t left = it->space.sizes[d] - c->index[d];
    return left < it->block[d] ? left : it->block[d];
}

static void run_blocks(void *arg, int64_t lo, int64_t hi) {
    const th_iter *it = arg;
    buffers b;
    cursor c;
    seek(it, &c, lo);
    for (int64_t i = lo; i < hi; i++) {
        const int64_t n[2] = {extent(it, &c, 0), extent(it, &c, 1)};
        if (it->kernel)
            run_block(it, c.at, n, &b);
        else
            move_block(it, c.at, n);
        advance(it, &c);
    }
}

/* An input of one element, cast: from now on it needs no buffer. */
static void make_constants(th_iter *it) {
    for (int32_t k = it->outputs; k < it->space.n; k++) {
        th_iter_operand *o = &it->operand[k];
        int still = it->kernel != NULL;
        for (int32_t d = 0; d < it->space.ndim; d++) still &= it->space.strides[k][d] == 0;
        if (!still || o->stored == o->computed) continue;
        th_cast(&o->constant, o->computed, o->data, o->stored, 1);
        o->data = (char *)&o->constant;
        o->stored = o->computed;
        o->stored_size = o->computed_size;
    }
}

/* Whether some operand runs along dimension 1 while the first one runs along dimension 0. */
static int is_crossed(const th_geometry *g) {
    if (g->ndim < 2 || g->sizes[0] < 4 || g->sizes[1] < 4) return 0;
    for (int32_t k = 1; k < g->n; k++)
        if (g->strides[k][1] && g->strides[k][0] > g->strides[k][1]) return 1;
    return 0;
}

static int64_t at_most(int64_t n, int64_t limit) { return n < limit ? n : limit; }

static void choose_block(th_iter *it) {
    const th_geometry *g = &it->space;
    int rows_fit = g->ndim == 1 || g->sizes[0] >= ROW || !it->kernel;
    for (int32_t k = 0; k < g->n; k++) {
        const th_iter_operand *o = &it->operand[k];
        const int as_is = g->strides[k][0] == o->stored_size || (k >= it->outputs && !g->strides[k][0]);
        rows_fit &= !it->kernel || (o->stored == o->computed && as_is);
    }
    const int64_t limit = rows_fit ? CHUNK : BLOCK;
    it->block[0] = at_most(g->sizes[0], limit);
    it->block[1] = 1;
    if (g->ndim < 2) return;
    if (is_crossed(g)) {
        it->block[0] = at_most(g->sizes[0], it->kernel ? TILE : 2 * TILE);
        it->block[1] = at_most(g->sizes[1], it->kernel ? BLOCK / TILE : 2 * TILE);
    } else if (!it->kernel || !rows_fit) {
        it->block[1] = at_most(g->sizes[1], limit / it->block[0]);
    }
}

void th_iter_run(th_iter *it, th_kernel kernel, const void *param) {
    it->kernel = kernel;
    it->param = param;
    for (int32_t d = 0; d < it->space.ndim; d++)
        if (!it->space.sizes[d]) return;
    th_geometry_merge(&it->space);
    make_constants(it);
    choose_block(it);
    int64_t blocks = 1;
    for (int32_t d = 0; d < it->space.ndim; d++)
        blocks = th_size_mul(blocks, (it->space.sizes[d] - 1) / step_of(it, d) + 1);
    TH_parallel(blocks, CHUNK / (it->block[0] * it->block[1]), run_blocks, it);
}

void th_copy(THTensor *dst, const THTensor *src) {
    th_iter it;
    th_iter_begin(&it, 1, th_sizes(dst), dst->ndim);
    th_iter_add(&it, dst, dst->dtype);
    th_iter_add(&it, src, src->dtype);
    const THDtype dtypes[2] = {dst->dtype, src->dtype};
    th_iter_run(&it, dst->dtype == src->dtype ? NULL : cast_kernel, dtypes);
}
