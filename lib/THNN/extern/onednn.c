/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolutions on oneDNN. What a geometry needs is built once and kept in a cache; a call takes it out of the cache
   while it runs, so that calls from several threads share nothing. */
#include "extern/onednn.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "TH/memory.h"
#include "TH/runtime.h"
#include "TH/sys.h"
#include "expr/openmp.h"
#include "expr/sizes.h"
#include "extern/guard.h"

enum { X, WEIGHT, Y, ARRAYS };
enum { CACHE_MAX = 128 };

typedef struct conv_key {
    thnn_conv conv;
    int64_t has_bias, threads;
    int64_t y_image; /* elements from one image of y to the next */
} conv_key;

/* An array as the caller has it, and as the convolution wants it: in a blocked layout, reached by a reorder. */
typedef struct conv_array {
    dnnl_memory_t outer, inner; /* one and the same where the layouts agree */
    dnnl_primitive_t reorder;   /* NULL then; outer to inner, for the result inner to outer */
    int64_t bytes;              /* of inner, if it is not outer */
} conv_array;

typedef struct conv_entry {
    conv_key key;
    struct conv_entry *next;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive; /* NULL: oneDNN has nothing better than ours */
    conv_array arrays[ARRAYS];
    dnnl_memory_t bias, scratchpad;
    int64_t scratchpad_bytes;
} conv_entry;

/* ---- the cache: most recently used first ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static dnnl_engine_t engine;
static dnnl_primitive_attr_t attributes;
static conv_entry *cache;
static int64_t cached;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void start(void) {
    pthread_atfork(lock, unlock, unlock);
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) engine = NULL;
    if (dnnl_primitive_attr_create(&attributes) != dnnl_success) attributes = NULL;
    if (attributes) dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
}

static void entry_free(conv_entry *e) {
    if (!e) return;
    for (int i = 0; i < ARRAYS; i++) {
        conv_array *a = &e->arrays[i];
        if (a->reorder) dnnl_primitive_destroy(a->reorder);
        if (a->inner && a->inner != a->outer) dnnl_memory_destroy(a->inner);
        if (a->outer) dnnl_memory_destroy(a->outer);
    }
    if (e->bias) dnnl_memory_destroy(e->bias);
    if (e->scratchpad) dnnl_memory_destroy(e->scratchpad);
    if (e->primitive) dnnl_primitive_destroy(e->primitive);
    if (e->stream) dnnl_stream_destroy(e->stream);
    free(e);
}

static conv_entry *cache_take(const conv_key *key) {
    lock();
    conv_entry **at = &cache;
    while (*at && memcmp(&(*at)->key, key, sizeof *key) != 0) at = &(*at)->next;
    conv_entry *found = *at;
    if (found) {
        *at = found->next;
        cached--;
    }
    unlock();
    return found;
}

static void cache_give(conv_entry *e) {
    conv_entry *last = NULL;
    lock();
    e->next = cache;
    cache = e;
    if (++cached > CACHE_MAX) {
        conv_entry **at = &cache;
        while ((*at)->next) at = &(*at)->next;
        last = *at;
        *at = NULL;
        cached--;
    }
    unlock();
    entry_free(last);
}

/* ---- building an entry ---- */

static int result_of(int64_t kind) {
    return kind == THNN_CONV_FORWARD ? Y : kind == THNN_CONV_BACKWARD_INPUT ? X : WEIGHT;
}

/* Whether an array is a gradient: going backward, the result and y are. */
static int is_gradient(int64_t kind, int array) {
    return kind != THNN_CONV_FORWARD && (array == Y || array == result_of(kind));
}

