/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/index.h"
#include "core/cast.h"
#include "expr/sizes.h"
#include "kernels/index.h"

#include <stddef.h>

#define TH_TABLE th_index
#include "expr/tables.inc"

enum {
    RUN = 512,        /* indices converted to offsets at a time */
    STRIP = 1024,     /* elements of a run that make a task, */
    CHUNK = 64,       /* times entries along dim */
    TASK_WORK = 32768 /* elements that are worth a thread's while */
};

/* ---- checking ---- */

typedef struct check_job {
    const THTensor *index;
    int64_t length, run, step;
    int32_t bad; /* atomic */
} check_job;

static const char *row_of(const THTensor *t, int64_t row) {
    int64_t at = 0;
    for (int32_t d = t->ndim - 2; d >= 0; d--) {
        at += row % th_sizes(t)[d] * th_strides(t)[d];
        row /= th_sizes(t)[d];
    }
    return (const char *)t->data + at * TH_dtype_size(t->dtype);
}

static int is_bad(int64_t value, int64_t length) { return value < -length || value >= length; }

static void check_rows(void *arg, int64_t lo, int64_t hi) {
    check_job *job = arg;
    int bad = 0;
    for (int64_t row = lo; row < hi; row++) {
        const char *p = row_of(job->index, row);
        for (int64_t k = 0; k < job->run; k++)
            bad |= is_bad(th_pick_entry(p + k * job->step, job->index->dtype), job->length);
    }
    if (bad) __atomic_store_n(&job->bad, 1, __ATOMIC_RELAXED);
}

static THStatus raise_index(const char *fn, const check_job *job, int32_t dim) {
    int64_t at = 0, value;
    for (;; at++) {
        value = th_pick_entry(row_of(job->index, at / job->run) + at % job->run * job->step, job->index->dtype);
        if (is_bad(value, job->length)) break;
    }
    if (job->length == 0)
        return TH_raisef(TH_E_INDEX, "%s: got index %lld (entry %lld) into dim %d, which is empty", fn,
                         (long long)value, (long long)at, (int)dim);
    return TH_raisef(TH_E_INDEX, "%s: got index %lld (entry %lld), want %lld to %lld for size %lld of dim %d", fn,
                     (long long)value, (long long)at, (long long)-job->length, (long long)job->length - 1,
                     (long long)job->length, (int)dim);
}

THStatus th_pick_check_index(const char *fn, const THTensor *index, int32_t dim, int64_t length) {
    th_text text;
    if (index->dtype != TH_INT32 && index->dtype != TH_INT64)
        return TH_raisef(TH_E_TYPE, "%s: got index %s, want int32 or int64", fn, th_tensor_text(text, index));
    if (!index->numel) return TH_OK;
    const int32_t last = index->ndim - 1;
    check_job job = {index, length, th_size_along(index, last), 0, 0};
    job.step = th_stride_along(index, last) * TH_dtype_size(index->dtype);
    TH_parallel(index->numel / job.run, TASK_WORK / job.run + 1, check_rows, &job);
    return job.bad ? raise_index(fn, &job, dim) : TH_OK;
}

/* ---- moving ---- */

typedef struct axis {
    int64_t size, whole, part, index; /* strides in bytes */
} axis;

/* Runs go along `run`, which is either the innermost of the other axes or dim itself; `loop` is repeated within a task.
 */
typedef struct plan {
    int mode;
    char *whole, *part;
    const char *index;
    THDtype dtype, index_dtype;
    int64_t item, length, pick; /* pick: the whole's stride along dim, in bytes */
    axis other[TH_MAX_DIM], run, loop;
    int32_t nother;
    int64_t strip, strips, chunk, chunks; /* cuts of run and of loop */
    th_pick_kernel kernel;
    th_move_kernel move;
} plan;

static void pick_same(const plan *p, char *whole, char *part, int64_t n) {
    if (p->mode >= TH_PICK_ADD) {
        const th_pick join = {whole, part, NULL, n, p->run.whole, p->run.part};
        p->kernel(&join);
        return;
    }
    th_move m = {part, whole, {n, 1}, {p->run.part, 0}, {p->run.whole, 0}};
    if (p->mode == TH_PICK_PUT)
        m.dst = whole, m.src = part, m.dst_stride[0] = p->run.whole, m.src_stride[0] = p->run.part;
    p->move(&m);
}

static void pick_each(const plan *p, char *whole, char *part, const char *index, int64_t n) {
    int64_t offset[RUN];
    const int get = p->mode == TH_PICK_GET;
    for (int64_t at = 0; at < n; at += RUN) {
        const int64_t count = n - at < RUN ? n - at : RUN;
        for (int64_t k = 0; k < count; k++) {
            const int64_t i = th_pick_entry(index + (at + k) * p->run.index, p->index_dtype);
            offset[k] = (i < 0 ? i + p->length : i) * p->pick;
        }
        char *w = whole + at * p->run.whole, *q = part + at * p->run.part;
        const th_pick pick = {get ? q : w,
                              get ? w : q,
                              offset,
                              count,
                              get ? p->run.part : p->run.whole,
                              get ? p->run.whole : p->run.part};
        p->kernel(&pick);
    }
}

