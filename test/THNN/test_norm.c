/* SPDX-License-Identifier: BSD-3-Clause */
/* Batch normalisation against the definition in long double; the gradient also against differences of it. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "THNN/norm.h"

typedef long double real;

static const double eps = 1e-5, momentum = 0.25;

static void assert_near(const THTensor *t, int64_t i, real want, real scale, double ulp) {
    assert_within(t, i, want, ulp * ulp_of(THTensor_dtype(t), fmaxl(scale, fabsl(want))));
}

/* ---- reference ---- */

typedef struct problem {
    THTensor *x, *grad, *weight, *bias, *mean, *var; /* mean, var: running ones */
    int64_t channels, inner, count;
} problem;

static int64_t channel_of(const problem *p, int64_t i) { return i / p->inner % p->channels; }
static real optional(const THTensor *t, int64_t c, real otherwise) { return t ? element(t, c) : otherwise; }

static void stats_of(const problem *p, int64_t c, real *mean, real *var) {
    real sum = 0, squares = 0;
    for (int64_t i = 0; i < THTensor_numel(p->x); i++) sum += channel_of(p, i) == c ? element(p->x, i) : 0;
    *mean = sum / p->count;
    for (int64_t i = 0; i < THTensor_numel(p->x); i++) {
        const real d = element(p->x, i) - *mean;
        squares += channel_of(p, i) == c ? d * d : 0;
    }
    *var = squares / p->count;
}

