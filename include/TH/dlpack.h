/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/dlpack.h
 * Exchange with other libraries by DLPack 1.x (struct DLManagedTensorVersioned, passed as void * so that no header is
 * needed). */
#ifndef TH_DLPACK_H
#define TH_DLPACK_H

#include "TH/tensor.h"
TH_BEGIN

/** A view on a foreign tensor. On TH_OK it is taken over and its deleter runs when the storage ends; on error it stays
 * the caller's. TH_E_ABI for another major version, TH_E_TYPE for a dtype, TH_E_UNSUPPORTED for negative strides. A
 * read-only flag is kept. */
TH_API THStatus THTensor_from_dlpack(THTensor **out, void *managed);

/** Hands `t` out; the consumer calls the struct's deleter once, on any thread. TH_E_TYPE for a number. */
TH_API THStatus THTensor_to_dlpack(void **managed, const THTensor *t);

TH_END
#endif
