/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/binary.h"

#include "TH/elementwise.h"
#include "core/iter.h"
#include "ops/operands.h"

#include <stddef.h>

#define TH_TABLE th_binary
#include "expr/tables.inc"

enum { ARITH, NUMERIC, FLOAT, BITS, SHIFT, COMPARE, LOGIC };

static const char *const wanted[] = {
    [NUMERIC] = "a dtype other than bool",
    [BITS] = "bool or integer dtypes",
    [SHIFT] = "integer dtypes",
};
static const char *const operands[] = {"a", "b"};

/* Runs a kernel that looks for an element which the op cannot take. b is read as the op will: cast. */
static int32_t finds(th_kernel kernel, const THTensor *b, THDtype as) {
    if (!kernel) return 0;
    int32_t found = 0, *flag = &found;
    th_iter it;
    th_iter_begin(&it, 0, th_sizes(b), b->ndim);
    th_iter_add(&it, b, as);
    th_iter_run(&it, kernel, &flag);
    return found;
}

/* Divisors of 0 and negative exponents of integers, before anything is written. */
static THStatus check_integers(int32_t id, const char *fn, const THTensor *b, THDtype as) {
    th_text text;
    const struct th_binary_table *t = tables[TH_isa_index()];
    if (id == TH_BINARY_pow && finds(t->find_negative[as], b, as))
        return TH_raisef(TH_E_ARG, "%s: got a negative exponent in %s, want none with integers", fn,
                         th_tensor_text(text, b));
    const int32_t divides = id == TH_BINARY_floor_divide || id == TH_BINARY_remainder || id == TH_BINARY_fmod;
    if (divides && finds(t->find_zero[as], b, as))
        return TH_raisef(TH_E_ARG, "%s: got a divisor 0 in %s, want none with integers", fn, th_tensor_text(text, b));
    return TH_OK;
}

static THStatus run(int32_t id, int32_t class, const char *fn, const char *const *names, THTensor **out,
                    const THTensor *const *inputs, const THScalar *alpha) {
    th_slot factor;
    THDtype dtype;
    THStatus status = th_check_inputs(fn, names, inputs, 2);
    if (status == TH_OK) status = th_meet(&dtype, inputs, 2);
    if (status != TH_OK) return status;
    th_elementwise op = {.fn = fn, .result = class == FLOAT ? th_float_dtype(dtype) : dtype};
    op.compute = th_compute_dtype(op.result);
    op.produce = op.compute;
    op.kernel = tables[TH_isa_index()]->kernel[id][op.compute];
    if (!op.kernel) return th_raise_dtypes(fn, inputs, 2, wanted[class]);
    if (class == COMPARE || class == LOGIC) op.produce = op.result = TH_BOOL;
    if (id == TH_BINARY_add || id == TH_BINARY_sub) {
        status = th_scalar(&factor, op.compute, fn, "alpha", alpha);
        op.param = &factor;
    } else if (class == NUMERIC && !th_is_floating(op.compute)) {
        status = check_integers(id, fn, inputs[1], op.compute);
    }
    return status == TH_OK ? th_elementwise_run(&op, out, inputs, 2) : status;
}

THStatus TH_add(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha) {
    const THTensor *inputs[] = {a, b};
    return run(TH_BINARY_add, ARITH, "TH_add", operands, out, inputs, alpha);
}

THStatus TH_sub(THTensor **out, const THTensor *a, const THTensor *b, const THScalar *alpha) {
    const THTensor *inputs[] = {a, b};
    return run(TH_BINARY_sub, NUMERIC, "TH_sub", operands, out, inputs, alpha);
}

#define TH_BINARY(name, class, ...)                                                                                    \
    THStatus TH_##name(THTensor **out, const THTensor *a, const THTensor *b) {                                         \
        const THTensor *inputs[] = {a, b};                                                                             \
        return run(TH_BINARY_##name, class, "TH_" #name, operands, out, inputs, NULL);                                 \
    }
#include "TH/ops/binary.def"
#undef TH_BINARY

THStatus th_bound(THTensor **out, const char *fn, const THTensor *x, const THTensor *bound, const char *name,
                  int32_t upper) {
    const THTensor *inputs[] = {x, bound};
    const char *const names[] = {"x", name};
    if (x && bound && x->dtype == TH_BOOL && bound->dtype == TH_BOOL)
        return th_raise_dtypes(fn, inputs, 2, wanted[NUMERIC]);
    return run(upper ? TH_BINARY_minimum : TH_BINARY_maximum, NUMERIC, fn, names, out, inputs, NULL);
}
