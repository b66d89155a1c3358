/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/reduce.h"
#include "core/iter.h"
#include "core/reduce.h"

#include <stddef.h>

#define TH_TABLE th_reduce
#include "expr/tables.inc"

enum { SUM, FLOAT, ORDER, TEST };

static void mean_finish(th_strip *acc, int64_t n, int64_t count, double param) {
    (void)param;
    double *value = (double *)acc->value;
    for (int64_t i = 0; i < n; i++) value[i] /= (double)count;
}

static void any_finish(th_strip *acc, int64_t n, int64_t count, double param) {
    (void)count, (void)param;
    for (int64_t i = 0; i < n; i++) acc->value[i] &= 1;
}

static void all_finish(th_strip *acc, int64_t n, int64_t count, double param) {
    (void)count, (void)param;
    for (int64_t i = 0; i < n; i++) acc->value[i] = !(acc->value[i] & 2);
}

static THStatus check(const char *fn, int class, THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims,
                      uint64_t *mask) {
    th_text text;
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = th_reduce_dims(mask, fn, x, dims, ndims);
    if (status != TH_OK) return status;
    if (class == FLOAT && !TH_dtype_is_floating(x->dtype))
        return TH_raisef(TH_E_TYPE, "%s: got x %s, want a floating dtype", fn, th_tensor_text(text, x));
    if (class == ORDER && th_reduce_count(x, *mask) == 0)
        return TH_raisef(TH_E_SHAPE, "%s: got x %s, want at least one element along the reduced dimensions", fn,
                         th_tensor_text(text, x));
    return TH_OK;
}

static THStatus run(const char *fn, int fold, th_finish finish, int class, THTensor **out, const THTensor *x,
                    const int32_t *dims, int32_t ndims, int32_t keepdim) {
    uint64_t mask;
    const THStatus status = check(fn, class, out, x, dims, ndims, &mask);
    if (status != TH_OK) return status;
    const THDtype computed = th_compute_dtype(x->dtype);
    const struct th_reduce_table *t = tables[TH_isa_index()];
    th_reduction op = {.fn = fn, .fold = &t->fold[fold][computed], .finish = finish};
    if (class == TEST) {
        op.size = 1;
        op.value = op.result = TH_BOOL;
    } else if (class == ORDER) {
        op.size = TH_dtype_size(computed);
        op.value = computed, op.result = x->dtype;
    } else {
        op.size = 8;
        op.value = TH_dtype_is_floating(x->dtype) ? TH_FLOAT64 : TH_INT64;
        op.result = TH_dtype_is_floating(x->dtype) ? x->dtype : TH_INT64;
        const THDtype rounded = *out ? (*out)->dtype : op.result;
        if (fold == TH_FOLD_sum && computed == TH_FLOAT32 && rounded != TH_FLOAT64) op.fold = &t->sum_of_fours;
    }
    return th_reduce_run(&op, out, x, mask, keepdim);
}

/* Reductions share folds, and differ in how those end. */
enum { TH_FOLD_mean = TH_FOLD_sum, TH_FOLD_any = TH_FOLD_test, TH_FOLD_all = TH_FOLD_test };
#define sum_finish NULL
#define prod_finish NULL
#define max_finish NULL
#define min_finish NULL

#define TH_REDUCE(name, class)                                                                                         \
    THStatus TH_##name(THTensor **out, const THTensor *x, const int32_t *dims, int32_t ndims, int32_t keepdim) {       \
        return run("TH_" #name, TH_FOLD_##name, name##_finish, class, out, x, dims, ndims, keepdim);                   \
    }
#include "TH/ops/reduce.def"
#undef TH_REDUCE
