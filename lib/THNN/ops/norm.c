/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/norm.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "TH/copy.h"
#include "core/check.h"
#include "core/operand.h"
#include "expr/sizes.h"
#include "kernels/norm.h"

#define TH_TABLE thnn_norm
#include "expr/tables.inc"

enum { PIECE = 32768 }; /* elements that one thread takes at a time */

/* Values per channel, kept as float64 tensors [C]. */
enum { MEAN, VAR, INVSTD, SUM_GRAD, SUM_CROSS, RUNNING_MEAN, RUNNING_VAR, VALUES };

/* One call: what the kernels get, and the tensors behind it. */
typedef struct norm_call {
    thnn_norm_args args;
    const char *fn;
    THDtype dtype, compute;
    int64_t count; /* values per channel */
    THTensor *x, *grad, *weight, *bias, *values[VALUES];
    thnn_norm_kernel kernels[2]; /* run one after the other on each block of channels, which so stays in the cache */
} norm_call;

/* A result [C], to be filled from one of the call's values. */
typedef struct channel_output {
    THTensor **out; /* NULL: not wanted */
    int32_t value;
    THDtype dtype;
    THTensor *result;
} channel_output;

static double *data_of(const norm_call *c, int32_t which) { return thnn_data(c->values[which]); }

static void release(norm_call *c) {
    THTensor *const owned[] = {c->x, c->grad, c->weight, c->bias};
    for (int32_t i = 0; i < 4; i++) THTensor_free(owned[i]);
    for (int32_t i = 0; i < VALUES; i++) THTensor_free(c->values[i]);
}

/* Reads x's sizes as [n, channels, inner]. */
static THStatus begin(norm_call *c, const char *fn, const THTensor *x, int32_t training) {
    *c = (norm_call){.fn = fn};
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status != TH_OK) return status;
    const int32_t ndim = THTensor_ndim(x);
    const int64_t *sizes = THTensor_sizes(x);
    char text[THNN_SIZES_TEXT];
    if (ndim < 2) {
        return TH_raisef(TH_E_SHAPE, "%s: got x of sizes %s, want [N, C, ...]", fn, thnn_sizes_text(text, sizes, ndim));
    }
    c->dtype = THTensor_dtype(x);
    c->compute = thnn_compute_dtype(c->dtype);
    c->args = (thnn_norm_args){
        .n = sizes[0], .channels = sizes[1], .inner = th_size_product(sizes + 2, ndim - 2), .training = training != 0};
    c->count = th_size_mul(c->args.n, c->args.inner);
    if (!training || c->count > 1) return TH_OK;
    return TH_raisef(TH_E_SHAPE, "%s: got x of sizes %s, want more than one value per channel to train", fn,
                     thnn_sizes_text(text, sizes, ndim));
}

/* An optional argument of one value per channel. */
static THStatus check_channels(const norm_call *c, const char *arg, const THTensor *t) {
    if (!t) return TH_OK;
    THStatus status = thnn_check_param(c->fn, arg, t, c->dtype);
    return status == TH_OK ? thnn_check_sizes(c->fn, arg, t, &c->args.channels, 1) : status;
}

static THStatus begin_outputs(norm_call *c, channel_output *outs, int32_t n, const THTensor *const *inputs,
                              int32_t inputs_n) {
    THStatus status = TH_OK;
    for (int32_t i = 0; i < n && status == TH_OK; i++) {
        if (!outs[i].out) continue;
        status = TH_output_begin(&outs[i].result, c->fn, outs[i].out, outs[i].dtype, &c->args.channels, 1, 1, 1, inputs,
                                 inputs_n);
    }
    return status;
}

static THStatus end_outputs(norm_call *c, channel_output *outs, int32_t n, THStatus status) {
    for (int32_t i = 0; i < n && status == TH_OK; i++) {
        if (outs[i].out) status = THTensor_copy(outs[i].result, c->values[outs[i].value]);
    }
    for (int32_t i = 0; i < n; i++) {
        if (outs[i].result) TH_output_end(outs[i].result, outs[i].out, status);
    }
    return status;
}

static void run_piece(void *arg, int64_t lo, int64_t hi) {
    const norm_call *c = arg;
    for (int64_t i = lo, end; i < hi; i = end) {
        end = hi - i < THNN_NORM_CHANNELS ? hi : i + THNN_NORM_CHANNELS;
        for (int32_t k = 0; k < 2; k++) {
            if (c->kernels[k]) c->kernels[k](&c->args, i, end);
        }
    }
}

