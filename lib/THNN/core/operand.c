/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/operand.h"

#include <stddef.h>

#include "TH/copy.h"
#include "core/check.h"

THDtype thnn_compute_dtype(THDtype dtype) { return TH_compute_dtype(dtype); }

THStatus thnn_dense(THTensor **out, const THTensor *t, THDtype dtype) {
    *out = NULL;
    if (!t) return TH_OK;
    if (THTensor_dtype(t) == dtype) return THTensor_contiguous(out, t);
    THTensor *copy = NULL;
    THStatus status = THTensor_new(&copy, dtype, THTensor_sizes(t), THTensor_ndim(t));
    if (status == TH_OK) status = THTensor_copy(copy, t);
    if (status == TH_OK) {
        *out = copy;
    } else {
        THTensor_free(copy);
    }
    return status;
}

static THStatus begin(thnn_output *o, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim,
                      int32_t inplace, const THTensor *const *inputs, int32_t n) {
    *o = (thnn_output){NULL, NULL};
    THStatus status = TH_output_begin(&o->result, fn, out, dtype, sizes, ndim, 1, inplace, inputs, n);
    if (status != TH_OK) return status;
    THDtype compute = thnn_compute_dtype(dtype);
    if (compute == dtype && THTensor_is_contiguous(o->result)) {
        o->dense = THTensor_retain(o->result);
        return TH_OK;
    }
    return THTensor_new(&o->dense, compute, sizes, ndim);
}

THStatus thnn_output_begin(thnn_output *o, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                           int32_t ndim, const THTensor *const *inputs, int32_t n) {
    return begin(o, fn, out, dtype, sizes, ndim, 1, inputs, n);
}

THStatus thnn_output_begin_apart(thnn_output *o, const char *fn, THTensor **out, THDtype dtype, const int64_t *sizes,
                                 int32_t ndim, const THTensor *const *inputs, int32_t n) {
    return begin(o, fn, out, dtype, sizes, ndim, 0, inputs, n);
}

THStatus thnn_output_apart(thnn_output *o) {
    if (o->dense != o->result || THTensor_refcount(o->result) == 2) return TH_OK; /* apart, or new: the two here */
    THTensor *dense = NULL;
    THStatus status =
        THTensor_new(&dense, THTensor_dtype(o->result), THTensor_sizes(o->result), THTensor_ndim(o->result));
    if (status != TH_OK) return status;
    THTensor_free(o->dense);
    o->dense = dense;
    return TH_OK;
}

THStatus thnn_output_end(thnn_output *o, THTensor **out, THStatus status) {
    if (o->result) {
        if (status == TH_OK && o->dense != o->result) status = THTensor_copy(o->result, o->dense);
        status = TH_output_end(o->result, out, status);
    }
    THTensor_free(o->dense);
    return status;
}

THStatus thnn_elementwise(const char *fn, THTensor **out, THKernel kernel, const void *param,
                          const THTensor *const *inputs, int32_t n) {
    THDtype dtype = THTensor_dtype(inputs[0]), compute = thnn_compute_dtype(dtype);
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    if (*out) {
        THStatus status = thnn_check_same_dtype(fn, "out", *out, "x", dtype);
        if (status != TH_OK) return status;
    }
    THElementwise op = {fn, compute, compute, dtype, kernel, param};
    return TH_elementwise(out, &op, inputs, n);
}
