/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/random.h"
#include "core/iter.h"
#include "core/number.h"
#include "expr/sizes.h"
#include "expr/template.h"
#include "kernels/copy.h"
#include "kernels/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/random.inc"

#define TH_TABLE th_random
#include "expr/tables.inc"

enum { PIECE = 16, TASK_GROUPS = 512 }; /* groups drawn at a time; groups that are worth a thread's while */

/* ---- filling a tensor in logical order ---- */

typedef struct fill_job {
    const THTensor *t;
    th_random_kernel kernel;
    THDtype drawn; /* what the kernel writes */
    int64_t per_group;
    th_draw draw;
    int32_t ndim; /* merged dimensions, innermost first; strides in bytes */
    int64_t size[TH_MAX_DIM], stride[TH_MAX_DIM];
} fill_job;

static void merge_dims(fill_job *job) {
    const THTensor *t = job->t;
    const int64_t item = TH_dtype_size(t->dtype);
    job->size[0] = 1, job->stride[0] = item;
    for (int32_t d = t->ndim - 1, n = 0; d >= 0; d--) {
        const int64_t size = th_sizes(t)[d], stride = th_strides(t)[d] * item;
        if (size == 1) continue;
        if (job->size[n] == 1)
            job->size[n] = size, job->stride[n] = stride;
        else if (stride == job->stride[n] * job->size[n])
            job->size[n] = th_size_mul(job->size[n], size);
        else
            job->size[++n] = size, job->stride[n] = stride;
        job->ndim = n;
    }
    job->ndim++;
}

static void store(const fill_job *job, int64_t at, const char *src, int64_t n) {
    const int64_t item = TH_dtype_size(job->t->dtype);
    while (n > 0) {
        const int64_t within = at % job->size[0], count = job->size[0] - within < n ? job->size[0] - within : n;
        char *dst = (char *)job->t->data + within * job->stride[0];
        int64_t line = at / job->size[0];
        for (int32_t d = 1; d < job->ndim; line /= job->size[d++]) dst += line % job->size[d] * job->stride[d];
        const th_move m = {dst, src, {count, 1}, {job->stride[0], 0}, {item, 0}};
        th_copy_table()->move[th_log2_size(item)](&m);
        at += count, n -= count, src += count * item;
    }
}

static void fill_groups(void *arg, int64_t lo, int64_t hi) {
    const fill_job *job = arg;
    const THDtype dtype = job->t->dtype;
    double drawn[PIECE * TH_GROUP / 2], cast[PIECE * TH_GROUP]; /* a group has 64 floats or 32 doubles */
    for (int64_t g = lo; g < hi; g += PIECE) {
        const int64_t groups = hi - g < PIECE ? hi - g : PIECE, at = g * job->per_group;
        const int64_t left = job->t->numel - at, most = groups * job->per_group, n = left < most ? left : most;
        th_draw draw = job->draw;
        draw.block += (uint64_t)g * TH_GROUP_BLOCKS;
        if (dtype == job->drawn && job->t->contiguous && n == most) {
            job->kernel((char *)job->t->data + at * TH_dtype_size(dtype), groups, &draw);
            continue;
        }
        job->kernel(drawn, groups, &draw);
        if (dtype != job->drawn) th_cast(cast, dtype, drawn, job->drawn, n);
        store(job, at, dtype != job->drawn ? (char *)cast : (char *)drawn, n);
    }
}

static uint64_t blocks_of(int64_t groups) { return (uint64_t)groups * TH_GROUP_BLOCKS; }

static THStatus fill(const char *fn, THTensor *t, THGenerator *g, fill_job *job) {
    THTensor *result;
    THStatus status = TH_output_begin(&result, fn, &t, t->dtype, th_sizes(t), t->ndim, 1, 1, NULL, 0);
    if (status != TH_OK) return status;
    const int64_t groups = t->numel ? (t->numel - 1) / job->per_group + 1 : 0;
    job->t = t;
    merge_dims(job);
    THGenerator_take(g, blocks_of(groups), &job->draw.seed, &job->draw.block);
    TH_parallel(groups, TASK_GROUPS, fill_groups, job);
    return TH_output_end(result, &t, TH_OK);
}

/* ---- floating values ---- */

static THStatus check_floating(const char *fn, const THTensor *t) {
    const THStatus status = TH_check_input(fn, "t", t);
    if (status != TH_OK || TH_dtype_is_floating(t->dtype)) return status;
    th_text text;
    return TH_raisef(TH_E_TYPE, "%s: got t %s, want a floating dtype", fn, th_tensor_text(text, t));
}

static double rounded(THDtype dtype, double x) {
    double bits, y;
    th_cast(&bits, dtype, &x, TH_FLOAT64, 1);
    th_cast(&y, TH_FLOAT64, &bits, dtype, 1);
    return y;
}

/* The neighbour of x, which is a number of dtype, toward -inf. */
static double below(THDtype dtype, double x) {
    if (dtype == TH_FLOAT64) return nextafter(x, -INFINITY);
    if (dtype == TH_FLOAT32) return (double)nextafterf((float)x, -INFINITY);
    uint16_t bits;
    th_cast(&bits, dtype, &x, TH_FLOAT64, 1);
    bits = (uint16_t)(x > 0 ? bits - 1 : x < 0 ? bits + 1 : 0x8001);
    th_cast(&x, TH_FLOAT64, &bits, dtype, 1);
    return x;
}

