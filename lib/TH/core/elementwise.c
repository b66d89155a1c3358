/* SPDX-License-Identifier: BSD-3-Clause */
/* From an elementwise op to kernel calls: at once for contiguous operands of equal sizes, through the iterator for all
 * others. */
#include "core/iter.h"

#include <string.h>

enum { INPUTS_MAX = TH_OPERANDS_MAX - 1, CHUNK = 32768 };

/* ---- equal sizes, contiguous or constant, no casts but of constants ---- */

static int same_sizes(const THTensor *a, const THTensor *b) {
    if (a->ndim != b->ndim) return 0;
    for (int32_t d = 0; d < a->ndim; d++)
        if (th_sizes(a)[d] != th_sizes(b)[d]) return 0;
    return 1;
}

static int is_dense(const THTensor *t, THDtype dtype, const THTensor *like) {
    return t->contiguous && t->dtype == dtype && same_sizes(t, like);
}

/* Every element is the same one: a 0-dim tensor, or one expanded from it. */
static int is_constant(const THTensor *t) {
    for (int32_t d = 0; d < t->ndim; d++)
        if (th_strides(t)[d] && th_sizes(t)[d] != 1) return 0;
    return t->numel > 0;
}

/* The input whose sizes the result has, if the op is of the simple kind; else NULL. */
static const THTensor *find_shape(const th_elementwise *op, const THTensor *out, const THTensor *const *inputs,
                                  int32_t n) {
    const THTensor *shape = inputs[0];
    for (int32_t k = 1; k < n && !shape->ndim; k++) shape = inputs[k];
    if (op->produce != op->result || (out && !is_dense(out, op->produce, shape))) return NULL;
    int dense = shape->numel == 1;
    for (int32_t k = 0; k < n; k++) {
        if (!inputs[k]->ndim) continue;
        if (is_dense(inputs[k], op->compute, shape))
            dense = 1;
        else if (!is_constant(inputs[k]) || !same_sizes(inputs[k], shape))
            return NULL;
    }
    return dense ? shape : NULL;
}

typedef struct flat {
    const th_elementwise *op;
    int32_t n; /* operands */
    char *data[TH_OPERANDS_MAX];
    int64_t step[TH_OPERANDS_MAX];
} flat;

static void run_piece(void *arg, int64_t lo, int64_t hi) {
    const flat *f = arg;
    const int64_t size = TH_dtype_size(f->op->compute);
    void *p[TH_OPERANDS_MAX];
    p[0] = f->data[0] + lo * TH_dtype_size(f->op->produce);
    for (int32_t k = 1; k < f->n; k++) p[k] = f->data[k] + lo * size * f->step[k];
    f->op->kernel(p, f->step, hi - lo, f->op->param);
}

static void run_flat(const th_elementwise *op, THTensor *result, const THTensor *const *inputs, int32_t n) {
    flat f;
    th_slot constant[INPUTS_MAX];
    f.data[0] = result->data;
    f.step[0] = 1;
    for (int32_t k = 0; k < n; k++) {
        f.data[k + 1] = inputs[k]->data;
        f.step[k + 1] = result->numel == 1 || !is_constant(inputs[k]);
        if (inputs[k]->dtype == op->compute) continue;
        th_cast(&constant[k], op->compute, inputs[k]->data, inputs[k]->dtype, 1);
        f.data[k + 1] = (char *)&constant[k];
    }
    if (result->numel <= CHUNK) {
        op->kernel((void *const *)f.data, f.step, result->numel, op->param);
        return;
    }
    f.op = op;
    f.n = n + 1;
    TH_parallel(result->numel, CHUNK, run_piece, &f);
}

/* ---- everything else ---- */

static THStatus run_general(const th_elementwise *op, THTensor **out, const THTensor *const *inputs, int32_t n) {
    int64_t sizes[TH_MAX_DIM];
    int32_t ndim;
    THTensor *result;
    THStatus status = th_broadcast(sizes, &ndim, op->fn, inputs, n);
    if (status == TH_OK) status = TH_output_begin(&result, op->fn, out, op->result, sizes, ndim, 0, 1, inputs, n);
    if (status != TH_OK) return status;
    th_iter it;
    th_iter_begin(&it, 1, sizes, ndim);
    th_iter_add(&it, result, op->produce);
    for (int32_t k = 0; k < n; k++) th_iter_add(&it, inputs[k], op->compute);
    th_iter_run(&it, op->kernel, op->param);
    return TH_output_end(result, out, TH_OK);
}

THStatus th_elementwise_run(const th_elementwise *op, THTensor **out, const THTensor *const *inputs, int32_t n) {
    THTensor *result;
    const THTensor *shape = out ? find_shape(op, *out, inputs, n) : NULL;
    if (!shape) return run_general(op, out, inputs, n);
    THStatus status = TH_output_begin(&result, op->fn, out, op->result, th_sizes(shape), shape->ndim, 0, 1, inputs, n);
    if (status != TH_OK) return status;
    run_flat(op, result, inputs, n);
    return TH_output_end(result, out, TH_OK);
}

THStatus TH_elementwise(THTensor **out, const THElementwise *op, const THTensor *const *inputs, int32_t n) {
    if (!op || !op->fn || !op->kernel || !inputs) return TH_raisef(TH_E_ARG, "TH_elementwise: op or inputs is NULL");
    if (n < 1 || n > INPUTS_MAX) return TH_raisef(TH_E_ARG, "%s: got %d inputs, want 1 to %d", op->fn, n, INPUTS_MAX);
    if (!TH_dtype_size(op->compute) || !TH_dtype_size(op->produce) || !TH_dtype_size(op->result))
        return TH_raisef(TH_E_TYPE, "%s: got an invalid dtype, want one of TH/dtype.def", op->fn);
    for (int32_t k = 0; k < n; k++) {
        THStatus status = TH_check_input(op->fn, "an input", inputs[k]);
        if (status != TH_OK) return status;
    }
    return th_elementwise_run(op, out, inputs, n);
}
