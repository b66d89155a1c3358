/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolutions on oneDNN. What a geometry needs is built once and kept in a cache; a call takes it out of the cache
   while it runs, so that calls from several threads share nothing. */
#include "extern/onednn.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "TH/memory.h"
#include "TH/runtime.h"
#include "TH/sys.h"
#include "expr/openmp.h"

enum { X, WEIGHT, Y, ARRAYS };
enum { CACHE_MAX = 128 };

typedef struct conv_key {
    thnn_conv conv;
    int64_t has_bias, threads;
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
    dnnl_primitive_t primitive; /* NULL: oneDNN has nothing better than its reference code */
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

/* Descriptors of the caller's arrays, and of arrays in whichever layout oneDNN likes. */
typedef struct conv_mds {
    thnn_md_owned plain[ARRAYS], any[ARRAYS], bias;
} conv_mds;

static dnnl_status_t make_mds(conv_mds *m, const conv_key *key) {
    const thnn_conv *g = &key->conv;
    dnnl_dims_t dims[ARRAYS] = {{g->images, g->groups * g->c, g->rows.in, g->cols.in},
                                {g->groups * g->k, g->c, g->rows.kernel, g->cols.kernel},
                                {g->images, g->groups * g->k, g->rows.out, g->cols.out}};
    dnnl_dims_t grouped = {g->groups, g->k, g->c, g->rows.kernel, g->cols.kernel}, bias = {g->groups * g->k};
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++) {
        int is_grouped = i == WEIGHT && g->groups > 1;
        const dnnl_dim_t *d = is_grouped ? grouped : dims[i];
        status = thnn_md_make(&m->plain[i], is_grouped ? 5 : 4, d, is_grouped ? dnnl_abcde : dnnl_abcd);
        if (status == dnnl_success) status = thnn_md_make(&m->any[i], is_grouped ? 5 : 4, d, dnnl_format_tag_any);
    }
    if (status == dnnl_success && key->has_bias) status = thnn_md_make(&m->bias, 1, bias, dnnl_a);
    return status;
}

static dnnl_status_t make_pd(dnnl_primitive_desc_t *pd, const conv_mds *m, const conv_key *key) {
    const thnn_conv *g = &key->conv;
    const thnn_axis *a = &g->rows, *b = &g->cols;
    thnn_conv_recipe r = {.kind = g->kind,
                          .x = thnn_md_get(&m->any[X]),
                          .weight = thnn_md_get(&m->any[WEIGHT]),
                          .y = thnn_md_get(&m->any[Y]),
                          .bias = key->has_bias ? thnn_md_get(&m->bias) : NULL,
                          .strides = {a->stride, b->stride},
                          .dilates = {a->dilation - 1, b->dilation - 1},
                          .padding = {a->padding, b->padding}};
    if (g->kind == THNN_CONV_FORWARD) return thnn_conv_forward_create(pd, engine, &r, attributes);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = thnn_conv_forward_create(&hint, engine, &r, attributes);
    if (status == dnnl_success) status = thnn_conv_backward_create(pd, engine, &r, hint, attributes);
    if (hint) dnnl_primitive_desc_destroy(hint);
    return status;
}

static dnnl_status_t make_memory(dnnl_memory_t *memory, thnn_md md) {
    return dnnl_memory_create(memory, md, engine, DNNL_MEMORY_NONE);
}

/* The reorder between the caller's layout and the convolution's, if they differ. */
static dnnl_status_t make_array(conv_array *a, thnn_md outer, thnn_md inner, int is_result) {
    dnnl_status_t status = make_memory(&a->outer, outer);
    if (status != dnnl_success) return status;
    if (dnnl_memory_desc_equal(outer, inner)) {
        a->inner = a->outer;
        return status;
    }
    dnnl_primitive_desc_t pd = NULL;
    status = make_memory(&a->inner, inner);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(&pd, is_result ? inner : outer, engine, is_result ? outer : inner,
                                                    engine, NULL);
    if (status == dnnl_success) status = dnnl_primitive_create(&a->reorder, pd);
    if (pd) dnnl_primitive_desc_destroy(pd);
    a->bytes = (int64_t)dnnl_memory_desc_get_size(inner);
    return status;
}

static int is_reference(const_dnnl_primitive_desc_t pd) {
    const char *name = NULL;
    return dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) == dnnl_success &&
           strncmp(name, "ref", 3) == 0;
}