THStatus TH_uniform(THTensor *t, double lo, double hi, THGenerator *g) {
    const char *fn = "TH_uniform";
    const THStatus status = check_floating(fn, t);
    if (status != TH_OK) return status;
    double least = rounded(t->dtype, lo), most = rounded(t->dtype, hi);
    const double length = t->dtype == TH_FLOAT64 ? hi - lo : (double)(float)(hi - lo);
    if (!(lo <= hi) || !isfinite(least) || !isfinite(most) || !isfinite(length))
        return TH_raisef(TH_E_ARG,
                         "%s: got bounds %g and %g, want finite ones in order, and their distance in %s's range", fn,
                         lo, hi, TH_dtype_name(t->dtype));
    if (least < lo) least = -below(t->dtype, -least);
    if (most >= hi) most = below(t->dtype, most);
    const struct th_random_table *table = tables[TH_isa_index()];
    const int wide = t->dtype == TH_FLOAT64;
    fill_job job = {.kernel = wide ? table->uniform_double : table->uniform_float,
                    .drawn = wide ? TH_FLOAT64 : TH_FLOAT32,
                    .per_group = wide ? 32 : 64,
                    .draw = {.a = lo, .b = length, .least = least, .most = most < least ? least : most}};
    return fill(fn, t, g, &job);
}

THStatus TH_normal(THTensor *t, double mean, double std, THGenerator *g) {
    const char *fn = "TH_normal";
    const THStatus status = check_floating(fn, t);
    if (status != TH_OK) return status;
    if (!isfinite(rounded(t->dtype, mean)) || !isfinite(rounded(t->dtype, std)) || std < 0)
        return TH_raisef(TH_E_ARG, "%s: got mean %g and std %g, want finite numbers, std at least 0", fn, mean, std);
    const struct th_random_table *table = tables[TH_isa_index()];
    const int wide = t->dtype == TH_FLOAT64;
    fill_job job = {.kernel = wide ? table->normal_double : table->normal_float,
                    .drawn = wide ? TH_FLOAT64 : TH_FLOAT32,
                    .per_group = wide ? 32 : 64,
                    .draw = {.a = mean, .b = std}};
    return fill(fn, t, g, &job);
}

/* ---- whole numbers ---- */

THStatus TH_bernoulli(THTensor *t, double p, THGenerator *g) {
    const char *fn = "TH_bernoulli";
    const THStatus status = TH_check_input(fn, "t", t);
    if (status != TH_OK) return status;
    if (!(p >= 0 && p <= 1)) return TH_raisef(TH_E_ARG, "%s: got p %g, want 0 to 1", fn, p);
    fill_job job = {.kernel = tables[TH_isa_index()]->bernoulli,
                    .drawn = TH_BOOL,
                    .per_group = 64,
                    .draw = {.range = (uint64_t)(p * 0x1p32 + 0.5)}};
    return fill(fn, t, g, &job);
}

THStatus TH_randint(THTensor *t, int64_t lo, int64_t hi, THGenerator *g) {
    const char *fn = "TH_randint";
    const THStatus status = TH_check_input(fn, "t", t);
    if (status != TH_OK) return status;
    if (t->dtype == TH_BOOL) {
        th_text text;
        return TH_raisef(TH_E_TYPE, "%s: got t %s, want a dtype of numbers", fn, th_tensor_text(text, t));
    }
    int64_t lowest, highest;
    th_integer_range(t->dtype, &lowest, &highest);
    if (lo >= hi || lo < lowest || hi - 1 > highest)
        return TH_raisef(TH_E_ARG,
                         "%s: got bounds %lld and %lld, want lo < hi and integers that %s holds, %lld to %lld", fn,
                         (long long)lo, (long long)hi, TH_dtype_name(t->dtype), (long long)lowest, (long long)highest);
    fill_job job = {.kernel = tables[TH_isa_index()]->randint,
                    .drawn = TH_INT64,
                    .per_group = 32,
                    .draw = {.range = (uint64_t)hi - (uint64_t)lo, .from = lo}};
    return fill(fn, t, g, &job);
}

/* R. Durstenfeld, "Algorithm 235: Random permutation", 1964. Step i = n-1, ..., 1 uses the 64-bit element n-1-i. */
static void shuffle(const THTensor *t, th_draw draw) {
    uint32_t w[TH_GROUP];
    int64_t *p = t->data, step = th_strides(t)[0], n = t->numel;
    for (int64_t i = 0; i < n; i++) p[i * step] = i;
    for (int64_t k = 0; k < n - 1; k++) {
        const uint32_t r = (uint32_t)(k % 32);
        if (!r && k) draw.block += TH_GROUP_BLOCKS;
        if (!r) tables[TH_isa_index()]->words(w, 1, &draw);
        const uint64_t bits = (uint64_t)w[32 + r] << 32 | w[r], range = (uint64_t)(n - k);
        const int64_t i = n - 1 - k, j = (int64_t)th_bounded(bits, range, draw.seed, draw.block, r), kept = p[i * step];
        p[i * step] = p[j * step];
        p[j * step] = kept;
    }
}

THStatus TH_randperm(THTensor **out, int64_t n, THGenerator *g) {
    const char *fn = "TH_randperm";
    if (n < 0) return TH_raisef(TH_E_ARG, "%s: got n %lld, want at least 0", fn, (long long)n);
    THTensor *result;
    const THStatus status = TH_output_begin(&result, fn, out, TH_INT64, &n, 1, 1, 0, NULL, 0);
    if (status != TH_OK) return status;
    th_draw draw = {0};
    THGenerator_take(g, blocks_of(n ? (n - 1) / 32 + 1 : 0), &draw.seed, &draw.block);
    shuffle(result, draw);
    return TH_output_end(result, out, TH_OK);
}
