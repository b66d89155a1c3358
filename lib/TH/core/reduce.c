/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/reduce.h"
#include "TH/memory.h"
#include "core/iter.h"
#include "expr/sizes.h"

#include <string.h>

enum {
    LEVELS = 4,        /* sums of sums of ... blocks: FANIN blocks of one level make one of the next */
    FANIN = 64,        /* so that rounding errors grow with FANIN * LEVELS, not with the number of elements */
    TASKS = 64,        /* enough of them for the threads of one machine; fixed, for the results depend on the cut */
    TASK_WORK = 32768, /* elements that are worth a thread's while */
    SHORT = 16,        /* rows so short are better reduced side by side */
    NARROW = 8         /* columns so few are better reduced one by one */
};

typedef struct axis {
    int64_t size, x, out; /* strides in bytes */
} axis;

/* Axes are innermost first. Outputs are cut into strips along the first kept axis, the reduced range into pieces. */
typedef struct plan {
    const th_reduction *op;
    const char *x;
    char *out;
    THDtype dtype, computed, out_dtype;
    int64_t item, computed_item; /* bytes */
    int32_t nkept, nreduced, by_columns;
    axis kept[TH_MAX_DIM], reduced[TH_MAX_DIM];
    int64_t range, width, strips_per_line, strips, piece, pieces;
    th_strip *partial; /* strips x pieces, if there are pieces */
} plan;

typedef struct scratch {
    unsigned char raw[TH_BLOCK * 2]; /* halves as stored */
    unsigned char data[TH_BLOCK * TH_ELEMENT_MAX];
} scratch;

/* One strip at work: outputs `slot` ... of it from the elements at x. */
typedef struct strip_job {
    const plan *p;
    const char *x;
    int64_t slot, n;
    scratch *space;
} strip_job;

THStatus th_reduce_dims(uint64_t *mask, const char *fn, const THTensor *x, const int32_t *dims, int32_t ndims) {
    if (ndims < 0 || (ndims > 0 && !dims))
        return TH_raisef(TH_E_ARG, "%s: got ndims %d%s, want a list of dimensions or 0 for all", fn, (int)ndims,
                         dims ? "" : " and dims NULL");
    uint64_t set = ndims ? 0 : ~UINT64_C(0);
    for (int32_t i = 0; i < ndims; i++) {
        int32_t d;
        THStatus status = th_dim(&d, fn, dims[i], x->ndim);
        if (status != TH_OK) return status;
        if (set >> d & 1) return TH_raisef(TH_E_ARG, "%s: got dimension %d twice in dims, want each once", fn, (int)d);
        set |= UINT64_C(1) << d;
    }
    *mask = set;
    return TH_OK;
}

int64_t th_reduce_count(const THTensor *x, uint64_t mask) {
    int64_t count = 1;
    for (int32_t d = 0; d < x->ndim; d++)
        if (mask >> d & 1) count = th_size_mul(count, th_sizes(x)[d]);
    return count;
}

/* ---- the plan ---- */

static void sort_axes(axis *a, int32_t n) {
    for (int32_t i = 1; i < n; i++)
        for (int32_t k = i; k > 0 && a[k].x < a[k - 1].x; k--) {
            axis t = a[k];
            a[k] = a[k - 1], a[k - 1] = t;
        }
}

static int32_t merge_axes(axis *a, int32_t n) {
    int32_t kept = 0;
    for (int32_t i = 1; i < n; i++) {
        if (a[i].x == a[kept].x * a[kept].size && a[i].out == a[kept].out * a[kept].size)
            a[kept].size = th_size_mul(a[kept].size, a[i].size);
        else
            a[++kept] = a[i];
    }
    return kept + 1;
}

