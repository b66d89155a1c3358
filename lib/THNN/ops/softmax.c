/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/softmax.h"

#include <inttypes.h>
#include <stddef.h>

#include "core/check.h"
#include "core/operand.h"
#include "expr/sizes.h"
#include "kernels/softmax.h"

#define TH_TABLE thnn_softmax
#include "expr/tables.inc"

/* What one thread takes at a time: so many elements, and of rows that lie side by side no fewer than stream well. */
enum { PIECE = 16384, COLUMNS = 256 };

typedef struct work {
    int64_t n, inner, rows;
    void *out;
    const void *a, *b; /* x, or grad and y */
    thnn_softmax_forward forward;
    thnn_softmax_backward backward;
} work;

/* Sees sizes as [outer, n, inner] around dim. */
static THStatus split(work *w, const char *fn, const THTensor *t, int32_t dim) {
    const int32_t ndim = THTensor_ndim(t), count = ndim > 0 ? ndim : 1;
    if (dim < -count || dim >= count) {
        return TH_raisef(TH_E_INDEX,
                         "%s: got dim %" PRId32 " for a tensor of %" PRId32 " dimensions, want %" PRId32 " to %" PRId32,
                         fn, dim, ndim, -count, count - 1);
    }
    if (dim < 0) dim += count;
    const int64_t *sizes = THTensor_sizes(t);
    w->n = ndim > 0 ? sizes[dim] : 1;
    w->inner = th_size_product(sizes + dim + 1, ndim - dim - 1);
    w->rows = THTensor_numel(t) ? THTensor_numel(t) / w->n : 0;
    return TH_OK;
}

static void run_piece(void *arg, int64_t lo, int64_t hi) {
    const work *w = arg;
    if (w->forward) {
        w->forward(w->out, w->a, w->n, w->inner, lo, hi);
    } else {
        w->backward(w->out, w->a, w->b, w->n, w->inner, lo, hi);
    }
}

/* Makes both operands and the output dense and runs the kernel. b may be NULL. */
static THStatus run(const char *fn, THTensor **out, const THTensor *a, const THTensor *b, work *w) {
    const THDtype dtype = THTensor_dtype(a), compute = thnn_compute_dtype(dtype);
    thnn_output o;
    THTensor *dense_a = NULL, *dense_b = NULL;
    THStatus status =
        thnn_output_begin(&o, fn, out, dtype, THTensor_sizes(a), THTensor_ndim(a), (const THTensor *[]){a, b}, 2);
    if (status == TH_OK) status = thnn_dense(&dense_a, a, compute);
    if (status == TH_OK) status = thnn_dense(&dense_b, b, compute);
    if (status == TH_OK && w->rows > 0) {
        w->out = thnn_data(o.dense);
        w->a = thnn_data(dense_a);
        w->b = thnn_data(dense_b);
        const int64_t grain = w->n < PIECE ? PIECE / w->n : 1;
        TH_parallel(w->rows, w->inner > 1 && grain < COLUMNS ? COLUMNS : grain, run_piece, w);
    }
    THTensor_free(dense_a);
    THTensor_free(dense_b);
    return thnn_output_end(&o, out, status);
}

static THStatus forward(const char *fn, THTensor **out, const THTensor *x, int32_t dim, int32_t logarithm) {
    work w = {0};
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = split(&w, fn, x, dim);
    if (status != TH_OK) return status;
    w.forward = tables[TH_isa_index()]->forward[TH_compute_dtype(THTensor_dtype(x))][logarithm];
    return run(fn, out, x, NULL, &w);
}

static THStatus backward(const char *fn, THTensor **out, const THTensor *grad, const THTensor *y, int32_t dim,
                         int32_t logarithm) {
    work w = {0};
    THStatus status = thnn_check_floating(fn, "y", y);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "grad", grad, "y", THTensor_dtype(y));
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, THTensor_sizes(y), THTensor_ndim(y));
    if (status == TH_OK) status = split(&w, fn, y, dim);
    if (status != TH_OK) return status;
    w.backward = tables[TH_isa_index()]->backward[TH_compute_dtype(THTensor_dtype(y))][logarithm];
    return run(fn, out, grad, y, &w);
}

THStatus THNN_softmax(THTensor **out, const THTensor *x, int32_t dim) {
    return forward("THNN_softmax", out, x, dim, 0);
}

THStatus THNN_log_softmax(THTensor **out, const THTensor *x, int32_t dim) {
    return forward("THNN_log_softmax", out, x, dim, 1);
}

THStatus THNN_softmax_backward(THTensor **out, const THTensor *grad, const THTensor *y, int32_t dim) {
    return backward("THNN_softmax_backward", out, grad, y, dim, 0);
}

THStatus THNN_log_softmax_backward(THTensor **out, const THTensor *grad, const THTensor *y, int32_t dim) {
    return backward("THNN_log_softmax_backward", out, grad, y, dim, 1);
}