static dnnl_query_t query_of(int64_t kind, int array) {
    static const dnnl_query_t queries[2][ARRAYS] = {
        {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
        {dnnl_query_diff_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md},
    };
    return queries[is_gradient(kind, array)][array];
}

static int argument_of(int64_t kind, int array) {
    static const int arguments[2][ARRAYS] = {
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
    };
    return arguments[is_gradient(kind, array)][array];
}

/* An entry being built, and what goes away when it is, or when building it fails. The descriptors are of the caller's
   arrays, and of arrays in whichever layout oneDNN likes. */
typedef struct conv_build {
    conv_entry *e;
    dnnl_status_t status;
    thnn_md_owned plain[ARRAYS], any[ARRAYS], bias;
    dnnl_primitive_desc_t pd, hint, reorder;
} conv_build;

/* Up to a group, two channels and the spatial dimensions that count. */
static int fill_dims(dnnl_dims_t dims, int64_t groups, int64_t a, int64_t b, const int64_t *last, int64_t spatial) {
    int n = 0;
    if (groups > 0) dims[n++] = groups;
    dims[n++] = a;
    dims[n++] = b;
    for (int64_t d = THNN_AXES_MAX - spatial; d < THNN_AXES_MAX; d++) dims[n++] = last[d];
    return n;
}

/* y may be some channels of a larger array. */
static dnnl_status_t make_y(conv_build *m, int ndim, const dnnl_dims_t dims) {
    dnnl_dims_t strides;
    strides[ndim - 1] = 1;
    for (int d = ndim - 2; d >= 0; d--) strides[d] = th_size_mul(strides[d + 1], dims[d + 1]);
    strides[0] = m->e->key.y_image;
    return thnn_md_make_strided(&m->plain[Y], ndim, dims, strides);
}

static dnnl_status_t make_mds(conv_build *m) {
    static const dnnl_format_tag_t plain[] = {dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};
    const thnn_conv *g = &m->e->key.conv;
    const int64_t c = th_size_mul(g->groups, g->c), k = th_size_mul(g->groups, g->k);
    int64_t in[THNN_AXES_MAX], out[THNN_AXES_MAX], kernel[THNN_AXES_MAX];
    for (int d = 0; d < THNN_AXES_MAX; d++)
        in[d] = g->axes[d].in, out[d] = g->axes[d].out, kernel[d] = g->axes[d].kernel;
    dnnl_dims_t dims[ARRAYS], bias = {k};
    int ndim[ARRAYS] = {fill_dims(dims[X], 0, g->images, c, in, g->spatial),
                        g->groups > 1 ? fill_dims(dims[WEIGHT], g->groups, g->k, g->c, kernel, g->spatial)
                                      : fill_dims(dims[WEIGHT], 0, k, g->c, kernel, g->spatial),
                        fill_dims(dims[Y], 0, g->images, k, out, g->spatial)};
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++) {
        status =
            i == Y ? make_y(m, ndim[Y], dims[Y]) : thnn_md_make(&m->plain[i], ndim[i], dims[i], plain[ndim[i] - 1]);
        if (status == dnnl_success) status = thnn_md_make(&m->any[i], ndim[i], dims[i], dnnl_format_tag_any);
    }
    if (status == dnnl_success && m->e->key.has_bias) status = thnn_md_make(&m->bias, 1, bias, dnnl_a);
    return status;
}

static dnnl_status_t make_pd(conv_build *m) {
    const thnn_conv *g = &m->e->key.conv;
    thnn_conv_recipe r = {.kind = g->kind,
                          .x = thnn_md_get(&m->any[X]),
                          .weight = thnn_md_get(&m->any[WEIGHT]),
                          .y = thnn_md_get(&m->any[Y]),
                          .bias = m->e->key.has_bias ? thnn_md_get(&m->bias) : NULL};
    for (int64_t i = 0; i < g->spatial; i++) {
        const thnn_axis *a = &g->axes[THNN_AXES_MAX - g->spatial + i];
        r.strides[i] = a->stride;
        r.dilates[i] = a->dilation - 1;
        r.padding[i] = a->padding;
    }
    if (g->kind == THNN_CONV_FORWARD) return thnn_conv_forward_create(&m->pd, engine, &r, attributes);
    dnnl_status_t status = thnn_conv_forward_create(&m->hint, engine, &r, attributes);
    if (status == dnnl_success) status = thnn_conv_backward_create(&m->pd, engine, &r, m->hint, attributes);
    return status;
}

static dnnl_status_t make_memory(dnnl_memory_t *memory, thnn_md md) {
    return dnnl_memory_create(memory, md, engine, DNNL_MEMORY_NONE);
}

/* The reorder between the caller's layout and the convolution's, if they differ. */
static dnnl_status_t make_array(conv_build *m, conv_array *a, thnn_md outer, thnn_md inner, int is_result) {
    dnnl_status_t status = make_memory(&a->outer, outer);
    if (status != dnnl_success) return status;
    if (dnnl_memory_desc_equal(outer, inner)) {
        a->inner = a->outer;
        return status;
    }
    status = make_memory(&a->inner, inner);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(&m->reorder, is_result ? inner : outer, engine,
                                                    is_result ? outer : inner, engine, NULL);
    if (status == dnnl_success) status = dnnl_primitive_create(&a->reorder, m->reorder);
    if (m->reorder) dnnl_primitive_desc_destroy(m->reorder);
    m->reorder = NULL;
    a->bytes = (int64_t)dnnl_memory_desc_get_size(inner);
    return status;
}

