/* SPDX-License-Identifier: BSD-3-Clause */
/* Argument checks that the ops share. Each returns TH_OK or raises "<fn>: ...". */
#ifndef THNN_CORE_CHECK_H
#define THNN_CORE_CHECK_H

#include "TH/sys.h"

/* A CPU tensor of a floating dtype. */
THStatus thnn_check_floating(const char *fn, const char *arg, const THTensor *t);

/* A CPU tensor of the dtype that the tensor called `like` has. */
THStatus thnn_check_same_dtype(const char *fn, const char *arg, const THTensor *t, const char *like, THDtype dtype);

/* A CPU tensor of `dtype`, or of float32 where that is a half: parameters and statistics may be wider than the data. */
THStatus thnn_check_param(const char *fn, const char *arg, const THTensor *t, THDtype dtype);

/* t's sizes are the ndim `sizes`; `arg` may be "x" or a phrase. */
THStatus thnn_check_sizes(const char *fn, const char *arg, const THTensor *t, const int64_t *sizes, int32_t ndim);

/* "[2, 3]" for an error text, cut where buf ends. Returns buf. */
enum { THNN_SIZES_TEXT = 160 };
const char *thnn_sizes_text(char buf[THNN_SIZES_TEXT], const int64_t *sizes, int32_t ndim);

#endif