static void plan_axes(plan *p, const THTensor *x, const THTensor *out, uint64_t mask) {
    const int64_t out_item = TH_dtype_size(out->dtype);
    int32_t od = out->ndim;
    for (int32_t d = x->ndim - 1; d >= 0; d--) {
        const int32_t reduced = mask >> d & 1;
        if (!reduced || out->ndim == x->ndim) od--;
        axis a = {th_sizes(x)[d], th_strides(x)[d] * p->item, reduced ? 0 : th_strides(out)[od] * out_item};
        if (a.size == 1) continue;
        if (reduced)
            p->reduced[p->nreduced++] = a;
        else
            p->kept[p->nkept++] = a;
    }
    const axis one = {1, 0, 0};
    if (!p->nkept) p->kept[p->nkept++] = one;
    if (!p->nreduced || !p->range) p->reduced[0] = one, p->nreduced = 1;
    sort_axes(p->kept, p->nkept);
    if (!p->op->ordered) sort_axes(p->reduced, p->nreduced);
    p->nkept = merge_axes(p->kept, p->nkept);
    p->nreduced = merge_axes(p->reduced, p->nreduced);
}

static int64_t divide_up(int64_t a, int64_t b) { return (a - 1) / b + 1; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void plan_work(plan *p, int64_t outputs) {
    const axis *kept = &p->kept[0], *reduced = &p->reduced[0];
    const int32_t closer = kept->x > 0 && (kept->x < reduced->x || reduced->x == 0) && kept->size >= NARROW;
    const int32_t too_short = p->range < SHORT && kept->size >= 2 * SHORT && p->range > 0;
    p->by_columns = closer || too_short;
    const int64_t rows = p->range < 1 ? 1 : p->range;
    p->width = p->by_columns ? TH_STRIP : least(TH_STRIP, divide_up(TASK_WORK, rows));
    p->width = least(p->width, kept->size);
    p->strips_per_line = divide_up(kept->size, p->width);
    p->strips = outputs / kept->size * p->strips_per_line;
    const int64_t unit = p->by_columns ? TH_BLOCK_ROWS : TH_BLOCK;
    p->piece = rows, p->pieces = 1;
    if (p->strips < TASKS) {
        const int64_t wanted = least(divide_up(TASKS, p->strips), divide_up(rows, divide_up(TASK_WORK, p->width)));
        p->piece = divide_up(divide_up(rows, wanted), unit) * unit;
        p->pieces = divide_up(rows, p->piece);
    }
}

/* ---- blocks ---- */

static int64_t offset_of(const axis *a, int32_t n, int64_t position) {
    if (n == 1) return position * a->x;
    int64_t offset = 0;
    for (; n--; a++) {
        offset += position % a->size * a->x;
        position /= a->size;
    }
    return offset;
}

/* Elements at ... at + n - 1 of the reduced range, side by side at dst, as they are stored. */
static void gather(const strip_job *job, int64_t at, int64_t n, unsigned char *dst) {
    const plan *p = job->p;
    const axis *inner = &p->reduced[0], *outer = &p->reduced[1];
    const th_move_kernel move = th_copy_table()->move[th_log2_size(p->item)];
    while (n > 0) {
        const int64_t within = at % inner->size;
        th_move m = {.dst = (char *)dst, .src = job->x + offset_of(p->reduced, p->nreduced, at)};
        m.n[0] = least(inner->size - within, n), m.n[1] = 1;
        if (p->nreduced > 1 && m.n[0] == inner->size)
            m.n[1] = least(n / inner->size, outer->size - at / inner->size % outer->size);
        m.src_stride[0] = inner->x, m.src_stride[1] = p->nreduced > 1 ? outer->x : 0;
        m.dst_stride[0] = p->item, m.dst_stride[1] = m.n[0] * p->item;
        move(&m);
        const int64_t done = m.n[0] * m.n[1];
        at += done, n -= done, dst += done * p->item;
    }
}

static void row_block(const strip_job *job, int64_t at, int64_t n, th_strip *acc) {
    const plan *p = job->p;
    const axis *inner = &p->reduced[0];
    const int32_t run = inner->x == p->item && at % inner->size + n <= inner->size, as_is = p->dtype == p->computed;
    const void *x = job->x + offset_of(p->reduced, p->nreduced, at);
    if (!run) {
        gather(job, at, n, as_is ? job->space->data : job->space->raw);
        x = as_is ? job->space->data : job->space->raw;
    }
    if (!as_is) {
        th_cast(job->space->data, p->computed, x, p->dtype, n);
        x = job->space->data;
    }
    p->op->fold->row(x, n, at, acc, job->slot);
}

static void column_block(const strip_job *job, int64_t at, int64_t nrows, th_strip *acc) {
    const plan *p = job->p;
    const axis *columns = &p->kept[0], *inner = &p->reduced[0];
    const int32_t as_is = p->dtype == p->computed, direct = as_is && (columns->x == p->item || columns->size == 1);
    unsigned char *stored = as_is ? job->space->data : job->space->raw;
    const void *row[TH_BLOCK_ROWS];
    for (int64_t r = 0, count; r < nrows; r += count) {
        const char *x = job->x + offset_of(p->reduced, p->nreduced, at + r);
        count = least(inner->size - (at + r) % inner->size, nrows - r);
        for (int64_t k = 0; k < count; k++)
            row[r + k] = direct ? x + k * inner->x : (char *)job->space->data + (r + k) * job->n * p->computed_item;
        if (direct) continue;
        th_move m = {(char *)stored + r * job->n * p->item,
                     x,
                     {job->n, count},
                     {p->item, job->n * p->item},
                     {columns->x, inner->x}};
        th_copy_table()->move[th_log2_size(p->item)](&m);
    }
    if (!as_is) th_cast(job->space->data, p->computed, stored, p->dtype, nrows * job->n);
    p->op->fold->rows(row, nrows, job->n, at, acc);
}

/* ---- joining blocks ---- */

typedef struct cascade {
    int64_t count[LEVELS]; /* elements behind each level */
    th_strip level[LEVELS];
} cascade;

static void copy_slots(const strip_job *job, th_strip *to, const th_strip *from) {
    const int64_t size = job->p->op->size;
    memcpy(to->value + job->slot * size, from->value + job->slot * size, (size_t)(job->n * size));
    memcpy(to->extra + job->slot * TH_EXTRA, from->extra + job->slot * TH_EXTRA, (size_t)job->n * TH_EXTRA);
}

static void absorb(const strip_job *job, cascade *c, int32_t to, const th_strip *from, int64_t more) {
    if (c->count[to])
        job->p->op->fold->merge(&c->level[to], c->count[to], from, more, job->slot, job->n);
    else
        copy_slots(job, &c->level[to], from);
    c->count[to] += more;
}

/* Reduces lo ... hi-1 of the range, first within blocks, then in a tree over them. */
static void reduce_span(const strip_job *job, int64_t lo, int64_t hi, th_strip *acc) {
    void (*block)(const strip_job *, int64_t, int64_t, th_strip *) = job->p->by_columns ? column_block : row_block;
    const int64_t unit = job->p->by_columns ? TH_BLOCK_ROWS : TH_BLOCK;
    if (hi - lo <= unit) {
        block(job, lo, hi - lo, acc);
        return;
    }
    cascade c;
    th_strip fresh;
    memset(c.count, 0, sizeof c.count);
    for (int64_t at = lo, blocks = 1; at < hi; at += unit, blocks++) {
        const int64_t n = least(unit, hi - at);
        block(job, at, n, &fresh);
        absorb(job, &c, 0, &fresh, n);
        int64_t full = blocks;
        for (int32_t k = 0; k + 1 < LEVELS && full % FANIN == 0; k++, full /= FANIN) {
            absorb(job, &c, k + 1, &c.level[k], c.count[k]);
            c.count[k] = 0;
        }
    }
    int32_t k = LEVELS - 1;
    while (!c.count[k]) k--;
    for (int32_t lower = k - 1; lower >= 0; lower--)
        if (c.count[lower]) absorb(job, &c, k, &c.level[lower], c.count[lower]);
    copy_slots(job, acc, &c.level[k]);
}

/* ---- strips ---- */

static void store(const plan *p, int64_t strip, int64_t n, th_strip *acc) {
    const axis *kept = &p->kept[0];
    const int64_t item = TH_dtype_size(p->out_dtype);
    if (p->op->finish) p->op->finish(acc, n, p->range, p->op->param);
    th_strip cast;
    const unsigned char *value = p->op->in_extra ? acc->extra : acc->value;
    if (p->out_dtype != p->op->value) {
        th_cast(cast.value, p->out_dtype, value, p->op->value, n);
        value = cast.value;
    }
    char *out = p->out + strip % p->strips_per_line * p->width * kept->out;
    int64_t line = strip / p->strips_per_line;
    for (int32_t i = 1; i < p->nkept; line /= p->kept[i++].size) out += line % p->kept[i].size * p->kept[i].out;
    const th_move m = {out, (const char *)value, {n, 1}, {kept->out, 0}, {item, 0}};
    th_copy_table()->move[th_log2_size(item)](&m);
}

static int64_t strip_length(const plan *p, int64_t strip) {
    return least(p->width, p->kept[0].size - strip % p->strips_per_line * p->width);
}

static void reduce_strip(const plan *p, int64_t strip, int64_t piece, scratch *space, th_strip *acc) {
    const int64_t first = strip % p->strips_per_line * p->width, n = strip_length(p, strip);
    const int64_t lo = piece * p->piece, hi = least(lo + p->piece, p->range);
    const char *x = p->x + first * p->kept[0].x + offset_of(p->kept + 1, p->nkept - 1, strip / p->strips_per_line);
    strip_job job = {p, x, 0, n, space};
    if (p->by_columns) {
        reduce_span(&job, lo, hi, acc);
        return;
    }
    job.n = 1;
    for (; job.slot < n; job.slot++, job.x += p->kept[0].x) reduce_span(&job, lo, hi, acc);
}

static void run_tasks(void *arg, int64_t lo, int64_t hi) {
    const plan *p = arg;
    scratch space;
    th_strip acc;
    for (int64_t t = lo; t < hi; t++) {
        const int64_t strip = t / p->pieces;
        reduce_strip(p, strip, t % p->pieces, &space, p->partial ? &p->partial[t] : &acc);
        if (!p->partial) store(p, strip, strip_length(p, strip), &acc);
    }
}

static void join_pieces(const plan *p) {
    for (int64_t strip = 0; strip < p->strips; strip++) {
        th_strip *acc = &p->partial[strip * p->pieces];
        const int64_t n = strip_length(p, strip);
        for (int64_t k = 1; k < p->pieces; k++)
            p->op->fold->merge(acc, k * p->piece, acc + k, least(p->piece, p->range - k * p->piece), 0, n);
        store(p, strip, n, acc);
    }
}

static THStatus reduce(const th_reduction *op, const THTensor *out, const THTensor *x, uint64_t mask) {
    plan p;
    p.op = op;
    p.x = x->data, p.out = out->data;
    p.dtype = x->dtype, p.computed = th_compute_dtype(x->dtype), p.out_dtype = out->dtype;
    p.item = TH_dtype_size(p.dtype), p.computed_item = TH_dtype_size(p.computed);
    p.nkept = p.nreduced = 0;
    p.range = th_reduce_count(x, mask);
    p.partial = NULL;
    plan_axes(&p, x, out, mask);
    plan_work(&p, out->numel);
    const int64_t tasks = th_size_mul(p.strips, p.pieces), bytes = th_size_mul(tasks, sizeof *p.partial);
    if (p.pieces > 1 && !(p.partial = TH_alloc(bytes)))
        return TH_raisef(TH_E_MEMORY, "%s: could not allocate %lld bytes for partial results", op->fn,
                         (long long)bytes);
    TH_parallel(tasks, TASK_WORK / (least(p.piece, TASK_WORK) * p.width) + 1, run_tasks, &p);
    if (p.partial) join_pieces(&p);
    TH_free(p.partial, bytes);
    return TH_OK;
}

THStatus th_reduce_run(const th_reduction *op, THTensor **out, const THTensor *x, uint64_t mask, int32_t keepdim) {
    int64_t sizes[TH_MAX_DIM];
    int32_t ndim = 0;
    for (int32_t d = 0; d < x->ndim; d++) {
        const int32_t reduced = mask >> d & 1;
        if (!reduced || keepdim) sizes[ndim++] = reduced ? 1 : th_sizes(x)[d];
    }
    THTensor *result;
    THStatus status = TH_output_begin(&result, op->fn, out, op->result, sizes, ndim, 0, 0, &x, 1);
    if (status != TH_OK) return status;
    if (result->numel) status = reduce(op, result, x, mask);
    return TH_output_end(result, out, status);
}
