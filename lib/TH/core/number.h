/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as arguments: which of them a dtype holds. A number is cast to a dtype only after th_check_number has seen
   it. */
#ifndef TH_CORE_NUMBER_H
#define TH_CORE_NUMBER_H

#include "core/tensor.h"

/* The integers that a dtype holds without gaps; bool counts as holding all, because anything but 0 is true there. */
void th_integer_range(THDtype dtype, int64_t *lowest, int64_t *highest);

/* Whether a dtype holds the number: an integer dtype those in its range, floating ones truncated toward 0, but neither
   NaN nor infinities; bool and floating dtypes all of them. 0; or -1 below its range, 1 above it and for NaN. */
int32_t th_number_misfit(THDtype dtype, const THScalar *x);

/* TH_E_ARG for NULL, TH_E_TYPE for something that is no bool, int or float. */
THStatus th_check_scalar(const char *fn, const char *name, const THScalar *x);

/* The same, and TH_E_ARG for a number that the dtype does not hold. */
THStatus th_check_number(const char *fn, const char *name, const THScalar *x, THDtype dtype);

/* th_check_number for the element of a 0-dim tensor that is about to be cast; other tensors pass. */
THStatus th_check_element(const char *fn, const char *name, const THTensor *t, THDtype dtype);

#endif