static void run_tasks(void *arg, int64_t lo, int64_t hi) {
    const plan *p = arg;
    for (int64_t t = lo; t < hi; t++) {
        const int64_t first = t % p->strips * p->strip, from = t / p->strips % p->chunks * p->chunk;
        const int64_t n = p->run.size - first < p->strip ? p->run.size - first : p->strip;
        const int64_t to = p->loop.size - from < p->chunk ? p->loop.size : from + p->chunk;
        char *whole = p->whole + first * p->run.whole, *part = p->part + first * p->run.part;
        const char *index = p->index + first * p->run.index;
        int64_t line = t / p->strips / p->chunks;
        for (int32_t k = 0; k < p->nother; line /= p->other[k++].size) {
            const int64_t at = line % p->other[k].size;
            whole += at * p->other[k].whole, part += at * p->other[k].part, index += at * p->other[k].index;
        }
        for (int64_t i = from; i < to; i++) {
            char *w = whole + i * p->loop.whole, *q = part + i * p->loop.part;
            const char *x = index + i * p->loop.index;
            const int64_t picked = th_pick_entry(x, p->index_dtype);
            if (p->run.index)
                pick_each(p, w, q, x, n);
            else
                pick_same(p, w + (picked < 0 ? picked + p->length : picked) * p->pick, q, n);
        }
    }
}

/* The axes besides dim, innermost in the part first, and merged. */
static void plan_others(plan *p, const THTensor *whole, const THTensor *part, const THTensor *index, int32_t dim,
                        int32_t same) {
    const int64_t index_item = TH_dtype_size(index->dtype);
    int32_t n = 0;
    for (int32_t d = part->ndim - 1; d >= 0; d--) {
        const int64_t size = same ? th_sizes(part)[d] : th_sizes(index)[d];
        if (d == dim || size == 1) continue;
        const axis a = {size, th_strides(whole)[d] * p->item, th_strides(part)[d] * p->item,
                        same ? 0 : th_strides(index)[d] * index_item};
        int32_t k = n++;
        for (; k > 0 && a.part < p->other[k - 1].part; k--) p->other[k] = p->other[k - 1];
        p->other[k] = a;
    }
    p->nother = n > 0;
    for (int32_t k = 1; k < n; k++) {
        axis *last = &p->other[p->nother - 1];
        const axis a = p->other[k];
        if (a.whole == last->whole * last->size && a.part == last->part * last->size &&
            a.index == last->index * last->size)
            last->size = th_size_mul(last->size, a.size);
        else
            p->other[p->nother++] = a;
    }
}

void th_pick_run(int mode, const THTensor *whole, const THTensor *part, const THTensor *index, int32_t dim,
                 int32_t same) {
    if (!index->numel || !part->numel) return;
    const struct th_index_table *t = tables[TH_isa_index()];
    plan p = {.mode = mode, .whole = whole->data, .part = part->data, .index = index->data, .dtype = whole->dtype};
    p.index_dtype = index->dtype, p.item = TH_dtype_size(whole->dtype);
    p.length = th_size_along(whole, dim), p.pick = th_stride_along(whole, dim) * p.item;
    const int32_t size = th_log2_size(p.item);
    const th_pick_kernel kernels[] = {t->get[size], t->put[size], t->add[p.dtype], t->mul[p.dtype]};
    p.kernel = kernels[mode];
    p.move = th_copy_table()->move[size];
    plan_others(&p, whole, part, index, dim, same);
    const int64_t index_step =
        (same ? th_stride_along(index, 0) : th_stride_along(index, dim)) * TH_dtype_size(index->dtype);
    const axis one = {1, 0, 0, 0}, along = {same ? index->numel : th_size_along(index, dim), 0,
                                            th_stride_along(part, dim) * p.item, index_step};
    const int32_t across = p.nother && (p.other[0].part < along.part || along.size == 1);
    p.run = across ? p.other[0] : along;
    p.loop = across ? along : one;
    if (across)
        for (int32_t k = 1; k < p.nother; k++) p.other[k - 1] = p.other[k];
    p.nother -= across;
    const int32_t ordered = mode != TH_PICK_GET; /* then one task walks all of dim */
    p.strip = ordered && !across ? p.run.size : STRIP;
    p.chunk = ordered ? p.loop.size : CHUNK;
    p.strips = (p.run.size - 1) / p.strip + 1;
    p.chunks = (p.loop.size - 1) / p.chunk + 1;
    int64_t tasks = th_size_mul(p.strips, p.chunks);
    for (int32_t k = 0; k < p.nother; k++) tasks = th_size_mul(tasks, p.other[k].size);
    const int64_t work =
        (p.run.size < p.strip ? p.run.size : p.strip) * (p.loop.size < p.chunk ? p.loop.size : p.chunk);
    TH_parallel(tasks, TASK_WORK / work + 1, run_tasks, &p);
}