static void run(norm_call *c) {
    thnn_norm_args *a = &c->args;
    int64_t grain = a->inner == 1 || c->count == 0 ? THNN_NORM_CHANNELS : PIECE / c->count;
    if (grain < 1) grain = 1;
    if (grain > THNN_NORM_CHANNELS) grain = THNN_NORM_CHANNELS;
    a->x = thnn_data(c->x);
    a->grad = thnn_data(c->grad);
    a->weight = thnn_data(c->weight);
    a->bias = thnn_data(c->bias);
    a->mean = data_of(c, MEAN);
    a->var = data_of(c, VAR);
    a->invstd = data_of(c, INVSTD);
    a->sum_grad = data_of(c, SUM_GRAD);
    a->sum_cross = data_of(c, SUM_CROSS);
    TH_parallel(a->channels, grain, run_piece, c);
}

/* New values, from first to last. */
static THStatus new_values(norm_call *c, int32_t first, int32_t last) {
    THStatus status = TH_OK;
    for (int32_t i = first; i <= last && status == TH_OK; i++) {
        status = THTensor_new(&c->values[i], TH_FLOAT64, &c->args.channels, 1);
    }
    return status;
}

/* ---- forward ---- */

static THStatus check_forward(const norm_call *c, const THTensor *const *params, double eps) {
    static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
    THStatus status = TH_OK;
    for (int32_t i = 0; i < 4 && status == TH_OK; i++) status = check_channels(c, names[i], params[i]);
    if (status != TH_OK) return status;
    if (!params[2] != !params[3])
        return TH_raisef(TH_E_ARG, "%s: got one of running_mean and running_var, want both or neither", c->fn);
    if (!c->args.training && !params[2]) {
        return TH_raisef(TH_E_ARG, "%s: got neither running_mean nor running_var, want both when not training", c->fn);
    }
    return eps >= 0 ? TH_OK : TH_raisef(TH_E_ARG, "%s: got eps = %g, want eps >= 0", c->fn, eps);
}

/* Statistics for kernels to use (eval) or room for those that they make (training), and the running ones in float64. */
static THStatus forward_values(norm_call *c, const THTensor *running_mean, const THTensor *running_var) {
    if (c->args.training) {
        THStatus status = new_values(c, MEAN, INVSTD);
        if (status == TH_OK) status = thnn_dense(&c->values[RUNNING_MEAN], running_mean, TH_FLOAT64);
        if (status == TH_OK) status = thnn_dense(&c->values[RUNNING_VAR], running_var, TH_FLOAT64);
        return status;
    }
    THStatus status = new_values(c, INVSTD, INVSTD);
    if (status == TH_OK) status = thnn_dense(&c->values[MEAN], running_mean, TH_FLOAT64);
    if (status == TH_OK) status = thnn_dense(&c->values[VAR], running_var, TH_FLOAT64);
    if (status != TH_OK) return status;
    for (int64_t i = 0; i < c->args.channels; i++) data_of(c, INVSTD)[i] = 1 / sqrt(data_of(c, VAR)[i] + c->args.eps);
    return TH_OK;
}

static void update_running(norm_call *c, double momentum) {
    double *mean = data_of(c, RUNNING_MEAN), *var = data_of(c, RUNNING_VAR);
    const double unbiased = (double)c->count / (double)(c->count - 1);
    for (int64_t i = 0; i < c->args.channels; i++) {
        mean[i] = (1 - momentum) * mean[i] + momentum * data_of(c, MEAN)[i];
        var[i] = (1 - momentum) * var[i] + momentum * data_of(c, VAR)[i] * unbiased;
    }
}

