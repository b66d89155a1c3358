/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/device.h"

#include "TH/copy.h"
#include "TH/memory.h"
#include "core/iter.h"
#include "expr/sizes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the libraries ---- */

static const THDeviceLibrary *libraries[TH_DEVICE_TYPES]; /* atomic; entries stay until the process ends */

const THDeviceLibrary *TH_device_library(int32_t type) {
    return type > 0 && type < TH_DEVICE_TYPES ? __atomic_load_n(&libraries[type], __ATOMIC_ACQUIRE) : NULL;
}

static int is_name(const char *s) {
    size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
    return n > 0 && n < 32 && !s[n];
}

static THStatus check_library(const THDeviceLibrary *l) {
    static const char fn[] = "TH_device_register";
    if (!l) return TH_raisef(TH_E_ARG, "%s: library is NULL", fn);
    if (l->struct_size < sizeof *l)
        return TH_raisef(TH_E_ABI, "%s: got struct_size %u, want at least %u", fn, (unsigned)l->struct_size,
                         (unsigned)sizeof *l);
    if (l->type < 1 || l->type >= TH_DEVICE_TYPES)
        return TH_raisef(TH_E_ARG, "%s: got type %d, want 1 to %d", fn, (int)l->type, TH_DEVICE_TYPES - 1);
    if (!is_name(l->name) || strcmp(l->name, "cpu") == 0)
        return TH_raisef(TH_E_ARG, "%s: got name \"%.40s\", want lower-case letters, digits and _", fn,
                         l->name ? l->name : "");
    if (!l->prefix || !l->count || !l->current || !l->select || !l->allocate || !l->free || !l->copy ||
        !l->copy_tensor || !l->synchronize)
        return TH_raisef(TH_E_ARG, "%s: got NULL for the prefix or a function of \"%s\", want all of them", fn,
                         l->name);
    return TH_OK;
}

/* Everything but the size, which a later version of the caller may have made larger. */
static int is_same(const THDeviceLibrary *a, const THDeviceLibrary *b) {
    return a->type == b->type && strcmp(a->name, b->name) == 0 && strcmp(a->prefix, b->prefix) == 0 &&
           a->user == b->user && a->allocate == b->allocate && a->copy == b->copy;
}

static const THDeviceLibrary *find_library(const char *name, size_t length) {
    for (int32_t type = 1; type < TH_DEVICE_TYPES; type++) {
        const THDeviceLibrary *l = TH_device_library(type);
        if (l && strncmp(l->name, name, length) == 0 && !l->name[length]) return l;
    }
    return NULL;
}

