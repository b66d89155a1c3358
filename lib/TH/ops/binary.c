/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/binary.h"

#include "TH/elementwise.h"
#include "core/cast.h"
#include "core/iter.h"
#include "core/number.h"
#include "ops/operands.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
    const int32_t divides = id == TH_BINARY_floor_divide || id == TH_BINARY_trunc_divide || id == TH_BINARY_remainder ||
                            id == TH_BINARY_fmod;
    if (divides && finds(t->find_zero[as], b, as))
        return TH_raisef(TH_E_ARG, "%s: got a divisor 0 in %s, want none with integers", fn, th_tensor_text(text, b));
    return TH_OK;
}

/* The op on operands that meet in `dtype`. Inlined: small ops spend their time in calls. */
TH_INLINE THStatus compute(int32_t id, int32_t class, const char *fn, THDtype dtype, THTensor **out,
                           const THTensor *const *inputs, const THScalar *alpha) {
    th_slot factor;
    THStatus status = TH_OK;
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

/* ---- a 0-dim operand that the dtype of the other does not hold ---- */

/* What takes the place of a comparison of x with a number n: one with a number that x's dtype holds. */
typedef struct comparison {
    int32_t id;
    THScalar n;
} comparison;

static int32_t mirrored(int32_t id) {
    static const int32_t of[][2] = {{TH_BINARY_lt, TH_BINARY_gt}, {TH_BINARY_le, TH_BINARY_ge}};
    for (int32_t k = 0; k < 4; k++)
        if (of[k / 2][k % 2] == id) return of[k / 2][1 - k % 2];
    return id;
}

/* x < lowest, x >= lowest. */
static comparison decided(int32_t always, int64_t lowest) {
    return (comparison){always ? TH_BINARY_ge : TH_BINARY_lt, {TH_SCALAR_INT, 0, {.i = lowest}}};
}

/* For integers x: x < 2.5 is x < 3, x > 2.5 is x > 2; beyond all x the answer does not depend on them. */
static comparison compare_integers(int32_t id, THDtype dtype, THScalar n) {
    int64_t lowest, highest;
    if (dtype == TH_BOOL) dtype = TH_INT64; /* where it meets a whole number */
    th_integer_range(dtype, &lowest, &highest);
    const int is_nan = n.kind == TH_SCALAR_FLOAT && n.v.d != n.v.d;
    const int32_t misfit = th_number_misfit(dtype, &n);
    if (is_nan || misfit || (n.kind == TH_SCALAR_FLOAT && n.v.d != trunc(n.v.d))) {
        const int below = id == TH_BINARY_lt || id == TH_BINARY_le, above = id == TH_BINARY_gt || id == TH_BINARY_ge;
        if (is_nan || (!below && !above)) return decided(id == TH_BINARY_ne, lowest);
        if (misfit) return decided(below == (misfit > 0), lowest);
        id = below ? TH_BINARY_le : TH_BINARY_gt; /* both with the integer below n, which -0.5 may lack */
        n.v.d = floor(n.v.d);
        if (th_number_misfit(dtype, &n)) return decided(above, lowest);
    }
    if (n.kind == TH_SCALAR_FLOAT) n = (THScalar){TH_SCALAR_INT, 0, {.i = (int64_t)n.v.d}};
    return (comparison){id, n};
}

/* n as the half type x has it, so that halves of 0.1 equal 0.1, as with the wider types. */
static comparison compare_halves(int32_t id, THDtype dtype, const THScalar *n) {
    uint16_t half;
    th_store(&half, dtype, n);
    return (comparison){id, th_load(&half, dtype)};
}

/* max(x, n) with n below all that x can be is x, and an error above; the same the other way round for min. */
static THStatus saturate(int32_t id, const char *fn, const char *name, THDtype dtype, THScalar *n) {
    const int32_t misfit = th_number_misfit(dtype, n), up = id == TH_BINARY_maximum || id == TH_BINARY_fmax;
    int64_t lowest, highest;
    if (!misfit) return TH_OK;
    if (up == (misfit > 0)) return th_check_number(fn, name, n, dtype);
    th_integer_range(dtype, &lowest, &highest);
    *n = (THScalar){TH_SCALAR_INT, 0, {.i = up ? lowest : highest}};
    return TH_OK;
}

/* The number n (operand k) as the op needs it: itself, or another one and perhaps another op. */
static THStatus adapt(int32_t *id, int32_t class, const char *fn, const char *name, THDtype dtype, const THTensor *x,
                      int32_t k, THScalar *n) {
    if (class == COMPARE) {
        const int32_t direct = k ? *id : mirrored(*id);
        comparison c = {direct, *n};
        if (!TH_dtype_is_floating(x->dtype))
            c = compare_integers(direct, x->dtype, *n);
        else if (th_compute_dtype(x->dtype) != x->dtype && dtype == x->dtype)
            c = compare_halves(direct, dtype, n);
        *id = k ? c.id : mirrored(c.id);
        *n = c.n;
        return TH_OK;
    }
    if (class == LOGIC) {
        const int32_t holds = n->kind == TH_SCALAR_FLOAT ? n->v.d != 0 : n->v.i != 0;
        *n = (THScalar){TH_SCALAR_BOOL, 0, {.i = holds}};
        return TH_OK;
    }
    const int32_t extreme =
        *id == TH_BINARY_maximum || *id == TH_BINARY_minimum || *id == TH_BINARY_fmax || *id == TH_BINARY_fmin;
    return extreme ? saturate(*id, fn, name, dtype, n) : th_check_number(fn, name, n, dtype);
}

static int same_number(const THScalar *a, const THScalar *b) {
    return a->kind == b->kind && memcmp(&a->v, &b->v, sizeof a->v) == 0;
}

/* With a 0-dim operand of another dtype, where casting it could change the result. */
static THStatus compute_with_number(int32_t id, int32_t class, const char *fn, const char *const *names, THDtype dtype,
                                    THTensor **out, const THTensor *const *inputs, const THScalar *alpha) {
    const int32_t k = inputs[1]->ndim == 0 && (inputs[0]->ndim || !inputs[0]->number || inputs[1]->number);
    const THTensor *pair[2] = {inputs[0], inputs[1]};
    THScalar n = th_load(inputs[k]->data, inputs[k]->dtype);
    const THScalar before = n;
    THTensor *made = NULL;
    THStatus status = inputs[1 - k]->ndim ? TH_OK : th_check_element(fn, names[1 - k], inputs[1 - k], dtype);
    if (status == TH_OK) status = adapt(&id, class, fn, names[k], dtype, inputs[1 - k], k, &n);
    if (status == TH_OK && !same_number(&n, &before)) {
        status = THTensor_new_scalar(&made, &n);
        pair[k] = made;
        if (status == TH_OK) status = th_meet(&dtype, pair, 2);
    }
    if (status == TH_OK) status = compute(id, class, fn, dtype, out, pair, alpha);
    THTensor_free(made);
    return status;
}

static THStatus run(int32_t id, int32_t class, const char *fn, const char *const *names, THTensor **out,
                    const THTensor *const *inputs, const THScalar *alpha) {
    THDtype dtype;
    THStatus status = th_check_inputs(fn, names, inputs, 2);
    if (status == TH_OK) status = th_meet(&dtype, inputs, 2);
    if (status != TH_OK) return status;
    if (inputs[0]->dtype != inputs[1]->dtype &&
        (class >= COMPARE || (!TH_dtype_is_floating(dtype) && class != FLOAT)) &&
        (!inputs[0]->ndim || !inputs[1]->ndim))
        return compute_with_number(id, class, fn, names, dtype, out, inputs, alpha);
    return compute(id, class, fn, dtype, out, inputs, alpha);
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
