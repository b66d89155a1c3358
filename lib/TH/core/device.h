/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices as the rest of TH sees them. */
#ifndef TH_CORE_DEVICE_H
#define TH_CORE_DEVICE_H

#include "TH/device.h"

static inline int32_t th_device_type(THDevice device) { return (int32_t)(device >> 32); }
static inline int32_t th_device_index(THDevice device) { return (int32_t)(uint32_t)device; }

typedef char th_device_text[48];
/* "cuda:1" for error messages. Returns buf. */
const char *th_device_name(th_device_text buf, THDevice device);

/* The library of a device that exists; TH_E_DEVICE otherwise, and for the CPU. */
THStatus th_device_serve(const THDeviceLibrary **out, const char *fn, THDevice device);

/* nbytes >= 0 between any two places. */
THStatus th_device_move(const char *fn, void *dst, THDevice to, const void *src, THDevice from, int64_t nbytes);

/* dst = src, checked and broadcastable, where at least one of them is not on the CPU. */
THStatus th_device_copy(const char *fn, THTensor *dst, const THTensor *src);

#endif
