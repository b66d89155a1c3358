/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts for error messages, cut to fit: "[2, 3]" and "float32[2, 3]", with " on cuda:0" for a device. They return buf.
 */
#ifndef TH_CORE_TEXT_H
#define TH_CORE_TEXT_H

#include "TH/tensor.h"

typedef char th_text[200];
const char *th_sizes_text(th_text buf, const int64_t *sizes, int32_t ndim);
const char *th_tensor_text(th_text buf, const THTensor *t); /* "NULL" for NULL */

#endif