/* Its plain code, or matrix products as our own are, but cut by the number of threads, on which bits then depend. */
static int is_reference(const_dnnl_primitive_desc_t pd) {
    const char *name = NULL;
    return dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) == dnnl_success &&
           (strstr(name, "ref") || strstr(name, "gemm"));
}

static dnnl_status_t fill_entry(conv_build *m) {
    conv_entry *e = m->e;
    int64_t kind = e->key.conv.kind;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++)
        status = make_array(m, &e->arrays[i], thnn_md_get(&m->plain[i]),
                            dnnl_primitive_desc_query_md(m->pd, query_of(kind, i), 0), i == result_of(kind));
    thnn_md scratchpad = dnnl_primitive_desc_query_md(m->pd, dnnl_query_scratchpad_md, 0);
    e->scratchpad_bytes = (int64_t)dnnl_memory_desc_get_size(scratchpad);
    if (status == dnnl_success && e->scratchpad_bytes > 0) status = make_memory(&e->scratchpad, scratchpad);
    if (status == dnnl_success && e->key.has_bias) status = make_memory(&e->bias, thnn_md_get(&m->bias));
    if (status == dnnl_success) status = dnnl_stream_create(&e->stream, engine, dnnl_stream_default_flags);
    if (status == dnnl_success) status = dnnl_primitive_create(&e->primitive, m->pd);
    return status;
}

static void build(void *arg) {
    conv_build *m = arg;
    m->status = make_mds(m);
    if (m->status == dnnl_success) m->status = make_pd(m);
    if (m->status == dnnl_success && !is_reference(m->pd)) m->status = fill_entry(m);
    if (m->status == dnnl_unimplemented) m->status = dnnl_success; /* kept as an entry without a primitive */
}

/* What a guarded call came to. */
static dnnl_status_t guarded(void (*body)(void *arg), void *arg, const dnnl_status_t *status) {
    int threw = thnn_guard(body, arg);
    return threw == THNN_THREW_NOTHING ? *status : threw == THNN_THREW ? dnnl_runtime_error : dnnl_out_of_memory;
}

static conv_entry *entry_make(dnnl_status_t *status, const conv_key *key) {
    conv_build m;
    memset(&m, 0, sizeof m);
    m.e = calloc(1, sizeof *m.e);
    *status = dnnl_out_of_memory;
    if (!m.e) return NULL;
    m.e->key = *key;
    *status = guarded(build, &m, &m.status);
    dnnl_primitive_desc_t made[] = {m.pd, m.hint, m.reorder};
    for (int i = 0; i < 3; i++)
        if (made[i]) dnnl_primitive_desc_destroy(made[i]);
    for (int i = 0; i < ARRAYS; i++) {
        thnn_md_free(&m.plain[i]);
        thnn_md_free(&m.any[i]);
    }
    thnn_md_free(&m.bias);
    if (*status == dnnl_success) return m.e;
    entry_free(m.e);
    return NULL;
}

/* ---- running it ---- */

static dnnl_status_t reorder(const conv_entry *e, const conv_array *a, dnnl_memory_t from, dnnl_memory_t to) {
    if (!a->reorder) return dnnl_success;
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    return dnnl_primitive_execute(a->reorder, e->stream, 2, args);
}

/* Points the entry's memories at the caller's arrays and, for blocked layouts and work space, at `room`. */
static dnnl_status_t bind(conv_entry *e, const thnn_conv_args *args, char *room) {
    void *outer[] = {args->x, args->weight, args->y};
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++) {
        conv_array *a = &e->arrays[i];
        status = dnnl_memory_set_data_handle(a->outer, outer[i]);
        if (a->inner == a->outer || status != dnnl_success) continue;
        status = dnnl_memory_set_data_handle(a->inner, room);
        room += (a->bytes + 63) / 64 * 64;
    }
    if (status == dnnl_success && e->bias) status = dnnl_memory_set_data_handle(e->bias, (void *)(uintptr_t)args->bias);
    if (status == dnnl_success && e->scratchpad) status = dnnl_memory_set_data_handle(e->scratchpad, room);
    return status;
}

