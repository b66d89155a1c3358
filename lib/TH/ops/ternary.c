/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ternary.h"

#include "TH/elementwise.h"
#include "core/cast.h"
#include "core/iter.h"
#include "core/number.h"
#include "kernels/copy.h"
#include "ops/operands.h"

#include <stddef.h>

#define TH_TABLE th_ternary
#include "expr/tables.inc"

/* An op of three inputs, all of one dtype. */
typedef struct ternary {
    const char *fn, *names[3], *wanted;
    const char *scalar; /* name of the scalar argument, or NULL */
} ternary;

static THStatus run(const ternary *t, const THKernel *kernels, THTensor **out, const THTensor *const *inputs,
                    const THScalar *value) {
    th_slot factor;
    THDtype dtype;
    THStatus status = th_check_inputs(t->fn, t->names, inputs, 3);
    if (status == TH_OK) status = th_meet(&dtype, inputs, 3);
    for (int32_t k = 0; k < 3 && status == TH_OK; k++) status = th_check_element(t->fn, t->names[k], inputs[k], dtype);
    if (status != TH_OK) return status;
    th_elementwise op = {.fn = t->fn, .result = dtype, .compute = th_compute_dtype(dtype)};
    op.produce = op.compute;
    op.kernel = kernels[op.compute];
    if (!op.kernel) return th_raise_dtypes(t->fn, inputs, 3, t->wanted);
    if (t->scalar) status = th_scalar(&factor, op.compute, t->fn, t->scalar, value);
    op.param = &factor;
    return status == TH_OK ? th_elementwise_run(&op, out, inputs, 3) : status;
}

/* Bounds that lie beyond all that x can be become its lowest or highest value, which leaves min(max(x, lo), hi) as it
   is unless that itself lies beyond. inputs: x, lo, hi; made: the caller frees them. */
static THStatus saturate_bounds(THTensor **made, THDtype dtype, const THTensor **inputs) {
    static const char *const names[] = {"x", "lo", "hi"};
    int64_t bound[2];
    int32_t beyond[3] = {0};
    THStatus status = TH_OK;
    th_integer_range(dtype, &bound[0], &bound[1]);
    for (int32_t k = 1; k < 3; k++) {
        if (inputs[k]->ndim || inputs[k]->dtype == dtype) continue;
        const THScalar n = th_load(inputs[k]->data, inputs[k]->dtype);
        beyond[k] = th_number_misfit(dtype, &n);
    }
    if (beyond[2] < 0) return th_check_element("TH_clamp", names[2], inputs[2], dtype);
    if (beyond[1] > 0 && beyond[2] > 0) return th_check_element("TH_clamp", names[1], inputs[1], dtype);
    for (int32_t k = 1; k < 3 && status == TH_OK; k++) {
        if (!beyond[k]) continue;
        status = THTensor_new_scalar(&made[k - 1], &(THScalar){TH_SCALAR_INT, 0, {.i = bound[beyond[k] > 0]}});
        inputs[k] = made[k - 1];
    }
    return status;
}

THStatus TH_clamp(THTensor **out, const THTensor *x, const THTensor *lo, const THTensor *hi) {
    static const ternary op = {"TH_clamp", {"x", "lo", "hi"}, "a dtype other than bool", NULL};
    const THTensor *inputs[] = {x, lo, hi};
    THDtype dtype;
    if (!lo && !hi) return TH_raisef(TH_E_ARG, "TH_clamp: lo and hi are NULL, want at least one bound");
    if (!lo || !hi) return th_bound(out, op.fn, x, lo ? lo : hi, lo ? "lo" : "hi", !lo);
    THTensor *made[2] = {NULL, NULL};
    THStatus status = th_check_inputs(op.fn, op.names, inputs, 3);
    if (status == TH_OK) status = th_meet(&dtype, inputs, 3);
    if (status == TH_OK && !TH_dtype_is_floating(dtype)) status = saturate_bounds(made, dtype, inputs);
    if (status == TH_OK) status = run(&op, tables[TH_isa_index()]->clamp, out, inputs, NULL);
    THTensor_free(made[0]);
    THTensor_free(made[1]);
    return status;
}

THStatus TH_addcmul(THTensor **out, const THTensor *x, const THTensor *a, const THTensor *b, const THScalar *value) {
    static const ternary op = {"TH_addcmul", {"x", "a", "b"}, "a dtype other than bool", "value"};
    const THTensor *inputs[] = {x, a, b};
    return run(&op, tables[TH_isa_index()]->addcmul, out, inputs, value);
}

THStatus TH_addcdiv(THTensor **out, const THTensor *x, const THTensor *a, const THTensor *b, const THScalar *value) {
    static const ternary op = {"TH_addcdiv", {"x", "a", "b"}, "floating dtypes", "value"};
    const THTensor *inputs[] = {x, a, b};
    return run(&op, tables[TH_isa_index()]->addcdiv, out, inputs, value);
}

THStatus TH_lerp(THTensor **out, const THTensor *a, const THTensor *b, const THTensor *weight) {
    static const ternary op = {"TH_lerp", {"a", "b", "weight"}, "floating dtypes", NULL};
    const THTensor *inputs[] = {a, b, weight};
    return run(&op, tables[TH_isa_index()]->lerp, out, inputs, NULL);
}

THStatus TH_where(THTensor **out, const THTensor *condition, const THTensor *a, const THTensor *b) {
    static const char *const fn = "TH_where", *const names[] = {"condition", "a", "b"};
    const THTensor *inputs[] = {condition, a, b};
    int64_t sizes[TH_MAX_DIM];
    int32_t ndim;
    THDtype dtype;
    THTensor *result;
    THStatus status = th_check_inputs(fn, names, inputs, 3);
    if (status == TH_OK && condition->dtype != TH_BOOL) status = th_raise_dtypes(fn, inputs, 1, "a bool condition");
    if (status == TH_OK) status = th_meet(&dtype, inputs + 1, 2);
    for (int32_t k = 1; k < 3 && status == TH_OK; k++) status = th_check_element(fn, names[k], inputs[k], dtype);
    if (status == TH_OK) status = th_broadcast(sizes, &ndim, fn, inputs, 3);
    if (status == TH_OK) status = TH_output_begin(&result, fn, out, dtype, sizes, ndim, 0, 1, inputs, 3);
    if (status != TH_OK) return status;
    th_iter it;
    th_iter_begin(&it, 1, sizes, ndim);
    th_iter_add(&it, result, dtype);
    th_iter_add(&it, condition, TH_BOOL);
    th_iter_add(&it, a, dtype);
    th_iter_add(&it, b, dtype);
    th_iter_run(&it, tables[TH_isa_index()]->where[th_log2_size(TH_dtype_size(dtype))], NULL);
    return TH_output_end(result, out, TH_OK);
}
