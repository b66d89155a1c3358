/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/api.h
 * Visibility and C linkage, for every TH header. */
#ifndef TH_API_H
#define TH_API_H

#include <stdint.h>

#if defined(__GNUC__)
#define TH_API __attribute__((visibility("default")))
#else
#define TH_API
#endif

#ifdef __cplusplus
#define TH_BEGIN extern "C" {
#define TH_END }
#else
#define TH_BEGIN
#define TH_END
#endif

#endif
