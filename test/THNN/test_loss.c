/* SPDX-License-Identifier: BSD-3-Clause */
/* Negative log-likelihood against the formula of THNN/loss.h in long double, and bad targets. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "THNN/loss.h"
#include "THNN/softmax.h"

#include <stdio.h>

typedef long double real;

enum { NONE = THNN_REDUCTION_NONE, MEAN = THNN_REDUCTION_MEAN, SUM = THNN_REDUCTION_SUM, IGNORED = -100 };

/* Double sums of doubles round at every step. */
static void assert_near(const THTensor *t, int64_t i, real want, real scale) {
    const THDtype dtype = THTensor_dtype(t);
    assert_within(t, i, want, (dtype == TH_FLOAT64 ? 32 : 2) * ulp_of(dtype, fmaxl(scale, fabsl(want))));
}

/* One problem: [N, C, inner...] with targets, some ignored. */
typedef struct problem {
    THTensor *log_prob, *target, *weight; /* weight may be NULL */
    int64_t classes, inner, elements;
    double smoothing;
} problem;

static real weight_of(const problem *p, int64_t c) { return p->weight ? element(p->weight, c) : 1; }
static int64_t class_at(const problem *p, int64_t i, int64_t c) {
    return (i / p->inner * p->classes + c) * p->inner + i % p->inner;
}

static real loss_of(const problem *p, int64_t i) {
    const int64_t t = (int64_t)element(p->target, i);
    if (t == IGNORED) return 0;
    real all = 0;
    for (int64_t c = 0; c < p->classes; c++) all -= weight_of(p, c) * element(p->log_prob, class_at(p, i, c));
    return -(1 - p->smoothing) * weight_of(p, t) * element(p->log_prob, class_at(p, i, t)) +
           p->smoothing / p->classes * all;
}

static real total_of(const problem *p) {
    real total = 0;
    for (int64_t i = 0; i < p->elements; i++) {
        const int64_t t = (int64_t)element(p->target, i);
        if (t != IGNORED) total += weight_of(p, t);
    }
    return total;
}

static real slope_of(const problem *p, int64_t i, int64_t c) {
    const int64_t t = (int64_t)element(p->target, i);
    if (t == IGNORED) return 0;
    return -(1 - p->smoothing) * (c == t) * weight_of(p, t) - p->smoothing / p->classes * weight_of(p, c);
}

static void check_backward(const problem *p, int32_t reduction, const THTensor *total) {
    const THDtype dtype = THTensor_dtype(p->log_prob);
    const int32_t ndim = reduction == NONE ? THTensor_ndim(p->target) : 0;
    THTensor *grad = tensor_random(dtype, THTensor_sizes(p->target), ndim, -2, 2, 9), *out = NULL;
    assert_ok(THNN_nll_loss_backward(&out, grad, p->log_prob, p->target, p->weight, reduction == MEAN ? total : NULL,
                                     IGNORED, p->smoothing, reduction));
    for (int64_t i = 0; i < p->elements; i++) {
        for (int64_t c = 0; c < p->classes; c++) {
            const real g = element(grad, reduction == NONE ? i : 0) / (reduction == MEAN ? element(total, 0) : 1);
            assert_near(out, class_at(p, i, c), g * slope_of(p, i, c), 0);
        }
    }
    THTensor_free(grad);
    THTensor_free(out);
}

static void check_problem(const problem *p) {
    for (int32_t reduction = NONE; reduction <= SUM; reduction++) {
        THTensor *out = NULL, *total = NULL;
        assert_ok(THNN_nll_loss(&out, &total, p->log_prob, p->target, p->weight, IGNORED, p->smoothing, reduction));
        assert_int_equal(THTensor_ndim(out), reduction == NONE ? THTensor_ndim(p->target) : 0);
        assert_int_equal(THTensor_dtype(out), THTensor_dtype(p->log_prob));
        assert_near(total, 0, total_of(p), 0);
        real sum = 0;
        for (int64_t i = 0; i < p->elements; i++) {
            sum += loss_of(p, i);
            if (reduction == NONE) assert_near(out, i, loss_of(p, i), 0);
        }
        if (reduction == SUM) assert_near(out, 0, sum, 0);
        if (reduction == MEAN) assert_near(out, 0, sum / total_of(p), 0);
        check_backward(p, reduction, total);
        THTensor_free(out);
        THTensor_free(total);
    }
}

