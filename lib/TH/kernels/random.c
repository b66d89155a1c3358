/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/random.h"

#include "expr/template.h"
#include "expr/vmath.h"

#include "expr/random.inc"

TH_INLINE void draw_group(uint32_t *w, const th_draw *d, int64_t group) {
    const uint64_t block = d->block + (uint64_t)group * TH_GROUP_BLOCKS;
    const uint32_t low = (uint32_t)block, high = (uint32_t)(block >> 32);
    TH_SIMD for (uint32_t b = 0; b < TH_GROUP_BLOCKS; b++) {
        uint32_t c0 = low + b, c1 = high + (c0 < low), c2 = 0, c3 = 0;
        th_philox(&c0, &c1, &c2, &c3, (uint32_t)d->seed, (uint32_t)(d->seed >> 32));
        w[b] = c0, w[16 + b] = c1, w[32 + b] = c2, w[48 + b] = c3;
    }
}

static void words(void *dst, int64_t groups, const th_draw *d) {
    for (int64_t g = 0; g < groups; g++) draw_group((uint32_t *)dst + g * TH_GROUP, d, g);
}

static void uniform_float(void *dst, int64_t groups, const th_draw *d) {
    const float lo = (float)d->a, length = (float)d->b, least = (float)d->least, most = (float)d->most;
    float *restrict out = dst;
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 64) {
        draw_group(w, d, g);
        TH_SIMD for (int i = 0; i < 64; i++) {
            const float x = lo + length * th_unit_float(w[i]), y = x > most ? most : x;
            out[i] = y < least ? least : y;
        }
    }
}

static void uniform_double(void *dst, int64_t groups, const th_draw *d) {
    const double lo = d->a, length = d->b, least = d->least, most = d->most;
    double *restrict out = dst;
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 32) {
        draw_group(w, d, g);
        TH_SIMD for (int i = 0; i < 32; i++) {
            const double x = lo + length * th_unit_double(w[i], w[32 + i]), y = x > most ? most : x;
            out[i] = y < least ? least : y;
        }
    }
}

/* G. Box, M. Muller, "A note on the generation of random normal deviates", 1958: the first half of a group are radii.
 */
static void normal_float(void *dst, int64_t groups, const th_draw *d) {
    const float mean = (float)d->a, std = (float)d->b;
    float *restrict out = dst, radius[32], angle[32];
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 64) {
        draw_group(w, d, g);
        TH_SIMD for (int i = 0; i < 32; i++) radius[i] = std * sqrtf(-2.0f * logf(th_open_float(w[i])));
        TH_SIMD for (int i = 0; i < 32; i++) angle[i] = 6.28318530717958647692f * th_unit_float(w[32 + i]); /* 2 pi */
        TH_SIMD for (int i = 0; i < 32; i++) out[i] = mean + radius[i] * cosf(angle[i]);
        TH_SIMD for (int i = 0; i < 32; i++) out[32 + i] = mean + radius[i] * sinf(angle[i]);
    }
}

static void normal_double(void *dst, int64_t groups, const th_draw *d) {
    const double mean = d->a, std = d->b;
    double *restrict out = dst, radius[16], angle[16];
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 32) {
        draw_group(w, d, g);
        TH_SIMD for (int i = 0; i < 16; i++) radius[i] = std * sqrt(-2.0 * log(th_open_double(w[i], w[32 + i])));
        TH_SIMD for (int i = 0; i < 16; i++) angle[i] = 6.28318530717958647692 * th_unit_double(w[16 + i], w[48 + i]);
        TH_SIMD for (int i = 0; i < 16; i++) out[i] = mean + radius[i] * cos(angle[i]);
        TH_SIMD for (int i = 0; i < 16; i++) out[16 + i] = mean + radius[i] * sin(angle[i]);
    }
}

static void bernoulli(void *dst, int64_t groups, const th_draw *d) {
    const uint8_t possible = d->range > 0;
    const uint32_t last = (uint32_t)(d->range - 1);
    uint8_t *restrict out = dst;
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 64) {
        draw_group(w, d, g);
        TH_SIMD for (int i = 0; i < 64; i++) out[i] = (uint8_t)((w[i] <= last) & possible);
    }
}

static void randint(void *dst, int64_t groups, const th_draw *d) {
    int64_t *restrict out = dst;
    uint32_t w[TH_GROUP];
    for (int64_t g = 0; g < groups; g++, out += 32) {
        const uint64_t block = d->block + (uint64_t)g * TH_GROUP_BLOCKS;
        draw_group(w, d, g);
        for (uint32_t i = 0; i < 32; i++) {
            const uint64_t bits = (uint64_t)w[32 + i] << 32 | w[i];
            out[i] = (int64_t)((uint64_t)d->from + th_bounded(bits, d->range, d->seed, block, i));
        }
    }
}

const struct th_random_table TH_ISA_NAME(th_random) = {
    .words = words,
    .uniform_float = uniform_float,
    .normal_float = normal_float,
    .uniform_double = uniform_double,
    .normal_double = normal_double,
    .bernoulli = bernoulli,
    .randint = randint,
};
