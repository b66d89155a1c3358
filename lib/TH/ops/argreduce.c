/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/reduce.h"
#include "core/iter.h"
#include "core/reduce.h"

#define TH_TABLE th_argreduce
#include "expr/tables.inc"

static THStatus run(const char *fn, int largest, THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim) {
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    uint64_t mask;
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = th_reduce_dims(&mask, fn, x, &dim, dim != TH_DIM_ALL);
    if (status != TH_OK) return status;
    if (th_reduce_count(x, mask) == 0) {
        th_text text;
        return TH_raisef(TH_E_SHAPE, "%s: got x %s, want at least one element along the reduced dimension", fn,
                         th_tensor_text(text, x));
    }
    const THDtype computed = th_compute_dtype(x->dtype);
    const struct th_argreduce_table *t = tables[TH_isa_index()];
    const th_reduction op = {.fn = fn,
                             .fold = largest ? &t->argmax[computed] : &t->argmin[computed],
                             .size = TH_dtype_size(computed),
                             .value = TH_INT64,
                             .result = TH_INT64,
                             .in_extra = 1,
                             .ordered = 1};
    return th_reduce_run(&op, out, x, mask, keepdim);
}

THStatus TH_argmax(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim) {
    return run("TH_argmax", 1, out, x, dim, keepdim);
}

THStatus TH_argmin(THTensor **out, const THTensor *x, int32_t dim, int32_t keepdim) {
    return run("TH_argmin", 0, out, x, dim, keepdim);
}