typedef struct conv_run {
    conv_entry *e;
    const thnn_conv_args *args;
    char *room;
    dnnl_status_t status;
} conv_run;

static void execute(void *arg) {
    conv_run *r = arg;
    conv_entry *e = r->e;
    int64_t kind = e->key.conv.kind;
    int result = result_of(kind), n = 0;
    dnnl_exec_arg_t list[ARRAYS + 2];
    dnnl_status_t status = bind(e, r->args, r->room);
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++) {
        list[n++] = (dnnl_exec_arg_t){argument_of(kind, i), e->arrays[i].inner};
        if (i != result) status = reorder(e, &e->arrays[i], e->arrays[i].outer, e->arrays[i].inner);
    }
    if (e->bias) list[n++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, e->bias};
    if (e->scratchpad) list[n++] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, e->scratchpad};
    if (status == dnnl_success) status = dnnl_primitive_execute(e->primitive, e->stream, n, list);
    if (status == dnnl_success)
        status = reorder(e, &e->arrays[result], e->arrays[result].inner, e->arrays[result].outer);
    dnnl_status_t waited = dnnl_stream_wait(e->stream);
    r->status = status == dnnl_success ? waited : status;
}

static dnnl_status_t run(conv_entry *e, const thnn_conv_args *args) {
    int64_t bytes = e->scratchpad_bytes;
    for (int i = 0; i < ARRAYS; i++) bytes = th_size_add(bytes, (e->arrays[i].bytes + 63) / 64 * 64);
    conv_run r = {e, args, bytes > 0 ? TH_alloc(bytes) : NULL, dnnl_success};
    if (bytes > 0 && !r.room) return dnnl_out_of_memory;
    dnnl_status_t status = guarded(execute, &r, &r.status);
    TH_free(r.room, bytes);
    return status;
}

static int64_t volume(const thnn_conv *g, int64_t channels, size_t field) {
    for (int d = 0; d < THNN_AXES_MAX; d++)
        channels = th_size_mul(channels, *(const int64_t *)((const char *)&g->axes[d] + field));
    return channels;
}

/* Elements of an image, and of the weight. */
static int64_t x_image(const thnn_conv *g) { return volume(g, th_size_mul(g->groups, g->c), offsetof(thnn_axis, in)); }
static int64_t y_image(const thnn_conv *g) { return volume(g, th_size_mul(g->groups, g->k), offsetof(thnn_axis, out)); }
static int64_t weights(const thnn_conv *g) {
    return volume(g, th_size_mul(th_size_mul(g->groups, g->k), g->c), offsetof(thnn_axis, kernel));
}

/* One convolution on so many threads; images of y lie y_step elements apart. dnnl_unimplemented: oneDNN has nothing for
   it. */
static dnnl_status_t convolve(const thnn_conv *g, const thnn_conv_args *args, int64_t y_step, int64_t threads) {
    conv_key key;
    memset(&key, 0, sizeof key);
    key.conv = *g, key.has_bias = args->bias != NULL, key.threads = threads, key.y_image = y_step;
    int before = omp_get_max_threads(); /* of this thread; oneDNN plans and works with it */
    if (before != threads) omp_set_num_threads((int)threads);
    dnnl_status_t status = dnnl_success;
    conv_entry *e = cache_take(&key);
    if (!e) e = entry_make(&status, &key);
    if (e) status = e->primitive ? run(e, args) : dnnl_unimplemented;
    if (e) cache_give(e);
    if (before != threads) omp_set_num_threads(before);
    return status;
}

/* ---- the weight's gradient ---- */

/* oneDNN's sum over images depends on its number of threads. So every piece has one: some output channels, summed over
   some images. Sizes alone decide on the pieces; the sums are added in order. */
typedef struct weight_work {
    const thnn_conv *g;
    const thnn_conv_args *args;
    int64_t images, parts;    /* images in a part; parts */
    int64_t channels, blocks; /* output channels in a block; blocks */
    int64_t weights;
    float *partial; /* all parts but the first */
    int32_t status; /* atomic; of some piece that failed */
} weight_work;