/* Targets in [0, C), every fifth ignored. */
static THTensor *random_targets(THDtype dtype, const int64_t *sizes, int32_t ndim, int64_t classes) {
    THTensor *t = tensor_random(dtype, sizes, ndim, 0, (double)classes, 11);
    for (int64_t i = 2; dtype != TH_UINT8 && i < THTensor_numel(t); i += 5) set_element(t, i, IGNORED);
    return t;
}

static void check_with(THDtype dtype, THDtype index, const int64_t *sizes, int32_t ndim, int layout, int weighted,
                       double smoothing) {
    int64_t target_sizes[4], n = 0;
    for (int32_t i = 0; i < ndim; i++) {
        if (i != (ndim > 1)) target_sizes[n++] = sizes[i];
    }
    problem p = {.classes = sizes[ndim > 1], .inner = 1, .smoothing = smoothing};
    for (int32_t i = 2; i < ndim; i++) p.inner *= sizes[i];
    THTensor *x = tensor_random(dtype, sizes, ndim, -4, -0.1, 7),
             *t = random_targets(index, target_sizes, (int32_t)n, p.classes);
    p.log_prob = tensor_as(x, layout);
    p.target = tensor_as(t, layout);
    p.weight = weighted ? tensor_random(dtype, &p.classes, 1, 0.5, 2, 5) : NULL;
    p.elements = THTensor_numel(t);
    check_problem(&p);
    THTensor *const owned[] = {x, t, p.log_prob, p.target, p.weight};
    for (int i = 0; i < 5; i++) THTensor_free(owned[i]);
}

static void check_values(void) {
    static const struct {
        int64_t sizes[4];
        int32_t ndim;
    } cases[] = {{{10}, 1},      {{1, 3}, 2},        {{32, 10}, 2}, {{7, 100}, 2},
                 {{3, 5, 4}, 3}, {{2, 4, 3, 17}, 4}, {{2, 1, 6}, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int d = 0; d < 4; d++) {
            for (int variant = 0; variant < 4; variant++) {
                check_with(float_dtypes[d], TH_INT64, cases[k].sizes, cases[k].ndim, variant, variant & 1,
                           variant & 2 ? 0.1 : 0);
            }
        }
        check_with(TH_FLOAT32, TH_INT32, cases[k].sizes, cases[k].ndim, LAYOUT_REVERSED, 1, 1);
        check_with(TH_FLOAT32, TH_UINT8, cases[k].sizes, cases[k].ndim, LAYOUT_GAPS, 0, 0);
    }
}
static void test_values(void **state) { (void)state, on_every_isa(check_values); }

/* Cross-entropy from logits as PyTorch defines it: both terms of the mean are divided by the weights of the targets. */
static void test_cross_entropy(void **state) {
    (void)state;
    static const double logits[] = {1, 2, 3, 0.5, -1, 2, 0, 0, 0}, weights[] = {0.5, 2, 1};
    static const double targets[] = {2, 0, 1};
    THTensor *x = tensor_of(TH_FLOAT64, LIST(3, 3), logits), *t = tensor_of(TH_INT64, LIST(3), targets);
    THTensor *w = tensor_of(TH_FLOAT64, LIST(3), weights), *log_p = NULL, *out = NULL;
    real hard = 0, smooth = 0, total = 0;
    for (int i = 0; i < 3; i++) {
        real sum = 0;
        for (int c = 0; c < 3; c++) sum += expl(logits[i * 3 + c]);
        for (int c = 0; c < 3; c++) smooth -= weights[c] * (logits[i * 3 + c] - logl(sum)) / 3;
        hard -= weights[(int)targets[i]] * (logits[i * 3 + (int)targets[i]] - logl(sum));
        total += weights[(int)targets[i]];
    }
    assert_ok(THNN_log_softmax(&log_p, x, 1));
    assert_ok(THNN_nll_loss(&out, NULL, log_p, t, w, IGNORED, 0.2, MEAN));
    assert_element(out, 0, 0.8 * hard / total + 0.2 * smooth / total, 16);
    THTensor *const owned[] = {x, t, w, log_p, out};
    for (int i = 0; i < 5; i++) THTensor_free(owned[i]);
}

