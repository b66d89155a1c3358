/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/activation.h
 * Elementwise activations. NaN passes through all of them; -inf gives NaN where it meets a factor that is 0 there
 * (gelu, gelu_tanh, silu). In place is allowed (*out == x, backward also *out == grad). Nothing broadcasts. */
#ifndef THNN_ACTIVATION_H
#define THNN_ACTIVATION_H

#include "THNN/api.h"
TH_BEGIN

/** THNN_<name>(out, x, p, q) and THNN_<name>_backward(out, grad, x, p, q) = grad f'(x), for every row of
 * ops/activation.def. p and q are not used unless named.
 *    relu        max(x, 0); derivative 0 at 0.
 *    leaky_relu  x above 0, p x elsewhere.
 *    gelu        x Phi(x) with the normal distribution's Phi, by erf.
 *    gelu_tanh   its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
 *    silu        x sigmoid(x).
 *    elu         x above 0, p expm1(x) elsewhere.
 *    softplus    x where p x > q, with derivative 1; log(1 + exp(p x)) / p elsewhere; p > 0.
 * relu also takes integers forward (uint8 ... int64). p and q are rounded to the dtype computed in. */
#define THNN_ACTIVATION(name, ...)                                                                                     \
    THNN_API THStatus THNN_##name(THTensor **out, const THTensor *x, double p, double q);                              \
    THNN_API THStatus THNN_##name##_backward(THTensor **out, const THTensor *grad, const THTensor *x, double p,        \
                                             double q);
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION

TH_END
#endif