THStatus TH_device_register(const THDeviceLibrary *library) {
    THStatus status = check_library(library);
    if (status != TH_OK) return status;
    const THDeviceLibrary *taken = find_library(library->name, strlen(library->name));
    if (!taken) {
        THDeviceLibrary *entry = malloc(sizeof *entry); /* not TH_alloc: it outlives every replacing of the hooks */
        if (!entry)
            return TH_raisef(TH_E_MEMORY, "TH_device_register: could not allocate %d bytes", (int)sizeof *entry);
        *entry = *library;
        entry->struct_size = sizeof *entry;
        if (__atomic_compare_exchange_n(&libraries[library->type], &taken, entry, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return TH_OK;
        free(entry);
    }
    if (is_same(taken, library)) return TH_OK;
    return TH_raisef(TH_E_ARG, "TH_device_register: got \"%s\" of type %d, but \"%s\" of type %d is registered",
                     library->name, (int)library->type, taken->name, (int)taken->type);
}

/* ---- names ---- */

int32_t TH_device_count(int32_t type) {
    const THDeviceLibrary *l = TH_device_library(type);
    return l ? l->count(l->user) : type == TH_CPU;
}

const char *th_device_name(th_device_text buf, THDevice device) {
    TH_device_describe(device, buf, sizeof(th_device_text));
    return buf;
}

int64_t TH_device_describe(THDevice device, char *buf, int64_t cap) {
    const THDeviceLibrary *l = TH_device_library(th_device_type(device));
    char none = 0;
    if (!buf || cap < 1) buf = &none, cap = 1;
    if (device == TH_CPU) return snprintf(buf, (size_t)cap, "cpu");
    if (l) return snprintf(buf, (size_t)cap, "%s:%d", l->name, (int)th_device_index(device));
    return snprintf(buf, (size_t)cap, "device %d:%d", (int)th_device_type(device), (int)th_device_index(device));
}

THStatus th_device_serve(const THDeviceLibrary **out, const char *fn, THDevice device) {
    th_device_text name;
    const THDeviceLibrary *l = TH_device_library(th_device_type(device));
    if (!l)
        return TH_raisef(TH_E_DEVICE, "%s: got %s, want a device whose library is there", fn,
                         th_device_name(name, device));
    const int32_t count = l->count(l->user), index = th_device_index(device);
    if (index < 0 || index >= count)
        return TH_raisef(TH_E_DEVICE, "%s: got %s, want one of %d %s device(s)", fn, th_device_name(name, device),
                         (int)count, l->name);
    *out = l;
    return TH_OK;
}

/* The number after the colon, -1 if it is none. */
static int32_t parse_index(const char *s) {
    const size_t digits = strspn(s, "0123456789");
    return digits > 0 && digits < 10 && !s[digits] ? (int32_t)strtol(s, NULL, 10) : -1;
}

THStatus TH_device_find(THDevice *out, const char *name) {
    static const char fn[] = "TH_device_find";
    if (!out || !name) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "name" : "out");
    const size_t length = strcspn(name, ":");
    const int32_t index = name[length] ? parse_index(name + length + 1) : 0;
    const int cpu = length == 3 && memcmp(name, "cpu", 3) == 0;
    const THDeviceLibrary *l = cpu ? NULL : find_library(name, length);
    if (index < 0) return TH_raisef(TH_E_ARG, "%s: got \"%.60s\", want a name such as \"cpu\" or \"cuda:0\"", fn, name);
    if (!cpu && !l)
        return TH_raisef(TH_E_NOTFOUND, "%s: got \"%.60s\", want \"cpu\" or a device whose library is there", fn, name);
    if (cpu && index > 0) return TH_raisef(TH_E_DEVICE, "%s: got \"%.60s\", want the only CPU, \"cpu\"", fn, name);
    if (cpu) {
        *out = TH_CPU;
        return TH_OK;
    }
    const int32_t at = name[length] ? index : l->current(l->user);
    const THDevice device = (THDevice)(uint32_t)l->type << 32 | (uint32_t)at;
    const THStatus status = th_device_serve(&l, fn, device);
    if (status == TH_OK) *out = device;
    return status;
}

/* ---- state ---- */

THStatus TH_device_select(THDevice device, THDevice *previous) {
    const THDeviceLibrary *l = NULL;
    THStatus status = device == TH_CPU ? TH_OK : th_device_serve(&l, "TH_device_select", device);
    if (status != TH_OK) return status;
    const THDevice before =
        device == TH_CPU ? TH_CPU : (THDevice)(uint32_t)l->type << 32 | (uint32_t)l->current(l->user);
    if (before != device) status = l->select(l->user, th_device_index(device));
    if (status == TH_OK && previous) *previous = before;
    return status;
}

THStatus TH_device_synchronize(THDevice device) {
    const THDeviceLibrary *l = NULL;
    if (device == TH_CPU) return TH_OK;
    const THStatus status = th_device_serve(&l, "TH_device_synchronize", device);
    return status == TH_OK ? l->synchronize(l->user, th_device_index(device)) : status;
}

/* ---- memory ---- */

static void free_data(void *user) {
    THStorage *s = user;
    const THDeviceLibrary *l = TH_device_library(th_device_type(s->device));
    if (s->data) l->free(l->user, th_device_index(s->device), s->data, s->nbytes);
}

THStatus THStorage_new_on(THStorage **out, int64_t nbytes, THDevice device) {
    static const char fn[] = "THStorage_new_on";
    const THDeviceLibrary *l = NULL;
    if (device == TH_CPU) return THStorage_new(out, nbytes);
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    if (nbytes < 0) return TH_raisef(TH_E_ARG, "%s: got %lld bytes, want at least 0", fn, (long long)nbytes);
    THStatus status = th_device_serve(&l, fn, device);
    if (status != TH_OK) return status;
    THStorage *s = TH_alloc(sizeof *s);
    if (!s) return TH_E_MEMORY;
    *s = (THStorage){.refs = 1, .nbytes = nbytes, .device = device, .deleter = free_data, .user = s};
    if (nbytes > 0) status = l->allocate(l->user, th_device_index(device), nbytes, &s->data);
    if (status != TH_OK) {
        TH_free(s, sizeof *s);
        return status;
    }
    *out = s;
    return TH_OK;
}

THStatus THTensor_new_on(THTensor **out, THDtype dtype, const int64_t *sizes, int32_t ndim, THDevice device) {
    return th_tensor_new_on(out, "THTensor_new_on", dtype, sizes, ndim, device);
}

/* ---- copies ---- */

THStatus th_device_move(const char *fn, void *dst, THDevice to, const void *src, THDevice from, int64_t nbytes) {
    const THDeviceLibrary *target = NULL, *source = NULL;
    THStatus status = to == TH_CPU ? TH_OK : th_device_serve(&target, fn, to);
    if (status == TH_OK && from != TH_CPU) status = th_device_serve(&source, fn, from);
    if (status != TH_OK || nbytes == 0) return status;
    if (!target && !source) {
        memcpy(dst, src, (size_t)nbytes);
        return TH_OK;
    }
    if (!target || !source || target == source) {
        const THDeviceLibrary *l = target ? target : source;
        return l->copy(l->user, dst, to, src, from, nbytes);
    }
    void *between = TH_alloc(nbytes); /* libraries know the CPU and themselves only */
    if (!between) return TH_E_MEMORY;
    status = source->copy(source->user, between, TH_CPU, src, from, nbytes);
    if (status == TH_OK) status = target->copy(target->user, dst, to, between, TH_CPU, nbytes);
    TH_free(between, nbytes);
    return status;
}

static THStatus copy_within(const char *fn, THTensor *dst, const THTensor *src) {
    const THDeviceLibrary *l = NULL;
    if (dst->numel == 0) return TH_OK;
    if (dst->storage->device == TH_CPU) {
        th_copy(dst, src);
        return TH_OK;
    }
    const THStatus status = th_device_serve(&l, fn, dst->storage->device);
    return status == TH_OK ? l->copy_tensor(l->user, dst, src) : status;
}

static int takes_bytes_of(const THTensor *dst, const THTensor *src) {
    return dst->contiguous && dst->dtype == src->dtype && dst->ndim == src->ndim &&
           memcmp(th_sizes(dst), th_sizes(src), (size_t)src->ndim * sizeof(int64_t)) == 0;
}

/* Devices exchange bytes alone: src is made contiguous where it is, dst brought into its form where that is. */
THStatus th_device_copy(const char *fn, THTensor *dst, const THTensor *src) {
    const THDevice to = dst->storage->device, from = src->storage->device;
    if (to == from) return copy_within(fn, dst, src);
    THTensor *packed = NULL, *landed = NULL;
    THStatus status = THTensor_contiguous(&packed, src);
    if (status == TH_OK && takes_bytes_of(dst, src))
        landed = THTensor_retain(dst);
    else if (status == TH_OK)
        status = th_tensor_new_on(&landed, fn, src->dtype, th_sizes(src), src->ndim, to);
    if (status == TH_OK)
        status = th_device_move(fn, landed->data, to, packed->data, from,
                                th_size_mul(src->numel, TH_dtype_size(src->dtype)));
    if (status == TH_OK && landed != dst) status = copy_within(fn, dst, landed);
    THTensor_free(packed);
    THTensor_free(landed);
    return status;
}

THStatus THTensor_to_device(THTensor **out, const THTensor *t, THDevice device) {
    static const char fn[] = "THTensor_to_device";
    const THDeviceLibrary *l = NULL;
    if (!out || !t) return TH_raisef(TH_E_ARG, "%s: %s is NULL", fn, out ? "t" : "out");
    THStatus status = device == TH_CPU ? TH_OK : th_device_serve(&l, fn, device);
    if (status != TH_OK) return status;
    if (t->storage->device == device && t->number) return THTensor_alias(out, t);
    if (t->storage->device == device) {
        *out = THTensor_retain((THTensor *)t);
        return TH_OK;
    }
    THTensor *copy;
    status = th_tensor_new_on(&copy, fn, t->dtype, th_sizes(t), t->ndim, device);
    if (status != TH_OK) return status;
    status = th_device_copy(fn, copy, t);
    if (status == TH_OK)
        *out = copy;
    else
        THTensor_free(copy);
    return status;
}