static int64_t whole(int64_t n, int64_t piece) { return (n - 1) / piece + 1; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* A further part costs writing and adding the weight's gradient once more: with fewer positions than these over its
   images, more than a tenth of the work (oneDNN 2.6, 256 and 512 channels). A further block loads x once more. */
static void plan_pieces(weight_work *w) {
    enum { PIECES = 16, POSITIONS = 768, CHANNELS = 32 };
    const thnn_conv *g = w->g;
    int64_t positions = y_image(g) / (g->groups * g->k);
    w->weights = weights(g);
    w->images = larger(thnn_conv_part(g->images, w->weights), whole(POSITIONS, positions));
    w->images = smaller(w->images, g->images);
    w->parts = whole(g->images, w->images);
    int64_t blocks = g->groups == 1 ? smaller(whole(PIECES, w->parts), whole(g->k, CHANNELS)) : 1;
    w->channels = smaller(whole(whole(g->k, blocks), 16) * 16, g->k);
    w->blocks = whole(g->k, w->channels);
}

static void weight_pieces(void *arg, int64_t lo, int64_t hi) {
    weight_work *w = arg;
    for (int64_t i = lo; i < hi; i++) {
        thnn_conv g = *w->g;
        int64_t first = i / w->blocks * w->images, channel = i % w->blocks * w->channels;
        g.images = smaller(g.images - first, w->images);
        g.k = smaller(g.k - channel, w->channels);
        float *sum = i < w->blocks ? w->args->weight : w->partial + (i / w->blocks - 1) * w->weights;
        float *y = (float *)w->args->y + first * y_image(w->g) + channel * (y_image(&g) / (g.groups * g.k));
        thnn_conv_args args = {(float *)w->args->x + first * x_image(&g), sum + channel * (weights(&g) / g.k), y, NULL};
        dnnl_status_t status = convolve(&g, &args, y_image(w->g), 1);
        if (status != dnnl_success) __atomic_store_n(&w->status, (int32_t)status, __ATOMIC_RELAXED);
    }
}

static void add_parts(void *arg, int64_t lo, int64_t hi) {
    const weight_work *w = arg;
    float *sum = w->args->weight;
    for (int64_t p = 0; p < w->parts - 1; p++)
        for (int64_t i = lo; i < hi; i++) sum[i] += w->partial[p * w->weights + i];
}

static dnnl_status_t backward_weight(const thnn_conv *g, const thnn_conv_args *args) {
    enum { GRAIN = 1 << 14 };
    weight_work w = {.g = g, .args = args, .status = dnnl_success};
    plan_pieces(&w);
    int64_t bytes = th_size_mul(w.parts - 1, th_size_mul(w.weights, sizeof(float)));
    w.partial = bytes > 0 ? TH_alloc(bytes) : NULL;
    if (bytes > 0 && !w.partial) return dnnl_out_of_memory;
    TH_parallel(w.parts * w.blocks, 1, weight_pieces, &w);
    if (w.status == dnnl_success && w.parts > 1) TH_parallel(w.weights, GRAIN, add_parts, &w);
    TH_free(w.partial, bytes);
    return (dnnl_status_t)w.status;
}

/* Blocked layouts fill few input channels up to a whole vector; towards the input that costs more than they gain
   (measured with oneDNN 2.6, one channel, 28 x 28: 17 ms against 2 ms by im2col; the weight's gradient of one channel
   5.4 against 2 ms). And oneDNN counts along an
   axis in 32 bits. */
static int is_worth_it(const thnn_conv *g) {
    enum { FEW = 8 };
    for (int d = 0; d < THNN_AXES_MAX; d++) {
        const thnn_axis *a = &g->axes[d];
        if (a->in + 2 * a->padding + a->dilation * a->kernel > INT32_MAX) return 0;
    }
    return g->kind == THNN_CONV_FORWARD || g->groups > 1 || g->c >= (g->kind == THNN_CONV_BACKWARD_INPUT ? FEW : 2);
}

THStatus thnn_conv_onednn(const char *fn, const thnn_conv *g, const thnn_conv_args *args) {
    if (!is_worth_it(g)) return TH_E_UNSUPPORTED;
    pthread_once(&once, start);
    if (!engine || !attributes) return TH_E_UNSUPPORTED;
    dnnl_status_t status =
        g->kind == THNN_CONV_BACKWARD_WEIGHT ? backward_weight(g, args) : convolve(g, args, y_image(g), TH_team());
    if (status == dnnl_success) return TH_OK;
    if (status == dnnl_unimplemented) return TH_E_UNSUPPORTED;
    if (status == dnnl_out_of_memory) return TH_raisef(TH_E_MEMORY, "%s: oneDNN ran out of memory", fn);
    return TH_raisef(TH_E_INTERNAL, "%s: oneDNN failed with status %d", fn, (int)status);
}
