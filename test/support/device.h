/* SPDX-License-Identifier: BSD-3-Clause */
/* A small fake device for tests, in C and C++: its memory is mapped twice, once without any access, which is what TH
   gets to see as the device's (so that a CPU function that reads it crashes), and once for the device's own functions.
   Two devices; room and the next failure can be set; calls are counted. */
#ifndef SUPPORT_DEVICE_H
#define SUPPORT_DEVICE_H

#include "TH/TH.h"
#include "TH/sys.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FAKE_TYPE = 11, FAKE_COUNT = 2 };
#define FAKE_ARENA (INT64_C(1) << 28) /* bytes of a device */
#define FAKE(index) ((THDevice)FAKE_TYPE << 32 | (THDevice)(index))

typedef struct fake_state {
    char *seen, *real; /* the two mappings */
    int64_t top[FAKE_COUNT], in_use[FAKE_COUNT], room;
    int32_t current;
    int32_t allocations, frees, copies, tensor_copies, waits, selects;
    THStatus fail; /* what the next function that can fail returns */
} fake_state;

static inline THStatus fake_failure(fake_state *f) {
    const THStatus status = f->fail;
    f->fail = TH_OK;
    return status == TH_OK ? TH_OK : TH_raisef(status, "fake: a failure was asked for");
}

/* Where the device's own functions find what TH knows under an address. */
static inline char *fake_real(const fake_state *f, const void *p) { return f->real + ((const char *)p - f->seen); }
static inline int fake_owns(const fake_state *f, const void *p, int64_t nbytes, int32_t index) {
    const char *lo = f->seen + index * FAKE_ARENA;
    return (const char *)p >= lo && (const char *)p + nbytes <= lo + FAKE_ARENA;
}

static int32_t fake_count(void *user) {
    (void)user;
    return FAKE_COUNT;
}

static int32_t fake_current(void *user) { return ((fake_state *)user)->current; }

static THStatus fake_select(void *user, int32_t index) {
    fake_state *f = (fake_state *)user;
    f->selects++;
    f->current = index;
    return fake_failure(f);
}

static THStatus fake_allocate(void *user, int32_t index, int64_t nbytes, void **out) {
    fake_state *f = (fake_state *)user;
    const THStatus status = fake_failure(f);
    if (status != TH_OK) return status;
    if (nbytes > FAKE_ARENA || f->in_use[index] + nbytes > f->room || f->top[index] + nbytes + 64 > FAKE_ARENA)
        return TH_raisef(TH_E_MEMORY, "fake: got %lld bytes, want fewer", (long long)nbytes);
    *out = f->seen + index * FAKE_ARENA + f->top[index];
    memset(fake_real(f, *out), 0xFF, (size_t)nbytes);
    f->top[index] += (nbytes + 63) / 64 * 64;
    f->in_use[index] += nbytes;
    f->allocations++;
    return TH_OK;
}

static void fake_free(void *user, int32_t index, void *p, int64_t nbytes) {
    fake_state *f = (fake_state *)user;
    if (!fake_owns(f, p, nbytes, index)) return; /* in_use then tells */
    memset(fake_real(f, p), 0xFB, (size_t)nbytes);
    f->in_use[index] -= nbytes;
    if (f->in_use[index] == 0) f->top[index] = 0;
    f->frees++;
}

static THStatus fake_copy(void *user, void *dst, THDevice to, const void *src, THDevice from, int64_t nbytes) {
    fake_state *f = (fake_state *)user;
    const THStatus status = fake_failure(f);
    if (status != TH_OK) return status;
    if ((to && !fake_owns(f, dst, nbytes, (int32_t)(uint32_t)to)) ||
        (from && !fake_owns(f, src, nbytes, (int32_t)(uint32_t)from)) || !(to | from) || nbytes < 1)
        return TH_raisef(TH_E_INTERNAL, "fake: got a copy that is none of its own");
    memcpy(to ? fake_real(f, dst) : (char *)dst, from ? fake_real(f, src) : (const char *)src, (size_t)nbytes);
    f->copies++;
    return TH_OK;
}

/* The same tensor as the device's own functions see it: on the CPU, over the same bytes. */
static inline THStatus fake_shadow(const fake_state *f, THTensor **out, const THTensor *t) {
    THStorage *s, *from = THTensor_storage(t);
    if (!THTensor_device(t)) {
        *out = THTensor_retain((THTensor *)t);
        return TH_OK;
    }
    void *data = THStorage_data(from);
    THStatus status = THStorage_new_foreign(&s, data ? fake_real(f, data) : NULL, THStorage_nbytes(from), TH_CPU,
                                            THStorage_is_readonly(from), NULL, NULL);
    if (status != TH_OK) return status;
    status = THTensor_new_over(out, s, THTensor_dtype(t), THTensor_sizes(t), THTensor_strides(t), THTensor_ndim(t),
                               THTensor_offset(t));
    THStorage_free(s);
    return status;
}

static THStatus fake_copy_tensor(void *user, THTensor *dst, const THTensor *src) {
    fake_state *f = (fake_state *)user;
    THTensor *to = NULL, *from = NULL;
    THStatus status = fake_failure(f);
    if (status == TH_OK) status = fake_shadow(f, &to, dst);
    if (status == TH_OK) status = fake_shadow(f, &from, src);
    if (status == TH_OK) status = THTensor_copy(to, from);
    THTensor_free(to);
    THTensor_free(from);
    f->tensor_copies++;
    return status;
}

static THStatus fake_synchronize(void *user, int32_t index) {
    (void)index;
    ((fake_state *)user)->waits++;
    return fake_failure((fake_state *)user);
}

/* The device's row; its memory is there after fake_open. */
static inline THDeviceLibrary fake_library(fake_state *f) {
    THDeviceLibrary l;
    memset(&l, 0, sizeof l);
    l.struct_size = sizeof l;
    l.type = FAKE_TYPE;
    l.name = "fake";
    l.prefix = "FAKE";
    l.nn_prefix = "FAKENN";
    l.user = f;
    l.count = fake_count;
    l.current = fake_current;
    l.select = fake_select;
    l.allocate = fake_allocate;
    l.free = fake_free;
    l.copy = fake_copy;
    l.copy_tensor = fake_copy_tensor;
    l.synchronize = fake_synchronize;
    return l;
}

/* Maps the memory and registers the device. */
static inline THStatus fake_open(fake_state *f) {
    const size_t bytes = (size_t)(FAKE_COUNT * FAKE_ARENA);
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), (off_t)bytes)) return TH_raise(TH_E_IO, "fake: no file for its memory");
    f->seen = (char *)mmap(NULL, bytes, PROT_NONE, MAP_SHARED, fileno(file), 0);
    f->real = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    if (f->seen == MAP_FAILED || f->real == MAP_FAILED) return TH_raise(TH_E_MEMORY, "fake: no room for its memory");
    f->room = FAKE_ARENA;
    const THDeviceLibrary l = fake_library(f);
    return TH_device_register(&l);
}

#endif