static void free_problem(problem *p) {
    THTensor *const owned[] = {p->x, p->grad, p->weight, p->bias, p->mean, p->var};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

/* param: dtype of the parameters. variant 0: neither weight nor bias, 1: weight, 2: bias, 3: both. */
static problem make_problem(THDtype dtype, THDtype param, const int64_t *sizes, int32_t ndim, int layout, int variant) {
    problem p = {.channels = sizes[1], .inner = 1};
    for (int32_t i = 2; i < ndim; i++) p.inner *= sizes[i];
    p.count = sizes[0] * p.inner;
    THTensor *x = tensor_random(dtype, sizes, ndim, -1, 3, 1), *g = tensor_random(dtype, sizes, ndim, -2, 2, 2);
    p.x = tensor_as(x, layout);
    p.grad = tensor_as(g, (layout + 1) % LAYOUT_COUNT);
    THTensor_free(x);
    THTensor_free(g);
    if (variant & 1) p.weight = tensor_random(param, &p.channels, 1, 0.5, 2, 3);
    if (variant & 2) p.bias = tensor_random(param, &p.channels, 1, -1, 1, 4);
    THTensor *mean = tensor_random(param, &p.channels, 1, 0, 2, 5),
             *var = tensor_random(param, &p.channels, 1, 0.5, 2, 6);
    p.mean = tensor_as(mean, layout);
    p.var = tensor_as(var, layout);
    THTensor_free(mean);
    THTensor_free(var);
    return p;
}

/* ---- values ---- */

static void check_forward(const problem *p, int32_t training, THTensor **save_mean, THTensor **save_invstd) {
    THTensor *y = NULL, *mean = tensor_as(p->mean, LAYOUT_GAPS), *var = tensor_as(p->var, LAYOUT_GAPS);
    assert_ok(
        THNN_batch_norm(&y, save_mean, save_invstd, p->x, p->weight, p->bias, mean, var, training, momentum, eps));
    assert_int_equal(THTensor_dtype(y), THTensor_dtype(p->x));
    assert_int_equal(THTensor_dtype(*save_mean), THTensor_dtype(y) == TH_FLOAT64 ? TH_FLOAT64 : TH_FLOAT32);
    for (int64_t c = 0; c < p->channels; c++) {
        real m = element(p->mean, c), v = element(p->var, c);
        if (training) {
            stats_of(p, c, &m, &v);
            assert_near(mean, c, (1 - momentum) * element(p->mean, c) + momentum * m, 1, 2);
            assert_near(var, c, (1 - momentum) * element(p->var, c) + momentum * v * p->count / (p->count - 1), 1, 2);
        } else {
            assert_element(mean, c, m, 0);
            assert_element(var, c, v, 0);
        }
        assert_near(*save_mean, c, m, 1, 4);
        assert_near(*save_invstd, c, 1 / sqrtl(v + eps), 0, 16);
        for (int64_t i = 0; i < THTensor_numel(p->x); i++) {
            if (channel_of(p, i) != c) continue;
            const real scale = optional(p->weight, c, 1) / sqrtl(v + eps);
            assert_near(y, i, (element(p->x, i) - m) * scale + optional(p->bias, c, 0), fabsl(scale) * 4, 4);
        }
    }
    assert_holes(mean);
    assert_holes(var);
    THTensor_free(y);
    THTensor_free(mean);
    THTensor_free(var);
}

static void check_backward(const problem *p, int32_t training, const THTensor *mean, const THTensor *invstd) {
    THTensor *gx = NULL, *gw = NULL, *gb = NULL;
    assert_ok(THNN_batch_norm_backward(&gx, &gw, &gb, p->grad, p->x, p->weight, mean, invstd, training));
    assert_int_equal(THTensor_dtype(gx), THTensor_dtype(p->x));
    assert_int_equal(THTensor_dtype(gw), p->weight ? THTensor_dtype(p->weight) : THTensor_dtype(p->x));
    for (int64_t c = 0; c < p->channels; c++) {
        const real m = element(mean, c), s = element(invstd, c), w = optional(p->weight, c, 1);
        real sum = 0, cross = 0, size = 0;
        for (int64_t i = 0; i < THTensor_numel(p->x); i++) {
            if (channel_of(p, i) != c) continue;
            const real hat = (element(p->x, i) - m) * s;
            sum += element(p->grad, i);
            cross += element(p->grad, i) * hat;
            size += fabsl(element(p->grad, i)) * (1 + fabsl(hat));
        }
        assert_near(gb, c, sum, size / 4, 4);
        assert_near(gw, c, cross, size / 4, 4);
        for (int64_t i = 0; i < THTensor_numel(p->x); i++) {
            if (channel_of(p, i) != c) continue;
            const real hat = (element(p->x, i) - m) * s, g = element(p->grad, i);
            const real want = training ? w * s * (g - sum / p->count - hat * cross / p->count) : w * s * g;
            assert_near(gx, i, want, w * s * (2 + size / p->count), 4);
        }
    }
    THTensor *const owned[] = {gx, gw, gb};
    for (int i = 0; i < 3; i++) THTensor_free(owned[i]);
}

static void check_values(void) {
    static const struct {
        int64_t sizes[4];
        int32_t ndim;
    } cases[] = {{{8, 5}, 2},     {{3, 70}, 2},      {{2, 3, 5}, 3},    {{5, 3, 1}, 3},
                 {{1, 2, 40}, 3}, {{3, 4, 5, 7}, 4}, {{2, 66, 2, 2}, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int d = 0; d < 4; d++) {
            for (int variant = 0; variant < 4; variant++) {
                const THDtype param = variant == 3 && float_dtypes[d] < TH_FLOAT32 ? TH_FLOAT32 : float_dtypes[d];
                problem p = make_problem(float_dtypes[d], param, cases[k].sizes, cases[k].ndim, variant, variant);
                for (int32_t training = 0; training < 2; training++) {
                    THTensor *mean = NULL, *invstd = NULL;
                    check_forward(&p, training, &mean, &invstd);
                    check_backward(&p, training, mean, invstd);
                    THTensor_free(mean);
                    THTensor_free(invstd);
                }
                free_problem(&p);
            }
        }
    }
}
static void test_values(void **state) { (void)state, on_every_isa(check_values); }

/* sum(grad * y) as a function of x, and its derivative by central differences. */
static real objective(const problem *p) {
    real sum = 0;
    for (int64_t c = 0; c < p->channels; c++) {
        real m, v;
        stats_of(p, c, &m, &v);
        for (int64_t i = 0; i < THTensor_numel(p->x); i++) {
            if (channel_of(p, i) == c)
                sum += element(p->grad, i) * (element(p->x, i) - m) / sqrtl(v + eps) * element(p->weight, c);
        }
    }
    return sum;
}

static void test_differences(void **state) {
    (void)state;
    problem p = make_problem(TH_FLOAT64, TH_FLOAT64, (int64_t[]){3, 2, 4}, 3, LAYOUT_CONTIGUOUS, 3);
    THTensor *y = NULL, *mean = NULL, *invstd = NULL, *gx = NULL;
    assert_ok(THNN_batch_norm(&y, &mean, &invstd, p.x, p.weight, p.bias, NULL, NULL, 1, momentum, eps));
    assert_ok(THNN_batch_norm_backward(&gx, NULL, NULL, p.grad, p.x, p.weight, mean, invstd, 1));
    for (int64_t i = 0; i < 24; i++) {
        const real x = element(p.x, i), h = 0x1p-17L;
        set_element(p.x, i, x + h);
        const real above = objective(&p), step_up = element(p.x, i) - x;
        set_element(p.x, i, x - h);
        const real below = objective(&p), step_down = x - element(p.x, i);
        set_element(p.x, i, x);
        assert_true(fabsl(element(gx, i) - (above - below) / (step_up + step_down)) < 1e-8L);
    }
    THTensor *const owned[] = {y, mean, invstd, gx};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    free_problem(&p);
}

/* A constant channel normalises to exactly 0, however large or odd its value. */
static void check_constant(void) {
    static const double values[] = {1e8, 0.1, -12345678.9, 3e-30, 1e30};
    for (int d = 2; d < 4; d++) {
        for (int form = 0; form < 2; form++) {
            const int64_t sizes[] = {37, 5, 21};
            THTensor *x = tensor_empty(float_dtypes[d], sizes, form ? 3 : 2), *y = NULL, *mean = NULL;
            for (int64_t i = 0; i < THTensor_numel(x); i++) set_element(x, i, values[i / (form ? 21 : 1) % 5]);
            assert_ok(THNN_batch_norm(&y, &mean, NULL, x, NULL, NULL, NULL, NULL, 1, momentum, eps));
            for (int64_t c = 0; c < 5; c++) assert_element(mean, c, element(x, c * (form ? 21 : 1)), 0);
            for (int64_t i = 0; i < THTensor_numel(x); i++) assert_element(y, i, 0, 0);
            THTensor_free(x);
            THTensor_free(y);
            THTensor_free(mean);
        }
    }
}
static void test_constant(void **state) { (void)state, on_every_isa(check_constant); }

/* A mean far larger than the deviation, in float32. */
static void check_offset(void) {
    problem p = make_problem(TH_FLOAT32, TH_FLOAT32, (int64_t[]){50, 3, 11}, 3, LAYOUT_CONTIGUOUS, 0);
    THTensor *y = NULL;
    for (int64_t i = 0; i < THTensor_numel(p.x); i++) set_element(p.x, i, 1e6L + element(p.x, i));
    assert_ok(THNN_batch_norm(&y, NULL, NULL, p.x, NULL, NULL, NULL, NULL, 1, momentum, eps));
    for (int64_t c = 0; c < 3; c++) {
        real m, v;
        stats_of(&p, c, &m, &v);
        for (int64_t i = 0; i < THTensor_numel(y); i++) {
            if (channel_of(&p, i) == c) assert_near(y, i, (element(p.x, i) - m) / sqrtl(v + eps), 1, 4);
        }
    }
    THTensor_free(y);
    free_problem(&p);
}
static void test_offset(void **state) { (void)state, on_every_isa(check_offset); }

/* ---- outputs ---- */

static void test_given_outputs(void **state) {
    (void)state;
    static const int64_t sizes[] = {4, 3, 9};
    problem p = make_problem(TH_FLOAT32, TH_FLOAT32, sizes, 3, LAYOUT_CONTIGUOUS, 3);
    THTensor *y = NULL, *mean = NULL, *invstd = NULL, *gx = NULL, *gw = NULL, *gb = NULL, *only = NULL;
    assert_ok(THNN_batch_norm(&y, &mean, &invstd, p.x, p.weight, p.bias, NULL, NULL, 1, momentum, eps));
    assert_ok(THNN_batch_norm_backward(&gx, &gw, &gb, p.grad, p.x, p.weight, mean, invstd, 1));
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        THTensor *out = tensor_in_layout(TH_FLOAT32, sizes, 3, layout),
                 *per_channel = tensor_in_layout(TH_FLOAT32, sizes + 1, 1, layout);
        assert_ok(THNN_batch_norm(&out, &per_channel, NULL, p.x, p.weight, p.bias, NULL, NULL, 1, momentum, eps));
        assert_same(out, y);
        assert_same(per_channel, mean);
        assert_ok(THNN_batch_norm_backward(&out, &per_channel, NULL, p.grad, p.x, p.weight, mean, invstd, 1));
        assert_same(out, gx);
        assert_same(per_channel, gw);
        assert_holes(out);
        assert_holes(per_channel);
        THTensor *place = tensor_as(p.x, layout), *other = tensor_as(p.grad, layout);
        assert_ok(THNN_batch_norm_backward(&other, NULL, NULL, other, place, p.weight, mean, invstd, 1));
        assert_same(other, gx);
        assert_ok(THNN_batch_norm(&place, NULL, NULL, place, p.weight, p.bias, NULL, NULL, 1, momentum, eps));
        assert_same(place, y);
        THTensor *const owned[] = {out, per_channel, place, other};
        for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    }
    assert_ok(THNN_batch_norm_backward(NULL, NULL, &only, p.grad, p.x, p.weight, mean, invstd, 0));
    assert_same(only, gb);
    assert_ok(THNN_batch_norm_backward(NULL, NULL, NULL, p.grad, p.x, p.weight, mean, invstd, 1));
    THTensor *const owned[] = {y, mean, invstd, gx, gw, gb, only};
    for (int i = 0; i < 7; i++) THTensor_free(owned[i]);
    free_problem(&p);
}

