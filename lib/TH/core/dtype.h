/* SPDX-License-Identifier: BSD-3-Clause */
/* What TH/dtype.def says of a dtype, and what follows from it. Ask a row; codes have no order. */
#ifndef TH_CORE_DTYPE_H
#define TH_CORE_DTYPE_H

#include "TH/runtime.h"

enum { TH_CATEGORY_BOOL, TH_CATEGORY_INTEGER, TH_CATEGORY_FLOATING }; /* in the order of promotion */

typedef struct th_dtype_row {
    const char *name;
    uint8_t size, category, is_signed;
    uint8_t compute; /* the dtype that kernels compute in: float32 for halves, otherwise itself */
} th_dtype_row;

extern const th_dtype_row th_dtypes[TH_DTYPE_COUNT];

/* All for a valid dtype. */
static inline int64_t th_dtype_size(THDtype dtype) { return th_dtypes[dtype].size; }
static inline THDtype th_compute_dtype(THDtype dtype) { return th_dtypes[dtype].compute; }
static inline int th_is_floating(THDtype dtype) { return th_dtypes[dtype].category == TH_CATEGORY_FLOATING; }

/* dtype of a floating result: itself if floating, else the default dtype. */
static inline THDtype th_float_dtype(THDtype dtype) { return th_is_floating(dtype) ? dtype : TH_default_dtype(); }

#endif
