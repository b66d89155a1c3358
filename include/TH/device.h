/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/device.h
 * Devices other than the CPU. A device library registers how its memory is had, freed and copied; with that, TH keeps
 * storages and tensors there, makes views, copies, casts and reads elements. It computes nothing there: the library has
 * functions of its own for that, named and called as TH's but for the prefix. */
#ifndef TH_DEVICE_H
#define TH_DEVICE_H

#include "TH/tensor.h"
TH_BEGIN

enum { TH_DEVICE_TYPES = 32 }; /**< types are 0 (the CPU) to 31 */

/** What a library gives for one type of device. Functions may be called on any thread; those that return a status raise
 * their own error text (TH_raise). Texts and `user` live until the process ends. */
typedef struct THDeviceLibrary {
    uint32_t struct_size;  /**< sizeof(THDeviceLibrary) */
    int32_t type;          /**< DLPack's number of the type minus one, as in the upper half of a THDevice */
    const char *name;      /**< "cuda": lower-case letters, digits and _ */
    const char *prefix;    /**< of its functions: "THC", whose THC_add does what TH_add does */
    const char *nn_prefix; /**< "THCUNN", whose THCUNN_conv2d does what THNN_conv2d does; NULL if there are none */
    void *user;
    /** How many devices of the type there are: indices 0 ... count - 1. */
    int32_t (*count)(void *user);
    /** The calling thread's current device, where functions without inputs make their results; and its change. */
    int32_t (*current)(void *user);
    THStatus (*select)(void *user, int32_t index);
    /** nbytes > 0; TH_E_MEMORY if there is no room. free is called on whichever thread drops the last reference. */
    THStatus (*allocate)(void *user, int32_t index, int64_t nbytes, void **out);
    void (*free)(void *user, int32_t index, void *p, int64_t nbytes);
    /** nbytes > 0 from one place to another: either is the CPU or of this type, not both the CPU. Comes after what the
     * calling thread began on these devices before; once it returns, memory of the CPU may be read, changed and freed.
     */
    THStatus (*copy)(void *user, void *dst, THDevice to, const void *src, THDevice from, int64_t nbytes);
    /** THTensor_copy for checked tensors on one device: any strides and dtypes, src broadcasts to dst. */
    THStatus (*copy_tensor)(void *user, THTensor *dst, const THTensor *src);
    /** Waits for all that was begun on the device. */
    THStatus (*synchronize)(void *user, int32_t index);
} THDeviceLibrary;

/** What a library that programs load at run time exports as `TH_device_open`: it registers itself, or fails if the
 * hardware or its driver is missing. May be called again. */
typedef THStatus (*THDeviceOpen)(void);

/** Adds a type of device, until the process ends (copied). TH_E_ABI for a struct_size that lacks a function, TH_E_ARG
 * for a type or name that is taken by another library; registering the same one again changes nothing. */
TH_API THStatus TH_device_register(const THDeviceLibrary *library);

/** What was registered for a type, or NULL (always for the CPU). */
TH_API const THDeviceLibrary *TH_device_library(int32_t type);

/** How many devices of a type there are: 1 for the CPU, 0 for a type that nobody registered. */
TH_API int32_t TH_device_count(int32_t type);

/** The device called "cpu", "cuda:1", or "cuda": the thread's current one of that type. TH_E_NOTFOUND for a type that
 * nobody registered, TH_E_DEVICE for an index that there is not. */
TH_API THStatus TH_device_find(THDevice *out, const char *name);

/** Writes "cuda:1" ("cpu"; "device 7:1" for a type that nobody registered) into buf, always ended by 0, cut at `cap`
 * bytes. Returns the length it wanted. */
TH_API int64_t TH_device_describe(THDevice device, char *buf, int64_t cap);

/** Makes `device` the calling thread's current one of its type; *previous (NULL allowed) is the one before. */
TH_API THStatus TH_device_select(THDevice device, THDevice *previous);

/** Waits until all that was begun on the device is done. */
TH_API THStatus TH_device_synchronize(THDevice device);

/** THStorage_new and THTensor_new on a device. TH_E_DEVICE if there is none such. */
TH_API THStatus THStorage_new_on(THStorage **out, int64_t nbytes, THDevice device);
TH_API THStatus THTensor_new_on(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim, THDevice device);

/** t itself (retained) if it is on that device and not a number, else a contiguous copy there. */
TH_API THStatus THTensor_to_device(THTensor **out, const THTensor *t, THDevice device);

TH_END
#endif
