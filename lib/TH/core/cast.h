/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements from one dtype to another: runs of them, and single ones as numbers. */
#ifndef TH_CORE_CAST_H
#define TH_CORE_CAST_H

#include "kernels/copy.h"

/* Room for one element of any dtype, complex ones included. */
typedef union th_slot {
    int64_t i[2];
    double d[2];
} th_slot;
enum { TH_ELEMENT_MAX = sizeof(th_slot) };

const struct th_copy_table *th_copy_table(void); /* for the ISA in use */

/* n elements of one dtype from src to elements of another at dst, by THTensor_copy's rules; no overlap. */
void th_cast(void *dst, THDtype to, const void *src, THDtype from, int64_t n);

/* The element at p as a number, and back by the same rules. dtype is valid. */
THScalar th_load(const void *p, THDtype dtype);
void th_store(void *p, THDtype dtype, const THScalar *value);

#endif