/* Everything ignored: 0, or NaN for the mean; gradients 0. The ignored class may be a valid one. */
static void test_all_ignored(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(3, 4), -3, -1, 1),
             *t = tensor_of(TH_INT64, LIST(3), (double[]){1, 1, 1});
    THTensor *ones = tensor_of(TH_FLOAT32, LIST(3), (double[]){1, 1, 1}),
             *one = tensor_of(TH_FLOAT32, NULL, 0, (double[]){1});
    for (int smooth = 0; smooth < 2; smooth++) {
        for (int32_t reduction = NONE; reduction <= SUM; reduction++) {
            THTensor *out = NULL, *total = NULL, *grad = NULL;
            assert_ok(THNN_nll_loss(&out, &total, x, t, NULL, 1, smooth * 0.5, reduction));
            for (int64_t i = 0; i < THTensor_numel(out); i++) assert_element(out, i, reduction == MEAN ? NAN : 0, 0);
            assert_element(total, 0, 0, 0);
            assert_ok(THNN_nll_loss_backward(&grad, reduction == NONE ? ones : one, x, t, NULL, total, 1, smooth * 0.5,
                                             reduction));
            for (int64_t i = 0; i < 12; i++) assert_element(grad, i, 0, 0);
            THTensor_free(out);
            THTensor_free(total);
            THTensor_free(grad);
        }
    }
    THTensor *const owned[] = {x, t, ones, one};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
}

static void test_empty(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(0, 4)), *t = tensor_empty(TH_INT64, LIST(0)), *out = NULL, *grad = NULL;
    THTensor *none = tensor_empty(TH_FLOAT32, LIST(2, 0)), *two = tensor_of(TH_INT64, LIST(2), (double[]){0, 0});
    assert_ok(THNN_nll_loss(&out, NULL, x, t, NULL, IGNORED, 0, MEAN));
    assert_true(isnan(element(out, 0)));
    assert_ok(THNN_nll_loss(&out, NULL, x, t, NULL, IGNORED, 0, SUM));
    assert_element(out, 0, 0, 0);
    assert_ok(THNN_nll_loss_backward(&grad, out, x, t, NULL, NULL, IGNORED, 0, SUM));
    assert_is(grad, TH_FLOAT32, 0, 4);
    THTensor_free(out);
    out = NULL;
    assert_ok(THNN_nll_loss(&out, NULL, x, t, NULL, IGNORED, 0, NONE));
    assert_is(out, TH_FLOAT32, 0);
    THTensor *bad = NULL;
    assert_fails(TH_E_INDEX, "got target 0 at element 0", THNN_nll_loss(&bad, NULL, none, two, NULL, IGNORED, 0, SUM));
    assert_null(bad);
    THTensor *const owned[] = {x, t, out, grad, none, two};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

/* A class of probability 0 counts only where it is the target. */
static void test_infinite(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_FLOAT32, LIST(2, 2), (double[]){0, -INFINITY, -INFINITY, 0}), *out = NULL;
    THTensor *t = tensor_of(TH_INT64, LIST(2), (double[]){0, 0});
    assert_ok(THNN_nll_loss(&out, NULL, x, t, NULL, IGNORED, 0, NONE));
    assert_element(out, 0, 0, 0);
    assert_element(out, 1, INFINITY, 0);
    THTensor_free(x);
    THTensor_free(out);
    THTensor_free(t);
}