THStatus THNN_batch_norm(THTensor **out, THTensor **save_mean, THTensor **save_invstd, const THTensor *x,
                         const THTensor *weight, const THTensor *bias, THTensor *running_mean, THTensor *running_var,
                         int32_t training, double momentum, double eps) {
    norm_call c;
    thnn_output o = {0};
    const THTensor *const inputs[] = {x, weight, bias, running_mean, running_var};
    THStatus status = begin(&c, "THNN_batch_norm", x, training);
    if (status == TH_OK) status = check_forward(&c, inputs + 1, eps);
    if (status != TH_OK) return status;
    const int32_t update = c.args.training && running_mean;
    channel_output outs[] = {
        {save_mean, MEAN, c.compute, NULL},
        {save_invstd, INVSTD, c.compute, NULL},
        {update ? &running_mean : NULL, RUNNING_MEAN, update ? THTensor_dtype(running_mean) : 0, NULL},
        {update ? &running_var : NULL, RUNNING_VAR, update ? THTensor_dtype(running_var) : 0, NULL}};
    c.args.eps = eps;
    status = thnn_output_begin(&o, c.fn, out, c.dtype, THTensor_sizes(x), THTensor_ndim(x), inputs, 5);
    if (status == TH_OK) status = begin_outputs(&c, outs, 2, inputs, 5);
    if (status == TH_OK) status = begin_outputs(&c, outs + 2, 2, inputs, 3);
    if (status == TH_OK) status = thnn_dense(&c.x, x, c.compute);
    if (status == TH_OK) status = thnn_dense(&c.weight, weight, c.compute);
    if (status == TH_OK) status = thnn_dense(&c.bias, bias, c.compute);
    if (status == TH_OK) status = forward_values(&c, running_mean, running_var);
    if (status == TH_OK) {
        const thnn_norm_table *table = tables[TH_isa_index()];
        c.kernels[0] = c.args.training ? table->stats[c.compute] : NULL;
        c.kernels[1] = table->apply[c.compute];
        c.args.out = thnn_data(o.dense);
        run(&c);
        if (update) update_running(&c, momentum);
    }
    status = end_outputs(&c, outs, 4, status);
    release(&c);
    return thnn_output_end(&o, out, status);
}

/* ---- backward ---- */

static THStatus check_backward(const norm_call *c, const THTensor *grad, const THTensor *x, const THTensor *weight,
                               const THTensor *mean, const THTensor *invstd) {
    THStatus status = thnn_check_same_dtype(c->fn, "grad", grad, "x", c->dtype);
    if (status == TH_OK) status = thnn_check_sizes(c->fn, "grad", grad, THTensor_sizes(x), THTensor_ndim(x));
    if (status == TH_OK) status = check_channels(c, "weight", weight);
    if (status == TH_OK) status = TH_check_input(c->fn, "mean", mean);
    if (status == TH_OK) status = check_channels(c, "mean", mean);
    if (status == TH_OK) status = TH_check_input(c->fn, "invstd", invstd);
    if (status == TH_OK) status = check_channels(c, "invstd", invstd);
    return status;
}

THStatus THNN_batch_norm_backward(THTensor **grad_x, THTensor **grad_weight, THTensor **grad_bias, const THTensor *grad,
                                  const THTensor *x, const THTensor *weight, const THTensor *mean,
                                  const THTensor *invstd, int32_t training) {
    norm_call c;
    thnn_output o = {0};
    const THTensor *const inputs[] = {grad, x, weight, mean, invstd};
    THStatus status = begin(&c, "THNN_batch_norm_backward", x, training);
    if (status == TH_OK) status = check_backward(&c, grad, x, weight, mean, invstd);
    if (status != TH_OK) return status;
    const THDtype param = weight ? THTensor_dtype(weight) : c.dtype;
    channel_output outs[] = {{grad_weight, SUM_CROSS, param, NULL}, {grad_bias, SUM_GRAD, param, NULL}};
    if (grad_x) status = thnn_output_begin(&o, c.fn, grad_x, c.dtype, THTensor_sizes(x), THTensor_ndim(x), inputs, 5);
    if (status == TH_OK) status = begin_outputs(&c, outs, 2, inputs, 5);
    if (status == TH_OK) status = thnn_dense(&c.x, x, c.compute);
    if (status == TH_OK) status = thnn_dense(&c.grad, grad, c.compute);
    if (status == TH_OK) status = thnn_dense(&c.weight, weight, c.compute);
    if (status == TH_OK) status = thnn_dense(&c.values[MEAN], mean, TH_FLOAT64);
    if (status == TH_OK) status = thnn_dense(&c.values[INVSTD], invstd, TH_FLOAT64);
    if (status == TH_OK) status = new_values(&c, SUM_GRAD, SUM_CROSS);
    if (status == TH_OK) {
        const thnn_norm_table *table = tables[TH_isa_index()];
        const int32_t sums = c.args.training || grad_weight || grad_bias;
        c.kernels[0] = sums ? table->grad_sums[c.compute] : NULL;
        c.kernels[1] = grad_x ? table->grad_apply[c.compute] : NULL;
        c.args.out = thnn_data(o.dense);
        run(&c);
        for (int64_t i = 0; sums && i < c.args.channels; i++) data_of(&c, SUM_CROSS)[i] *= data_of(&c, INVSTD)[i];
    }
    status = end_outputs(&c, outs, 2, status);
    release(&c);
    return thnn_output_end(&o, grad_x, status);
}