static void test_empty(void **state) {
    (void)state;
    static const int64_t all[3][3] = {{0, 3, 4}, {2, 0, 4}, {2, 3, 0}};
    for (int k = 0; k < 3; k++) {
        problem p = make_problem(TH_FLOAT32, TH_FLOAT32, all[k], 3, LAYOUT_CONTIGUOUS, 3);
        THTensor *y = NULL, *mean = NULL, *invstd = NULL, *gx = NULL, *gw = NULL, *gb = NULL;
        assert_ok(THNN_batch_norm(&y, &mean, &invstd, p.x, p.weight, p.bias, p.mean, p.var, 0, momentum, eps));
        assert_is(y, TH_FLOAT32, all[k][0], all[k][1], all[k][2]);
        assert_ok(THNN_batch_norm_backward(&gx, &gw, &gb, p.grad, p.x, p.weight, mean, invstd, 0));
        assert_is(gx, TH_FLOAT32, all[k][0], all[k][1], all[k][2]);
        assert_is(gw, TH_FLOAT32, all[k][1]);
        for (int64_t c = 0; c < all[k][1]; c++) {
            assert_element(gw, c, 0, 0);
            assert_element(gb, c, 0, 0);
        }
        THTensor *const owned[] = {y, mean, invstd, gx, gw, gb};
        for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
        free_problem(&p);
    }
}

