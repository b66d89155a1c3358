/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/random.h
 * Random numbers from Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Element
 * i, in logical order, is a function of (seed, offset, i) alone: strides, threads and devices do not matter. Each call
 * advances the offset by what it may have used. A NULL generator is the process-wide default one, seeded with 0; its
 * state, like any generator's, may be advanced by several threads at once (each draw takes numbers of its own; seed it
 * while nobody draws). uniform, bernoulli and randint have equal bits everywhere; normal's may differ in the last
 * places between instruction sets and devices. Fills an existing tensor; floating dtypes unless said otherwise. */
#ifndef TH_RANDOM_H
#define TH_RANDOM_H

#include "TH/tensor.h"
TH_BEGIN

typedef struct THGenerator THGenerator;

/** A generator, at offset 0. */
TH_API THStatus THGenerator_new(THGenerator **out, uint64_t seed);
TH_API void THGenerator_free(THGenerator *g);
TH_API void THGenerator_seed(THGenerator *g, uint64_t seed); /**< also sets the offset to 0 */
TH_API uint64_t THGenerator_initial_seed(const THGenerator *g);

/** Saves and restores the whole state: 32 bytes, little-endian: "WPHX", version 1 (uint32), seed, offset, 0 (uint64
 * each). TH_E_ARG for bytes that were not saved by this. */
enum { TH_GENERATOR_STATE_BYTES = 32 };
TH_API void THGenerator_get_state(const THGenerator *g, void *state);
TH_API THStatus THGenerator_set_state(THGenerator *g, const void *state);

/** Takes `blocks` blocks of four 32-bit words: they begin at *offset under *seed. With it a device library's functions
 * draw the same numbers as TH's from the same generator, which is never on a device. */
TH_API void THGenerator_take(THGenerator *g, uint64_t blocks, uint64_t *seed, uint64_t *offset);

/** In [lo, hi), after rounding to t's dtype too; lo for lo == hi. 24 random bits for float32 and halves, 53 for
 * float64. TH_E_ARG for lo > hi and for bounds, or a distance between them, beyond the dtype. */
TH_API THStatus TH_uniform(THTensor *t, double lo, double hi, THGenerator *g);

/** By Box-Muller; std >= 0. */
TH_API THStatus TH_normal(THTensor *t, double mean, double std, THGenerator *g);

/** 1 with probability p (to 2^-32), else 0; every dtype. */
TH_API THStatus TH_bernoulli(THTensor *t, double p, THGenerator *g);

/** In [lo, hi) without bias: 64-bit words, rejected where their number is no multiple of the range. Every dtype but
 * bool; TH_E_ARG if it does not hold all integers of the range. */
TH_API THStatus TH_randint(THTensor *t, int64_t lo, int64_t hi, THGenerator *g);

/** An int64 permutation of 0 ... n-1, each equally likely. */
TH_API THStatus TH_randperm(THTensor **out, int64_t n, THGenerator *g);

TH_END
#endif