static void test_given_outputs(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(6, 5, 7), -3, -1, 1), *t = random_targets(TH_INT64, LIST(6, 7), 5);
    THTensor *g = tensor_random(TH_FLOAT32, LIST(6, 7), -3, -1, 2), *y = NULL, *gx = NULL;
    assert_ok(THNN_nll_loss(&y, NULL, x, t, NULL, IGNORED, 0.1, NONE));
    assert_ok(THNN_nll_loss_backward(&gx, g, x, t, NULL, NULL, IGNORED, 0.1, NONE));
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        THTensor *out = tensor_in_layout(TH_FLOAT32, LIST(6, 7), layout), *place = tensor_as(x, layout), *total = NULL;
        assert_ok(THNN_nll_loss(&out, &total, x, t, NULL, IGNORED, 0.1, NONE));
        assert_same(out, y);
        assert_holes(out);
        assert_ok(THNN_nll_loss(&total, NULL, x, t, NULL, IGNORED, 0.1, SUM));
        assert_ok(THNN_nll_loss_backward(&place, g, place, t, NULL, NULL, IGNORED, 0.1, NONE));
        assert_same(place, gx);
        assert_holes(place);
        THTensor_free(out);
        THTensor_free(place);
        THTensor_free(total);
    }
    THTensor *const owned[] = {x, t, g, y, gx};
    for (int i = 0; i < 5; i++) THTensor_free(owned[i]);
}

/* Many elements: sums do not drift, and threads do not change a bit. */
static void test_threads(void **state) {
    (void)state;
    const int64_t n = 500000, sizes[] = {n, 2}, target_sizes[] = {n};
    THTensor *one = tensor_of(TH_FLOAT32, LIST(1, 2), (double[]){-0.1, -0.3}), *x = NULL,
             *t = tensor_empty(TH_INT32, target_sizes, 1);
    memset(THTensor_data(t), 0, (size_t)n * sizeof(int32_t));
    assert_ok(THTensor_expand(&x, one, sizes, 2));
    THTensor *out[2] = {NULL, NULL}, *total = NULL, *gx[2] = {NULL, NULL};
    const int32_t before = TH_num_threads();
    for (int32_t k = 0; k < 2; k++) {
        assert_ok(TH_set_num_threads(k + 1));
        assert_ok(THNN_nll_loss(&out[k], &total, x, t, NULL, IGNORED, 0.1, SUM));
        assert_ok(THNN_nll_loss_backward(&gx[k], out[k], x, t, NULL, total, IGNORED, 0.1, MEAN));
    }
    assert_ok(TH_set_num_threads(before));
    assert_element(out[0], 0, n * (0.9L * 0.1f + 0.05L * (0.1f + 0.3f)), 1);
    assert_element(total, 0, n, 0);
    assert_memory_equal(THTensor_data(out[0]), THTensor_data(out[1]), sizeof(float));
    assert_memory_equal(THTensor_data(gx[0]), THTensor_data(gx[1]), (size_t)n * 2 * sizeof(float));
    THTensor *const owned[] = {one, x, t, out[0], out[1], total, gx[0], gx[1]};
    for (int i = 0; i < 8; i++) THTensor_free(owned[i]);
}

/* float32 parameters beside half data. */
static void test_wide_weight(void **state) {
    (void)state;
    THTensor *x = tensor_of(TH_BFLOAT16, LIST(1, 2), (double[]){-1, -2}),
             *t = tensor_of(TH_INT64, LIST(1), (double[]){1});
    THTensor *w = tensor_of(TH_FLOAT32, LIST(2), (double[]){1, 1.001}), *out = NULL, *total = NULL, *gx = NULL;
    assert_ok(THNN_nll_loss(&out, &total, x, t, w, IGNORED, 0, SUM));
    assert_int_equal(THTensor_dtype(out), TH_BFLOAT16);
    assert_element(total, 0, 1.001f, 0);
    assert_ok(THNN_nll_loss_backward(&gx, out, x, t, w, total, IGNORED, 0, MEAN));
    assert_element(gx, 1, -2, 0);
    THTensor *const owned[] = {x, t, w, out, total, gx};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

/* ---- bad input ---- */

static void test_bad_targets(void **state) {
    (void)state;
    static const double bad[] = {3, -1, 1e15, -5e15};
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -3, -1, 1), *out = NULL,
             *g = tensor_of(TH_FLOAT32, NULL, 0, (double[]){1});
    THTensor *given = tensor_of(TH_FLOAT32, LIST(2, 3), (double[]){7, 7, 7, 7, 7, 7});
    for (int k = 0; k < 4; k++) {
        char text[64];
        snprintf(text, sizeof text, "got target %.0f at element 1, want 0 to 2", bad[k]);
        THTensor *t = tensor_of(TH_INT64, LIST(2), (double[]){0, bad[k]});
        assert_fails(TH_E_INDEX, text, THNN_nll_loss(&out, NULL, x, t, NULL, IGNORED, 0, MEAN));
        assert_fails(TH_E_INDEX, text, THNN_nll_loss_backward(&given, g, x, t, NULL, NULL, IGNORED, 0, SUM));
        assert_element(given, 0, 7, 0);
        assert_ok(THNN_nll_loss(&out, NULL, x, t, NULL, (int64_t)bad[k], 0, MEAN)); /* as ignore_index it is fine */
        assert_element(out, 0, -element(x, 0), 0);
        THTensor_free(out);
        THTensor_free(t);
        out = NULL;
    }
    THTensor_free(x);
    THTensor_free(g);
    THTensor_free(given);
}