static void test_threads(void **state) {
    (void)state;
    static const int64_t all[2][3] = {{300, 200, 1}, {40, 12, 300}};
    const int32_t before = TH_num_threads();
    for (int k = 0; k < 2; k++) {
        problem p = make_problem(TH_FLOAT32, TH_FLOAT32, all[k], 3, LAYOUT_CONTIGUOUS, 3);
        const size_t bytes = (size_t)THTensor_numel(p.x) * sizeof(float);
        THTensor *y[2] = {NULL, NULL}, *gx[2] = {NULL, NULL};
        for (int32_t n = 0; n < 2; n++) {
            THTensor *mean = NULL, *invstd = NULL;
            assert_ok(TH_set_num_threads(n + 1));
            assert_ok(THNN_batch_norm(&y[n], &mean, &invstd, p.x, p.weight, p.bias, NULL, NULL, 1, momentum, eps));
            assert_ok(THNN_batch_norm_backward(&gx[n], NULL, NULL, p.grad, p.x, p.weight, mean, invstd, 1));
            THTensor_free(mean);
            THTensor_free(invstd);
        }
        assert_memory_equal(THTensor_data(y[0]), THTensor_data(y[1]), bytes);
        assert_memory_equal(THTensor_data(gx[0]), THTensor_data(gx[1]), bytes);
        THTensor *const owned[] = {y[0], y[1], gx[0], gx[1]};
        for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
        free_problem(&p);
    }
    assert_ok(TH_set_num_threads(before));
}

