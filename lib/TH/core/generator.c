/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/memory.h"
#include "TH/random.h"
#include "TH/sys.h"

#include <string.h>

/* Both atomic rather than locked: several threads may draw from one generator, and a lock could be held at a fork. */
struct THGenerator {
    uint64_t seed, offset;
};

static THGenerator common; /* seed 0, as said in the header */

static THGenerator *real(THGenerator *g) { return g ? g : &common; }

static void set(THGenerator *g, uint64_t seed, uint64_t offset) {
    __atomic_store_n(&g->seed, seed, __ATOMIC_RELAXED);
    __atomic_store_n(&g->offset, offset, __ATOMIC_RELAXED);
}

void THGenerator_take(THGenerator *g, uint64_t blocks, uint64_t *seed, uint64_t *offset) {
    *seed = __atomic_load_n(&real(g)->seed, __ATOMIC_RELAXED);
    *offset = __atomic_fetch_add(&real(g)->offset, blocks, __ATOMIC_RELAXED);
}

THStatus THGenerator_new(THGenerator **out, uint64_t seed) {
    if (!out) return TH_raisef(TH_E_ARG, "THGenerator_new: out is NULL");
    THGenerator *g = TH_alloc(sizeof *g);
    if (!g) return TH_raisef(TH_E_MEMORY, "THGenerator_new: could not allocate %d bytes", (int)sizeof *g);
    set(g, seed, 0);
    *out = g;
    return TH_OK;
}

void THGenerator_free(THGenerator *g) { TH_free(g, sizeof *g); }

void THGenerator_seed(THGenerator *g, uint64_t seed) { set(real(g), seed, 0); }

uint64_t THGenerator_initial_seed(const THGenerator *g) {
    return __atomic_load_n(g ? &g->seed : &common.seed, __ATOMIC_RELAXED);
}

static const unsigned char magic[8] = {'W', 'P', 'H', 'X', 1, 0, 0, 0};

static void put(unsigned char *p, uint64_t x) {
    for (int i = 0; i < 8; i++) p[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t get(const unsigned char *p) {
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

void THGenerator_get_state(const THGenerator *g, void *state) {
    if (!state) return;
    const THGenerator *from = g ? g : &common;
    unsigned char *p = state;
    memcpy(p, magic, 8);
    put(p + 8, __atomic_load_n(&from->seed, __ATOMIC_RELAXED));
    put(p + 16, __atomic_load_n(&from->offset, __ATOMIC_RELAXED));
    put(p + 24, 0);
}

THStatus THGenerator_set_state(THGenerator *g, const void *state) {
    const unsigned char *p = state;
    if (!p) return TH_raisef(TH_E_ARG, "THGenerator_set_state: state is NULL");
    if (memcmp(p, magic, 8) != 0 || get(p + 24) != 0)
        return TH_raisef(TH_E_ARG,
                         "THGenerator_set_state: got bytes that THGenerator_get_state did not write, want its %d bytes",
                         TH_GENERATOR_STATE_BYTES);
    set(real(g), get(p + 8), get(p + 16));
    return TH_OK;
}
