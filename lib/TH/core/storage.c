/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/memory.h"
#include "core/tensor.h"

#include <stddef.h>

/* From here on header and bytes are separate blocks, so that data of a power of two bytes fills its size class. */
enum { TOGETHER_MAX = 2048 };

static void free_data(void *user) {
    THStorage *s = user;
    TH_free(s->data, s->nbytes);
}

static void keep(void *user) { (void)user; }

THStatus THStorage_new(THStorage **out, int64_t nbytes) {
    if (!out) return TH_raisef(TH_E_ARG, "THStorage_new: out is NULL");
    if (nbytes < 0) return TH_raisef(TH_E_ARG, "THStorage_new: got %lld bytes, want at least 0", (long long)nbytes);
    int together = nbytes <= TOGETHER_MAX;
    THStorage *s = TH_alloc((int64_t)sizeof *s + (together ? nbytes : 0));
    if (!s) return TH_E_MEMORY;
    void *data = together ? s + 1 : TH_alloc(nbytes);
    if (!data) {
        TH_free(s, sizeof *s);
        return TH_E_MEMORY;
    }
    *s = (THStorage){.refs = 1, .data = data, .nbytes = nbytes, .deleter = together ? NULL : free_data, .user = s};
    *out = s;
    return TH_OK;
}

THStatus THStorage_new_foreign(THStorage **out, void *data, int64_t nbytes, THDevice device, int32_t readonly,
                               void (*deleter)(void *user), void *user) {
    if (!out) return TH_raisef(TH_E_ARG, "THStorage_new_foreign: out is NULL");
    if (nbytes < 0 || (!data && nbytes > 0))
        return TH_raisef(TH_E_ARG, "THStorage_new_foreign: got %lld bytes at %s, want at least 0 bytes at an address",
                         (long long)nbytes, data ? "data" : "NULL");
    THStorage *s = TH_alloc(sizeof *s);
    if (!s) return TH_E_MEMORY;
    *s = (THStorage){.refs = 1,
                     .data = data,
                     .nbytes = nbytes,
                     .device = device,
                     .readonly = readonly != 0,
                     .deleter = deleter ? deleter : keep,
                     .user = user};
    *out = s;
    return TH_OK;
}

THStorage *THStorage_retain(THStorage *s) {
    if (s) __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void THStorage_free(THStorage *s) {
    if (!s) return;
    /* the only owner needs no read-modify-write: nobody else can retain */
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) != 1 && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    int64_t block = (int64_t)sizeof *s + (s->deleter ? 0 : s->nbytes);
    if (s->deleter) s->deleter(s->user);
    TH_free(s, block);
}

void *THStorage_data(const THStorage *s) { return s ? s->data : NULL; }
int64_t THStorage_nbytes(const THStorage *s) { return s ? s->nbytes : 0; }
THDevice THStorage_device(const THStorage *s) { return s ? s->device : TH_CPU; }
int32_t THStorage_is_readonly(const THStorage *s) { return s && s->readonly; }
int64_t THStorage_refcount(const THStorage *s) { return s ? __atomic_load_n(&s->refs, __ATOMIC_RELAXED) : 0; }
uint64_t THStorage_version(const THStorage *s) { return s ? __atomic_load_n(&s->version, __ATOMIC_RELAXED) : 0; }

void THStorage_touch(THStorage *s) {
    if (s) __atomic_fetch_add(&s->version, 1, __ATOMIC_RELAXED);
}