/* ---- bad input ---- */

static void test_one_value(void **state) {
    (void)state;
    problem p = make_problem(TH_FLOAT32, TH_FLOAT32, (int64_t[]){1, 3, 1}, 3, LAYOUT_CONTIGUOUS, 3);
    THTensor *before = tensor_as(p.var, LAYOUT_CONTIGUOUS), *y = NULL;
    assert_fails(TH_E_SHAPE, "THNN_batch_norm: got x of sizes [1, 3, 1], want more than one value per channel",
                 THNN_batch_norm(&y, NULL, NULL, p.x, NULL, NULL, p.mean, p.var, 1, momentum, eps));
    assert_same(p.var, before);
    assert_fails(TH_E_SHAPE, "THNN_batch_norm_backward: got x of sizes [1, 3, 1]",
                 THNN_batch_norm_backward(&y, NULL, NULL, p.grad, p.x, NULL, p.mean, p.var, 1));
    assert_ok(THNN_batch_norm(&y, NULL, NULL, p.x, NULL, NULL, p.mean, p.var, 0, momentum, eps));
    THTensor_free(y);
    THTensor_free(before);
    free_problem(&p);
}

static void test_errors(void **state) {
    (void)state;
    problem p = make_problem(TH_FLOAT32, TH_FLOAT32, (int64_t[]){4, 3, 2}, 3, LAYOUT_CONTIGUOUS, 3);
    THTensor *flat = tensor_random(TH_FLOAT32, LIST(4), 0, 1, 1), *wide = tensor_random(TH_FLOAT64, LIST(3), 0, 1, 1),
             *y = NULL;
    THTensor *whole = tensor_random(TH_INT64, LIST(4, 3), 0, 9, 1), *half = tensor_random(TH_FLOAT16, LIST(3), 0, 1, 1);
#define FORWARD(x, w, b, m, v, training, e) THNN_batch_norm(&y, NULL, NULL, x, w, b, m, v, training, momentum, e)
    assert_fails(TH_E_ARG, "THNN_batch_norm: x is NULL", FORWARD(NULL, NULL, NULL, NULL, NULL, 1, eps));
    assert_fails(TH_E_ARG, "THNN_batch_norm: out is NULL",
                 THNN_batch_norm(NULL, NULL, NULL, p.x, NULL, NULL, NULL, NULL, 1, 0, eps));
    assert_fails(TH_E_TYPE, "got x of dtype int64", FORWARD(whole, NULL, NULL, NULL, NULL, 1, eps));
    assert_fails(TH_E_SHAPE, "got x of sizes [4], want [N, C, ...]", FORWARD(flat, NULL, NULL, NULL, NULL, 1, eps));
    assert_fails(TH_E_SHAPE, "got weight of sizes [4], want [3]", FORWARD(p.x, flat, NULL, NULL, NULL, 1, eps));
    assert_fails(TH_E_TYPE, "got bias of dtype float64, want float32", FORWARD(p.x, NULL, wide, NULL, NULL, 1, eps));
    assert_fails(TH_E_TYPE, "got running_mean of dtype float16", FORWARD(p.x, NULL, NULL, half, p.var, 1, eps));
    assert_fails(TH_E_ARG, "got one of running_mean and running_var", FORWARD(p.x, NULL, NULL, p.mean, NULL, 1, eps));
    assert_fails(TH_E_ARG, "got neither running_mean nor running_var", FORWARD(p.x, NULL, NULL, NULL, NULL, 0, eps));
    assert_fails(TH_E_ARG, "got eps = -1, want eps >= 0", FORWARD(p.x, NULL, NULL, NULL, NULL, 1, -1));
    assert_fails(TH_E_ARG, "got eps = nan", FORWARD(p.x, NULL, NULL, NULL, NULL, 1, NAN));
#undef FORWARD
#define BACKWARD(g, x, w, m, s) THNN_batch_norm_backward(&y, NULL, NULL, g, x, w, m, s, 1)
    assert_fails(TH_E_ARG, "THNN_batch_norm_backward: grad is NULL", BACKWARD(NULL, p.x, NULL, p.mean, p.var));
    assert_fails(TH_E_ARG, "THNN_batch_norm_backward: mean is NULL", BACKWARD(p.grad, p.x, NULL, NULL, p.var));
    assert_fails(TH_E_ARG, "THNN_batch_norm_backward: invstd is NULL", BACKWARD(p.grad, p.x, NULL, p.mean, NULL));
    assert_fails(TH_E_SHAPE, "got grad of sizes [4], want [4, 3, 2]", BACKWARD(flat, p.x, NULL, p.mean, p.var));
    assert_fails(TH_E_SHAPE, "got invstd of sizes [4], want [3]", BACKWARD(p.grad, p.x, NULL, p.mean, flat));
#undef BACKWARD
    assert_null(y);
    THTensor *const owned[] = {flat, wide, whole, half};
    for (int i = 0; i < 4; i++) THTensor_free(owned[i]);
    free_problem(&p);
}

