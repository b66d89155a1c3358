/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/TH.h
 * TH: CPU tensors in C99. Includes every public header but TH/sys.h.
 *
 * Outputs come first, options last. Every fallible function returns THStatus; on failure outputs are untouched and
 * TH_error_message() names the function, what it got and what it wanted. `new`, `retain` and `free` in a name say who
 * owns; results through `THTensor **out` are owned by the caller. Different tensors may be used from different threads,
 * one tensor may be read by many. Any pointer argument that must not be NULL is checked. */
#ifndef TH_H
#define TH_H

#include "TH/copy.h"
#include "TH/device.h"
#include "TH/dlpack.h"
#include "TH/dtype.h"
#include "TH/elementwise.h"
#include "TH/index.h"
#include "TH/matmul.h"
#include "TH/memory.h"
#include "TH/overlap.h"
#include "TH/random.h"
#include "TH/reduce.h"
#include "TH/runtime.h"
#include "TH/status.h"
#include "TH/storage.h"
#include "TH/tensor.h"

#endif