static dnnl_status_t fill_entry(conv_entry *e, const conv_mds *m, const_dnnl_primitive_desc_t pd) {
    int64_t kind = e->key.conv.kind;
    dnnl_status_t status = dnnl_primitive_create(&e->primitive, pd);
    for (int i = 0; i < ARRAYS && status == dnnl_success; i++)
        status = make_array(&e->arrays[i], thnn_md_get(&m->plain[i]),
                            dnnl_primitive_desc_query_md(pd, query_of(kind, i), 0), i == result_of(kind));
    thnn_md scratchpad = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    e->scratchpad_bytes = (int64_t)dnnl_memory_desc_get_size(scratchpad);
    if (status == dnnl_success && e->scratchpad_bytes > 0) status = make_memory(&e->scratchpad, scratchpad);
    if (status == dnnl_success && e->key.has_bias) status = make_memory(&e->bias, thnn_md_get(&m->bias));
    if (status == dnnl_success) status = dnnl_stream_create(&e->stream, engine, dnnl_stream_default_flags);
    return status;
}

static conv_entry *entry_make(dnnl_status_t *status, const conv_key *key) {
    conv_entry *e = calloc(1, sizeof *e);
    conv_mds m;
    dnnl_primitive_desc_t pd = NULL;
    *status = e ? dnnl_success : dnnl_out_of_memory;
    if (!e) return NULL;
    memset(&m, 0, sizeof m);
    e->key = *key;
    *status = make_mds(&m, key);
    if (*status == dnnl_success) *status = make_pd(&pd, &m, key);
    if (*status == dnnl_success && !is_reference(pd)) *status = fill_entry(e, &m, pd);
    if (*status == dnnl_unimplemented) *status = dnnl_success; /* kept as an entry without a primitive */
    if (pd) dnnl_primitive_desc_destroy(pd);
    for (int i = 0; i < ARRAYS; i++) {
        thnn_md_free(&m.plain[i]);
        thnn_md_free(&m.any[i]);
    }
    thnn_md_free(&m.bias);
    if (*status == dnnl_success) return e;
    entry_free(e);
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

static dnnl_status_t execute(conv_entry *e, const thnn_conv_args *args, char *room) {
    int64_t kind = e->key.conv.kind;
    int result = result_of(kind), n = 0;
    dnnl_exec_arg_t list[ARRAYS + 2];
    dnnl_status_t status = bind(e, args, room);
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
    return status == dnnl_success ? waited : status;
}

static THStatus run(const char *fn, conv_entry *e, const thnn_conv_args *args) {
    int64_t bytes = e->scratchpad_bytes;
    for (int i = 0; i < ARRAYS; i++) bytes += (e->arrays[i].bytes + 63) / 64 * 64;
    char *room = bytes > 0 ? TH_alloc(bytes) : NULL;
    if (bytes > 0 && !room) return TH_E_MEMORY;
    dnnl_status_t status = execute(e, args, room);
    TH_free(room, bytes);
    if (status == dnnl_success) return TH_OK;
    if (status == dnnl_out_of_memory) return TH_raisef(TH_E_MEMORY, "%s: oneDNN ran out of memory", fn);
    return TH_raisef(TH_E_INTERNAL, "%s: oneDNN failed with status %d", fn, (int)status);
}

/* Blocked layouts fill few input channels up to a whole vector; towards the input that costs more than they gain
   (measured with oneDNN 2.6 on AVX-512: one channel, 28 x 28: 17 ms against 2 ms by im2col). */
static int is_worth_it(const thnn_conv *g) {
    enum { FEW = 8 };
    return g->kind != THNN_CONV_BACKWARD_INPUT || g->groups > 1 || g->c >= FEW;
}

THStatus thnn_conv_onednn(const char *fn, const thnn_conv *g, const thnn_conv_args *args) {
    if (!is_worth_it(g)) return TH_E_UNSUPPORTED;
    pthread_once(&once, start);
    if (!engine || !attributes) return TH_E_UNSUPPORTED;
    conv_key key = {.conv = *g, .has_bias = args->bias != NULL, .threads = TH_team()};
    int threads = omp_get_max_threads();
    if (threads != key.threads) omp_set_num_threads((int)key.threads);
    dnnl_status_t made = dnnl_success;
    conv_entry *e = cache_take(&key);
    if (!e) e = entry_make(&made, &key);
    THStatus status =
        made == dnnl_out_of_memory ? TH_raisef(TH_E_MEMORY, "%s: oneDNN ran out of memory", fn) : TH_E_UNSUPPORTED;
    if (e && e->primitive) status = run(fn, e, args);
    if (e) cache_give(e);
    if (threads != key.threads) omp_set_num_threads(threads);
    return status;
}
