/* SPDX-License-Identifier: BSD-3-Clause */
/** @file THNN/activation.h
 * Elementwise activations. NaN passes through all of them; -inf gives NaN where it meets a factor that is 0 there
 * (gelu, gelu_tanh, silu). In place is allowed (*out == x, backward also *out == grad). Nothing broadcasts. */
#ifndef THNN_ACTIVATION_H
#define THNN_ACTIVATION_H

#include "THNN/api.h"
TH_BEGIN

/** THNN_<name>(out, x, p) and THNN_<name>_backward(out, grad, x, p) = grad f'(x), for every row of ops/activation.def.
 *    relu        max(x, 0); derivative 0 at 0. p is not used.
 *    leaky_relu  x above 0, p x elsewhere.
 *    gelu        x Phi(x) with the normal distribution's Phi, by erf. p is not used.
 *    gelu_tanh   its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415). p is not used.
 *    silu        x sigmoid(x). p is not used.
 *    elu         x above 0, p expm1(x) elsewhere.
 *    softplus    log(1 + exp(p x)) / p, p > 0.
 * relu also takes integers forward (uint8 ... int64). p is rounded to the dtype computed in. */
#define THNN_ACTIVATION(name, ...)                                                                                     \
    THNN_API THStatus THNN_##name(THTensor **out, const THTensor *x, double p);                                        \
    THNN_API THStatus THNN_##name##_backward(THTensor **out, const THTensor *grad, const THTensor *x, double p);
#include "THNN/ops/activation.def"
#undef THNN_ACTIVATION

TH_END
#endif
