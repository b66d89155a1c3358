/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear recurrences at indexed places. */
#include "TH/index.h"

#include "TH/copy.h"
#include "core/index.h"
#include "core/iter.h"
#include "kernels/index.h"

#include <stddef.h>

#define TH_TABLE th_index
#include "expr/tables.inc"

enum {
    RUN = 512,        /* indices converted to offsets at a time */
    TASK_WORK = 32768 /* elements that are worth a thread's while */
};

/* Lines along dim are independent of each other. steps, a and b have index's sizes. */
typedef struct scan_job {
    const THTensor *steps, *last, *index, *a, *b;
    int32_t dim, reverse;
    th_scan_kernel kernel;
} scan_job;

/* Where the line of the walked space begins in t, which may be NULL. */
static char *line_of(const THTensor *t, const scan_job *job, int64_t line) {
    if (!t) return NULL;
    int64_t at = 0;
    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        if (d == job->dim) continue;
        at += line % th_sizes(job->index)[d] * th_strides(t)[d];
        line /= th_sizes(job->index)[d];
    }
    return (char *)t->data + at * TH_dtype_size(t->dtype);
}

static int64_t step_of(const THTensor *t, int32_t dim) {
    return t ? th_stride_along(t, dim) * TH_dtype_size(t->dtype) : 0;
}

static void scan_line(const scan_job *job, int64_t line) {
    int64_t offset[RUN];
    const int64_t n = th_size_along(job->index, job->dim), length = th_size_along(job->last, job->dim);
    const int64_t pick = step_of(job->last, job->dim);
    th_scan s = {.whole = line_of(job->last, job, line), .offset = offset, .reverse = job->reverse};
    s.step[0] = step_of(job->steps, job->dim), s.step[1] = step_of(job->a, job->dim);
    s.step[2] = step_of(job->b, job->dim);
    char *const steps = line_of(job->steps, job, line), *const index = line_of(job->index, job, line);
    const char *const a = line_of(job->a, job, line), *const b = line_of(job->b, job, line);
    for (int64_t done = 0; done < n; done += s.n) {
        s.n = n - done < RUN ? n - done : RUN;
        const int64_t at = job->reverse ? n - done - s.n : done;
        for (int64_t k = 0; k < s.n; k++) {
            const int64_t i = th_pick_entry(index + (at + k) * step_of(job->index, job->dim), job->index->dtype);
            offset[k] = (i < 0 ? i + length : i) * pick;
        }
        s.before = steps + at * s.step[0], s.a = a + at * s.step[1], s.b = b ? b + at * s.step[2] : NULL;
        job->kernel(&s);
    }
}

static void scan_lines(void *arg, int64_t lo, int64_t hi) {
    for (int64_t line = lo; line < hi; line++) scan_line(arg, line);
}

static THStatus check_part(const char *fn, const char *arg, const THTensor *t, const THTensor *index,
                           const THTensor *x) {
    THStatus status = TH_check_input(fn, arg, t);
    if (status != TH_OK) return status;
    int fits = t->ndim == index->ndim && t->dtype == x->dtype;
    for (int32_t d = 0; d < index->ndim && fits; d++) fits = th_sizes(t)[d] == th_sizes(index)[d];
    if (fits) return TH_OK;
    th_text text, a, b;
    return TH_raisef(TH_E_SHAPE, "%s: got %s %s for x %s and index %s, want x's dtype and the index's sizes", fn, arg,
                     th_tensor_text(text, t), th_tensor_text(a, x), th_tensor_text(b, index));
}

static THStatus check_arguments(const char *fn, const THTensor *x, int32_t *dim, const THTensor *index,
                                const THTensor *a, const THTensor *b) {
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = TH_check_input(fn, "index", index);
    if (status == TH_OK) status = th_dim(dim, fn, *dim, x->ndim);
    if (status != TH_OK) return status;
    th_text text, other;
    if (!TH_dtype_is_floating(x->dtype))
        return TH_raisef(TH_E_TYPE, "%s: got x %s, want a floating dtype", fn, th_tensor_text(text, x));
    int fits = index->ndim == x->ndim;
    for (int32_t d = 0; d < x->ndim && fits; d++) fits = d == *dim || th_sizes(index)[d] <= th_sizes(x)[d];
    if (!fits)
        return TH_raisef(TH_E_SHAPE, "%s: got index %s for x %s, want as many dimensions, none but dim %d longer", fn,
                         th_tensor_text(text, index), th_tensor_text(other, x), (int)*dim);
    status = check_part(fn, "a", a, index, x);
    if (status == TH_OK && b) status = check_part(fn, "b", b, index, x);
    return status == TH_OK ? th_pick_check_index(fn, index, *dim, th_size_along(x, *dim)) : status;
}

/* Into tensors of the dtype computed in: steps and last are the results or, for halves, stand in for them. */
static THStatus compute(scan_job *job, THTensor *steps, THTensor *last, const THTensor *x, const THTensor *a,
                        const THTensor *b) {
    const THDtype wide = TH_compute_dtype(x->dtype);
    const THTensor *const parts[] = {a, b ? b : a};
    THTensor *made[] = {NULL, NULL, NULL, NULL};
    THStatus status = TH_OK;
    for (int k = 0; k < 2 && status == TH_OK; k++) status = THTensor_to(&made[k], parts[k], wide);
    if (status == TH_OK && wide != x->dtype) {
        status = THTensor_new(&made[2], wide, th_sizes(steps), steps->ndim);
        if (status == TH_OK) status = THTensor_new(&made[3], wide, th_sizes(last), last->ndim);
    }
    if (status == TH_OK) {
        job->a = made[0], job->b = b ? made[1] : NULL;
        job->steps = made[2] ? made[2] : steps, job->last = made[3] ? made[3] : last;
        job->kernel = tables[TH_isa_index()]->scan[wide];
        th_copy((THTensor *)job->last, x);
        const int64_t along = th_size_along(job->index, job->dim);
        if (job->index->numel) TH_parallel(job->index->numel / along, TASK_WORK / along + 1, scan_lines, job);
        if (made[2]) th_copy(steps, made[2]), th_copy(last, made[3]);
    }
    for (int k = 0; k < 4; k++) THTensor_free(made[k]);
    return status;
}

THStatus TH_scatter_scan(THTensor **steps, THTensor **last, const THTensor *x, int32_t dim, const THTensor *index,
                         const THTensor *a, const THTensor *b, int32_t reverse) {
    const char *fn = "TH_scatter_scan";
    if (!steps || !last) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, steps ? "last" : "steps");
    THStatus status = check_arguments(fn, x, &dim, index, a, b);
    if (status != TH_OK) return status;
    THTensor *before = NULL, *after = NULL;
    const THTensor *inputs[] = {x, index, a, b, NULL};
    status = TH_output_begin(&before, fn, steps, x->dtype, th_sizes(index), index->ndim, 1, 0, inputs, 4);
    if (status != TH_OK) return status;
    inputs[4] = before;
    status = TH_output_begin(&after, fn, last, x->dtype, th_sizes(x), x->ndim, 1, 0, inputs, 5);
    if (status != TH_OK) return TH_output_end(before, steps, status);
    scan_job job = {.index = index, .dim = dim, .reverse = reverse};
    status = compute(&job, before, after, x, a, b);
    const THStatus ended = TH_output_end(after, last, status);
    return TH_output_end(before, steps, ended);
}
