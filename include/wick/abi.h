/* SPDX-License-Identifier: BSD-3-Clause */
/** @file wick/abi.h
 *  The C ABI for C and C++ compilers. The declarations and their contracts are in wick/abi.def.h. */
#ifndef WICK_ABI_H
#define WICK_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
#include "wick/abi.def.h"
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#define WICK_EXPORT __attribute__((visibility("default")))

#endif