static void test_errors(void **state) {
    (void)state;
    THTensor *x = tensor_random(TH_FLOAT32, LIST(2, 3), -3, -1, 1), *t = tensor_of(TH_INT64, LIST(2), (double[]){0, 1});
    THTensor *row = tensor_of(TH_INT64, LIST(1, 2), (double[]){0, 1}),
             *w = tensor_of(TH_FLOAT32, LIST(2), (double[]){1, 1});
    THTensor *wide = tensor_of(TH_FLOAT64, LIST(3), (double[]){1, 1, 1}),
             *g = tensor_of(TH_FLOAT32, NULL, 0, (double[]){1});
    THTensor *scalar = tensor_of(TH_FLOAT32, NULL, 0, (double[]){1}), *out = NULL;
    assert_fails(TH_E_ARG, "THNN_nll_loss: log_prob is NULL", THNN_nll_loss(&out, NULL, NULL, t, NULL, 0, 0, MEAN));
    assert_fails(TH_E_ARG, "THNN_nll_loss: target is NULL", THNN_nll_loss(&out, NULL, x, NULL, NULL, 0, 0, MEAN));
    assert_fails(TH_E_TYPE, "got log_prob of dtype int64", THNN_nll_loss(&out, NULL, t, t, NULL, 0, 0, MEAN));
    assert_fails(TH_E_TYPE, "got target of dtype float32, want int64, int32 or uint8",
                 THNN_nll_loss(&out, NULL, x, w, NULL, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got target of sizes [1, 2], want [2]",
                 THNN_nll_loss(&out, NULL, x, row, NULL, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got log_prob of sizes []", THNN_nll_loss(&out, NULL, scalar, t, NULL, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got weight of sizes [2], want [3]", THNN_nll_loss(&out, NULL, x, t, w, 0, 0, MEAN));
    assert_fails(TH_E_TYPE, "got weight of dtype float64, want float32",
                 THNN_nll_loss(&out, NULL, x, t, wide, 0, 0, MEAN));
    assert_fails(TH_E_ARG, "got label_smoothing = 1.5, want 0 to 1",
                 THNN_nll_loss(&out, NULL, x, t, NULL, 0, 1.5, MEAN));
    assert_fails(TH_E_ARG, "got label_smoothing = nan", THNN_nll_loss(&out, NULL, x, t, NULL, 0, NAN, MEAN));
    assert_fails(TH_E_ARG, "got reduction = 3", THNN_nll_loss(&out, NULL, x, t, NULL, 0, 0, 3));
    assert_fails(TH_E_SHAPE, "THNN_nll_loss", THNN_nll_loss(&w, NULL, x, t, NULL, 0, 0, MEAN));
    assert_fails(TH_E_ARG, "THNN_nll_loss_backward: grad is NULL",
                 THNN_nll_loss_backward(&out, NULL, x, t, NULL, NULL, 0, 0, SUM));
    assert_fails(TH_E_SHAPE, "got grad of sizes [], want [2]",
                 THNN_nll_loss_backward(&out, g, x, t, NULL, NULL, 0, 0, NONE));
    assert_fails(TH_E_ARG, "total_weight is NULL", THNN_nll_loss_backward(&out, g, x, t, NULL, NULL, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got total_weight of sizes [2], want []",
                 THNN_nll_loss_backward(&out, g, x, t, NULL, w, 0, 0, MEAN));
    assert_null(out);
    THTensor *const owned[] = {x, t, row, w, wide, g, scalar};
    for (int i = 0; i < 7; i++) THTensor_free(owned[i]);
}

/* Without a result the arguments alone are looked at; and always first of all. */
static void test_checks_come_first(void **state) {
    (void)state;
    THTensor *dense = tensor_random(TH_FLOAT16, LIST(40, 30), -3, -1, 1), *x = tensor_as(dense, LAYOUT_GAPS);
    THTensor *t = tensor_random(TH_INT32, LIST(40), 0, 29, 2), *beyond = tensor_random(TH_INT32, LIST(40), 30, 40, 2);
    THTensor *w = tensor_random(TH_FLOAT16, LIST(30), 1, 2, 3), *few = tensor_random(TH_FLOAT16, LIST(29), 1, 2, 3);
    THTensor *g = tensor_random(TH_FLOAT16, LIST(40), 1, 2, 3), *one = tensor_random(TH_FLOAT16, NULL, 0, 1, 2, 3),
             *out = NULL;
    THMemoryStats before = {.struct_size = sizeof before}, after = {.struct_size = sizeof after};
    assert_fails(TH_E_SHAPE, "got weight", THNN_nll_loss(NULL, NULL, x, t, few, 0, 0, MEAN)); /* room for texts */
    assert_ok(TH_memory_stats(&before));
    assert_ok(THNN_nll_loss(NULL, NULL, x, t, w, 0, 0, MEAN));
    assert_ok(THNN_nll_loss(NULL, NULL, x, beyond, w, 0, 0, MEAN)); /* targets are no such thing */
    assert_fails(TH_E_SHAPE, "got weight", THNN_nll_loss(NULL, NULL, x, t, few, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got out", THNN_nll_loss(&few, NULL, x, beyond, w, 0, 0, NONE));
    assert_fails(TH_E_SHAPE, "got grad", THNN_nll_loss_backward(&out, few, x, beyond, w, NULL, 0, 0, NONE));
    assert_fails(TH_E_ARG, "total_weight", THNN_nll_loss_backward(&out, one, x, beyond, w, NULL, 0, 0, MEAN));
    assert_fails(TH_E_SHAPE, "got out", THNN_nll_loss_backward(&few, g, x, beyond, w, NULL, 0, 0, NONE));
    assert_ok(TH_memory_stats(&after));
    assert_int_equal(after.allocations, before.allocations);
    THTensor *const owned[] = {dense, x, t, beyond, w, few, g, one};
    for (int i = 0; i < 8; i++) THTensor_free(owned[i]);
}

static void without_memory(void *arg) {
    THTensor *const *in = arg;
    THTensor *out = NULL, *total = NULL, *gx = NULL;
    THStatus status = THNN_nll_loss(&out, &total, in[0], in[1], in[2], IGNORED, 0.1, NONE);
    assert_true(status == TH_OK ? out && total : status == TH_E_MEMORY && !out && !total);
    status = THNN_nll_loss_backward(&gx, in[3], in[0], in[1], in[2], NULL, IGNORED, 0.1, SUM);
    assert_true(status == TH_OK ? gx != NULL : status == TH_E_MEMORY && !gx);
    THTensor_free(out);
    THTensor_free(total);
    THTensor_free(gx);
}

static void test_memory(void **state) {
    (void)state;
    THTensor *dense = tensor_random(TH_FLOAT16, LIST(3, 4), -3, -1, 1),
             *target = tensor_of(TH_INT32, LIST(3), (double[]){0, IGNORED, 3});
    THTensor *in[] = {tensor_as(dense, LAYOUT_GAPS), target, tensor_random(TH_FLOAT16, LIST(4), 1, 2, 1),
                      tensor_of(TH_FLOAT16, NULL, 0, (double[]){1})};
    oom_each(without_memory, in);
    THTensor_free(dense);
    for (int i = 0; i < 4; i++) THTensor_free(in[i]);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_cross_entropy),     cmocka_unit_test(test_all_ignored),
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_infinite),          cmocka_unit_test(test_given_outputs),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_wide_weight),       cmocka_unit_test(test_bad_targets),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_checks_come_first), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
