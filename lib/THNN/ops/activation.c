/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/activation.h"

#include "core/check.h"
#include "core/operand.h"
#include "kernels/activation.h"

#define TH_TABLE thnn_activation
#include "expr/tables.inc"

static THStatus check_p(const char *fn, int32_t which, double p) {
    if (which != THNN_ACTIVATION_softplus || p > 0) return TH_OK;
    return TH_raisef(TH_E_ARG, "%s: got p = %g, want p > 0", fn, p);
}

static THStatus forward(const char *fn, int32_t which, THTensor **out, const THTensor *x, double p, double q) {
    THStatus status = TH_check_input(fn, "x", x);
    if (status == TH_OK) status = check_p(fn, which, p);
    if (status != TH_OK) return status;
    THDtype compute = thnn_compute_dtype(THTensor_dtype(x));
    THKernel kernel = tables[TH_isa_index()]->forward[which][compute];
    if (!kernel) {
        return TH_raisef(TH_E_TYPE, "%s: got x of dtype %s, want a floating dtype%s", fn, TH_dtype_name(compute),
                         which == THNN_ACTIVATION_relu ? " or an integer one" : "");
    }
    return thnn_elementwise(fn, out, kernel, (double[]){p, q}, &x, 1);
}

static THStatus backward(const char *fn, int32_t which, THTensor **out, const THTensor *grad, const THTensor *x,
                         double p, double q) {
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "grad", grad, "x", THTensor_dtype(x));
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, THTensor_sizes(x), THTensor_ndim(x));
    if (status == TH_OK) status = check_p(fn, which, p);
    if (status != TH_OK) return status;
    THKernel kernel = tables[TH_isa_index()]->backward[which][thnn_compute_dtype(THTensor_dtype(x))];
    return thnn_elementwise(fn, out, kernel, (double[]){p, q}, (const THTensor *[]){grad, x}, 2);
}

#define THNN_ACTIVATION(name, ...)                                                                                     \
    THStatus THNN_##name(THTensor **out, const THTensor *x, double p, double q) {                                      \
        return forward("THNN_" #name, THNN_ACTIVATION_##name, out, x, p, q);                                           \
    }
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION

#define THNN_ACTIVATION(name, ...)                                                                                     \
    THStatus THNN_##name##_backward(THTensor **out, const THTensor *grad, const THTensor *x, double p, double q) {     \
        return backward("THNN_" #name "_backward", THNN_ACTIVATION_##name, out, grad, x, p, q);                        \
    }
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION
