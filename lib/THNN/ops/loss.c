/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/loss.h"

#include <inttypes.h>
#include <stddef.h>

#include "core/check.h"
#include "core/operand.h"
#include "expr/sizes.h"
#include "kernels/loss.h"

#define TH_TABLE thnn_loss
#include "expr/tables.inc"

enum {
    PIECES = 64,       /* partial sums at most, added in order: the same for every number of threads */
    PIECE_LEAST = 2048 /* elements worth a piece of their own */
};

/* One call: what the kernels get, and the dense tensors behind it. */
typedef struct nll_call {
    thnn_nll_args args;
    int64_t elements, piece;
    const thnn_loss_table *table;
    double (*sums)[2]; /* of the losses and the weights, per piece */
    THTensor *log_prob, *target, *weight, *grad;
} nll_call;

static void release(nll_call *c) {
    THTensor_free(c->log_prob);
    THTensor_free(c->target);
    THTensor_free(c->weight);
    THTensor_free(c->grad);
}

static THStatus check_target(const char *fn, const THTensor *target, const THTensor *log_prob) {
    THStatus status = TH_check_input(fn, "target", target);
    if (status != TH_OK) return status;
    const THDtype dtype = THTensor_dtype(target);
    if (dtype != TH_INT64 && dtype != TH_INT32 && dtype != TH_UINT8) {
        return TH_raisef(TH_E_TYPE, "%s: got target of dtype %s, want int64, int32 or uint8", fn, TH_dtype_name(dtype));
    }
    const int32_t ndim = THTensor_ndim(log_prob);
    if (ndim == 0) return TH_raisef(TH_E_SHAPE, "%s: got log_prob of sizes [], want [C] or [N, C, ...]", fn);
    int64_t want[TH_MAX_DIM];
    int32_t count = 0;
    for (int32_t i = 0; i < ndim; i++) {
        if (i != (ndim > 1)) want[count++] = THTensor_sizes(log_prob)[i];
    }
    return thnn_check_sizes(fn, "target", target, want, count);
}

static THStatus check_options(const char *fn, double label_smoothing, int32_t reduction) {
    if (!(label_smoothing >= 0 && label_smoothing <= 1)) {
        return TH_raisef(TH_E_ARG, "%s: got label_smoothing = %g, want 0 to 1", fn, label_smoothing);
    }
    if (reduction < THNN_REDUCTION_NONE || reduction > THNN_REDUCTION_SUM) {
        return TH_raisef(TH_E_ARG, "%s: got reduction = %" PRId32 ", want THNN_REDUCTION_NONE, MEAN or SUM", fn,
                         reduction);
    }
    return TH_OK;
}

static THStatus check_range(const char *fn, const nll_call *c) {
    const int64_t *target = c->args.target, classes = c->args.classes;
    for (int64_t i = 0; i < c->elements; i++) {
        if ((uint64_t)target[i] >= (uint64_t)classes && target[i] != c->args.ignore_index) {
            return TH_raisef(TH_E_INDEX,
                             "%s: got target %" PRId64 " at element %" PRId64 ", want 0 to %" PRId64
                             " or ignore_index %" PRId64,
                             fn, target[i], i, classes - 1, c->args.ignore_index);
        }
    }
    return TH_OK;
}

/* All that costs nothing to check. */
static THStatus check(const char *fn, const THTensor *log_prob, const THTensor *target, const THTensor *weight,
                      double label_smoothing, int32_t reduction) {
    THStatus status = thnn_check_floating(fn, "log_prob", log_prob);
    if (status == TH_OK) status = check_target(fn, target, log_prob);
    if (status == TH_OK) status = check_options(fn, label_smoothing, reduction);
    if (status == TH_OK && weight) status = thnn_check_param(fn, "weight", weight, THTensor_dtype(log_prob));
    if (status != TH_OK || !weight) return status;
    return thnn_check_sizes(fn, "weight", weight, THTensor_sizes(log_prob) + (THTensor_ndim(log_prob) > 1), 1);
}

/* Makes what kernels read, and checks the targets; release() also after failure. */
static THStatus prepare(nll_call *c, const char *fn, const THTensor *log_prob, const THTensor *target,
                        const THTensor *weight, int64_t ignore_index, double label_smoothing) {
    const THDtype compute = thnn_compute_dtype(THTensor_dtype(log_prob));
    const int32_t class_dim = THTensor_ndim(log_prob) > 1;
    c->args.classes = THTensor_sizes(log_prob)[class_dim];
    c->args.inner =
        THTensor_ndim(log_prob) > 2 ? th_size_product(THTensor_sizes(log_prob) + 2, THTensor_ndim(log_prob) - 2) : 1;
    c->args.ignore_index = ignore_index;
    c->args.smoothing = label_smoothing;
    c->args.divisor = 1;
    c->elements = THTensor_numel(target);
    c->piece = (c->elements + PIECES - 1) / PIECES;
    if (c->piece < PIECE_LEAST) c->piece = PIECE_LEAST;
    c->table = tables[TH_isa_index()];
    THStatus status = thnn_dense(&c->weight, weight, compute);
    if (status == TH_OK) status = thnn_dense(&c->target, target, TH_INT64);
    if (status != TH_OK) return status;
    c->args.weight = thnn_data(c->weight);
    c->args.target = thnn_data(c->target);
    return check_range(fn, c);
}

