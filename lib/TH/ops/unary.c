/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/unary.h"

#include "TH/elementwise.h"
#include "core/cast.h"
#include "core/iter.h"
#include "ops/operands.h"

#include <math.h>

#define TH_TABLE th_unary
#include "expr/tables.inc"

enum { FLOAT, NUMERIC, ROUND, BITS, TEST };

static const char *const wanted[] = {
    [NUMERIC] = "a dtype other than bool",
    [ROUND] = "a dtype other than bool",
    [BITS] = "bool or an integer dtype",
};

static THStatus run(int32_t id, int32_t class, const char *fn, THTensor **out, const THTensor *x) {
    static const char *const names[] = {"x"};
    THStatus status = th_check_inputs(fn, names, &x, 1);
    if (status != TH_OK) return status;
    th_elementwise op = {.fn = fn, .result = class == FLOAT ? th_float_dtype(x->dtype) : x->dtype};
    op.compute = th_compute_dtype(op.result);
    op.produce = op.compute;
    op.kernel = tables[TH_isa_index()]->kernel[id][op.compute];
    if (!op.kernel) return th_raise_dtypes(fn, &x, 1, wanted[class]);
    if (class == TEST) op.produce = op.result = TH_BOOL;
    return th_elementwise_run(&op, out, &x, 1);
}

#define TH_UNARY(name, class, ...)                                                                                     \
    THStatus TH_##name(THTensor **out, const THTensor *x) { return run(TH_UNARY_##name, class, "TH_" #name, out, x); }
#include "TH/ops/unary.def"
#undef TH_UNARY

THStatus TH_round_decimals(THTensor **out, const THTensor *x, int32_t decimals) {
    static const char *const fn = "TH_round_decimals", *const names[] = {"x"};
    THStatus status = th_check_inputs(fn, names, &x, 1);
    if (status != TH_OK) return status;
    const int floating = TH_dtype_is_floating(x->dtype);
    if (!decimals || (!floating && decimals > 0 && x->dtype != TH_BOOL)) return run(TH_UNARY_round, ROUND, fn, out, x);
    if (!floating) return th_raise_dtypes(fn, &x, 1, "a floating dtype, or an integer one and decimals of at least 0");
    const double scale = pow(10, fabs((double)decimals));
    th_slot param;
    th_elementwise op = {.fn = fn, .result = x->dtype, .compute = th_compute_dtype(x->dtype), .param = &param};
    th_store(&param, op.compute, &(THScalar){TH_SCALAR_FLOAT, 0, {.d = decimals < 0 ? -scale : scale}});
    op.produce = op.compute;
    op.kernel = tables[TH_isa_index()]->round_decimals[op.compute];
    return th_elementwise_run(&op, out, &x, 1);
}