static void without_memory(void *arg) {
    problem *p = arg;
    THTensor *y = NULL, *mean = NULL, *invstd = NULL, *gx = NULL, *gw = NULL, *gb = NULL;
    set_element(p->mean, 0, 0.5);
    THStatus status = THNN_batch_norm(&y, &mean, &invstd, p->x, p->weight, p->bias, p->mean, p->var, 1, momentum, eps);
    if (status != TH_OK) {
        assert_int_equal(status, TH_E_MEMORY);
        assert_true(!y && !mean && !invstd && element(p->mean, 0) == 0.5L);
    } else {
        assert_true(y && mean && invstd && element(p->mean, 0) != 0.5L);
    }
    status = THNN_batch_norm_backward(&gx, &gw, &gb, p->grad, p->x, p->weight, p->mean, p->var, 1);
    assert_true(status == TH_OK ? gx && gw && gb : status == TH_E_MEMORY && !gx && !gw && !gb);
    THTensor *const owned[] = {y, mean, invstd, gx, gw, gb};
    for (int i = 0; i < 6; i++) THTensor_free(owned[i]);
}

static void test_memory(void **state) {
    (void)state;
    problem p = make_problem(TH_FLOAT16, TH_FLOAT16, (int64_t[]){4, 3, 2}, 3, LAYOUT_GAPS, 3);
    oom_each(without_memory, &p);
    free_problem(&p);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_differences),   cmocka_unit_test(test_constant),
        cmocka_unit_test(test_offset),  cmocka_unit_test(test_given_outputs), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_one_value),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