static void forward_piece(void *arg, int64_t lo, int64_t hi) {
    nll_call *c = arg;
    const THDtype dtype = THTensor_dtype(c->log_prob);
    for (int64_t k = lo; k < hi; k++) {
        const int64_t end = (k + 1) * c->piece;
        c->sums[k][0] = c->sums[k][1] = 0;
        c->table->nll[dtype](&c->args, k * c->piece, end < c->elements ? end : c->elements, c->sums[k]);
    }
}

static void store(THTensor *t, double value) {
    if (THTensor_dtype(t) == TH_FLOAT64) {
        *(double *)THTensor_data(t) = value;
    } else {
        *(float *)THTensor_data(t) = (float)value;
    }
}

static void compute_forward(nll_call *c, int32_t reduction, thnn_output *loss, thnn_output *total) {
    const int64_t pieces = (c->elements + c->piece - 1) / c->piece;
    double parts[PIECES][2], sums[2] = {0, 0};
    c->sums = parts;
    c->args.log_prob = thnn_data(c->log_prob);
    c->args.losses = reduction == THNN_REDUCTION_NONE ? thnn_data(loss->dense) : NULL;
    TH_parallel(pieces, 1, forward_piece, c);
    for (int64_t k = 0; k < pieces; k++) sums[0] += parts[k][0], sums[1] += parts[k][1];
    if (reduction != THNN_REDUCTION_NONE)
        store(loss->dense, reduction == THNN_REDUCTION_MEAN ? sums[0] / sums[1] : sums[0]);
    if (total->dense) store(total->dense, sums[1]);
}

THStatus THNN_nll_loss(THTensor **out, THTensor **total_weight, const THTensor *log_prob, const THTensor *target,
                       const THTensor *weight, int64_t ignore_index, double label_smoothing, int32_t reduction) {
    const char *fn = "THNN_nll_loss";
    const THTensor *inputs[] = {log_prob, target, weight};
    thnn_output loss = {0}, total = {0};
    nll_call c = {.log_prob = NULL};
    THStatus status = check(fn, log_prob, target, weight, label_smoothing, reduction);
    if (status != TH_OK || !out) return status;
    const THDtype dtype = THTensor_dtype(log_prob), compute = thnn_compute_dtype(dtype);
    const int32_t ndim = reduction == THNN_REDUCTION_NONE ? THTensor_ndim(target) : 0;
    status = thnn_output_begin(&loss, fn, out, dtype, THTensor_sizes(target), ndim, inputs, 3);
    if (status == TH_OK && total_weight)
        status = thnn_output_begin(&total, fn, total_weight, compute, NULL, 0, inputs, 3);
    if (status == TH_OK) status = prepare(&c, fn, log_prob, target, weight, ignore_index, label_smoothing);
    if (status == TH_OK) status = thnn_dense(&c.log_prob, log_prob, compute);
    if (status == TH_OK) compute_forward(&c, reduction, &loss, &total);
    release(&c);
    status = thnn_output_end(&total, total_weight, status);
    return thnn_output_end(&loss, out, status);
}

static void backward_piece(void *arg, int64_t lo, int64_t hi) {
    const nll_call *c = arg;
    c->table->nll_backward[THTensor_dtype(c->grad)](&c->args, lo, hi);
}

/* The divisor of MEAN, read in double. */
static THStatus read_total(double *divisor, const char *fn, const THTensor *total_weight, THDtype dtype) {
    THStatus status = thnn_check_param(fn, "total_weight", total_weight, dtype);
    if (status == TH_OK) status = thnn_check_sizes(fn, "total_weight", total_weight, NULL, 0);
    THScalar value;
    if (status == TH_OK) status = THTensor_item(&value, total_weight);
    if (status == TH_OK) *divisor = value.v.d;
    return status;
}

THStatus THNN_nll_loss_backward(THTensor **out, const THTensor *grad, const THTensor *log_prob, const THTensor *target,
                                const THTensor *weight, const THTensor *total_weight, int64_t ignore_index,
                                double label_smoothing, int32_t reduction) {
    const char *fn = "THNN_nll_loss_backward";
    const THTensor *inputs[] = {grad, target, weight, total_weight};
    thnn_output o = {0};
    nll_call c = {.log_prob = NULL};
    double divisor = 1;
    THStatus status = check(fn, log_prob, target, weight, label_smoothing, reduction);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "grad", grad, "log_prob", THTensor_dtype(log_prob));
    if (status != TH_OK) return status;
    const THDtype dtype = THTensor_dtype(log_prob);
    const int32_t each = reduction == THNN_REDUCTION_NONE;
    status = thnn_check_sizes(fn, "grad", grad, THTensor_sizes(target), each ? THTensor_ndim(target) : 0);
    if (status == TH_OK && reduction == THNN_REDUCTION_MEAN) status = read_total(&divisor, fn, total_weight, dtype);
    if (status != TH_OK) return status;
    status = thnn_output_begin(&o, fn, out, dtype, THTensor_sizes(log_prob), THTensor_ndim(log_prob), inputs, 4);
    if (status == TH_OK) status = prepare(&c, fn, log_prob, target, weight, ignore_index, label_smoothing);
    if (status == TH_OK) status = thnn_dense(&c.grad, grad, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        c.args.divisor = divisor;
        c.args.grad = thnn_data(c.grad);
        c.args.grad_step = each;
        c.args.grad_log_prob = thnn_data(o.dense);
        const int64_t grain = c.args.classes < PIECE_LEAST ? PIECE_LEAST / (c.args.classes + 1) + 1 : 1;
        TH_parallel(c.elements, grain * 8, backward_piece, &c);
    }
    release(&c);
    return thnn_output_end(&o, out, status);
}
