/* SPDX-License-Identifier: BSD-3-Clause */
#include "THNN/pool.h"

#include <inttypes.h>
#include <string.h>

#include "core/check.h"
#include "core/operand.h"
#include "expr/sizes.h"
#include "kernels/pool.h"

#define TH_TABLE thnn_pool
#include "expr/tables.inc"

/* ---- geometry ---- */

static int in_bounds(int64_t x, int64_t low, int64_t high) { return x >= low && x <= high; }

static THStatus check_geometry(const char *fn, int32_t spatial, const THNNPool *g, int is_max) {
    if (!g) return TH_raisef(TH_E_ARG, "%s: geometry is NULL", fn);
    for (int d = 0; d < THNN_AXES_MAX; d++) {
        const int64_t most = d < THNN_AXES_MAX - spatial ? 1 : THNN_WINDOW_MAX;
        if (!in_bounds(g->kernel[d], 1, most) || !in_bounds(g->stride[d], 1, most) ||
            !in_bounds(g->dilation[d], 1, most) || !in_bounds(g->padding[d], 0, g->kernel[d] / 2))
            return TH_raisef(
                TH_E_ARG,
                "%s: got kernel %" PRId64 ", stride %" PRId64 ", padding %" PRId64 ", dilation %" PRId64
                ", want at least 1, padding 0 to half the kernel, all below 2^31, and leading ones for fewer "
                "than three dimensions",
                fn, g->kernel[d], g->stride[d], g->padding[d], g->dilation[d]);
        if (!is_max && g->dilation[d] != 1)
            return TH_raisef(TH_E_ARG, "%s: got dilation %" PRId64 ", want 1", fn, g->dilation[d]);
    }
    return TH_OK;
}

/* A wide dilation can step over a small input: windows that start in the padding have to land inside. */
static int every_window_lands(const thnn_axis *a) {
    if (a->dilation <= a->in) return 1;
    for (int64_t i = 0; i < a->out && thnn_axis_at(a, i, 0) < 0; i++) {
        int64_t before = -thnn_axis_at(a, i, 0) % a->dilation;
        if ((before ? a->dilation - before : 0) >= a->in) return 0;
    }
    return 1;
}

/* One call, over the last `spatial` dimensions. */
typedef struct pool_call {
    const char *fn;
    int32_t spatial, ndim;
    thnn_pool_volume volume;
    int64_t y_sizes[2 + THNN_AXES_MAX];
    int64_t count, x_volume, y_volume; /* volumes, and elements of one and of its windows */
    int64_t size;                      /* bytes of an element */
    double cost;                       /* of a window: its taps */
    char *x, *y;
    int64_t *index;
    thnn_pool_max max;
    const thnn_pool_kernels *kernels;
    int32_t outside; /* atomic */
} pool_call;

/* Sees sizes as some volumes; the windows' own sizes are to follow. */
static THStatus begin(pool_call *c, const char *fn, int32_t spatial, const char *arg, const int64_t *sizes,
                      int32_t ndim) {
    static const char *const layouts[] = {"L", "H, W", "D, H, W"};
    char text[THNN_SIZES_TEXT];
    *c = (pool_call){.fn = fn, .spatial = spatial, .ndim = ndim, .cost = 1, .count = 1, .x_volume = 1, .y_volume = 1};
    if (ndim != spatial + 1 && ndim != spatial + 2)
        return TH_raisef(TH_E_SHAPE, "%s: got %s of sizes %s, want [N, C, %s] or [C, %s]", fn, arg,
                         thnn_sizes_text(text, sizes, ndim), layouts[spatial - 1], layouts[spatial - 1]);
    for (int32_t d = 0; d < ndim - spatial; d++) c->count = th_size_mul(c->count, c->y_sizes[d] = sizes[d]);
    for (int d = 0; d < THNN_AXES_MAX; d++) c->volume.axes[d] = (thnn_axis){1, 1, 1, 1, 0, 1};
    return TH_OK;
}

/* The axis that dimension d of THNN_AXES_MAX is, and the size of it; 1 for a leading one. */
static int64_t size_of(const pool_call *c, int d, const int64_t *sizes) {
    return d < THNN_AXES_MAX - c->spatial ? 1 : sizes[c->ndim - THNN_AXES_MAX + d];
}

static void measure(pool_call *c, int d, int64_t in, int64_t out) {
    c->volume.axes[d].in = in;
    c->volume.axes[d].out = out;
    c->x_volume = th_size_mul(c->x_volume, in);
    c->y_volume = th_size_mul(c->y_volume, out);
    if (d >= THNN_AXES_MAX - c->spatial) c->y_sizes[c->ndim - THNN_AXES_MAX + d] = out;
}

/* The windows over a tensor x of the given sizes. */
static THStatus make_windows(pool_call *c, const int64_t *sizes, const THNNPool *g) {
    char text[THNN_SIZES_TEXT], kernel[THNN_SIZES_TEXT], padding[THNN_SIZES_TEXT], dilation[THNN_SIZES_TEXT];
    const int first = THNN_AXES_MAX - c->spatial;
    c->volume.include_padding = g->count_include_pad;
    c->volume.divisor = g->divisor;
    for (int d = 0; d < THNN_AXES_MAX; d++) {
        thnn_axis *a = &c->volume.axes[d];
        *a = (thnn_axis){size_of(c, d, sizes), 0, g->kernel[d], g->stride[d], g->padding[d], g->dilation[d]};
        const int64_t out = a->in > 0 && a->in <= THNN_SIZE_MAX ? thnn_axis_windows(a, g->ceil_mode) : 0;
        measure(c, d, a->in, out);
        c->cost *= (double)(a->kernel < a->in ? a->kernel : a->in);
        if (out < 1 || !every_window_lands(a))
            return TH_raisef(TH_E_SHAPE,
                             "%s: got x of sizes %s, want a plane that holds an element for each window (kernel %s, "
                             "padding %s, dilation %s)",
                             c->fn, thnn_sizes_text(text, sizes, c->ndim),
                             thnn_sizes_text(kernel, g->kernel + first, c->spatial),
                             thnn_sizes_text(padding, g->padding + first, c->spatial),
                             thnn_sizes_text(dilation, g->dilation + first, c->spatial));
    }
    return TH_OK;
}

/* ---- work on all volumes ---- */

enum { GRAIN = 1 << 15 }; /* taps worth handing to a thread */

static char *x_at(const pool_call *c, int64_t i) { return c->x + i * c->x_volume * c->size; }
static char *y_at(const pool_call *c, int64_t i) { return c->y + i * c->y_volume * c->size; }

static void run(pool_call *c, double taps, void (*body)(void *, int64_t, int64_t)) {
    TH_parallel(c->count, (int64_t)(GRAIN / ((double)c->y_volume * taps)), body, c);
}

static void max_volumes(void *arg, int64_t lo, int64_t hi) {
    pool_call *c = arg;
    for (int64_t i = lo; i < hi; i++)
        c->max(&c->volume, x_at(c, i), y_at(c, i), c->index ? c->index + i * c->y_volume : NULL);
}

static void max_backward_volumes(void *arg, int64_t lo, int64_t hi) {
    pool_call *c = arg;
    memset(x_at(c, lo), 0, (size_t)((hi - lo) * c->x_volume * c->size));
    for (int64_t i = lo; i < hi; i++)
        c->kernels->max_backward(y_at(c, i), c->index + i * c->y_volume, x_at(c, i), c->y_volume);
}

static void avg_volumes(void *arg, int64_t lo, int64_t hi) {
    pool_call *c = arg;
    for (int64_t i = lo; i < hi; i++) c->kernels->avg(&c->volume, x_at(c, i), y_at(c, i));
}

static void avg_backward_volumes(void *arg, int64_t lo, int64_t hi) {
    pool_call *c = arg;
    memset(x_at(c, lo), 0, (size_t)((hi - lo) * c->x_volume * c->size));
    for (int64_t i = lo; i < hi; i++) c->kernels->avg_backward(&c->volume, y_at(c, i), x_at(c, i));
}

static void check_indices(void *arg, int64_t lo, int64_t hi) {
    pool_call *c = arg;
    if (tables[TH_isa_index()]->outside(c->index + lo, hi - lo, c->x_volume))
        __atomic_store_n(&c->outside, 1, __ATOMIC_RELAXED);
}

static void bind(pool_call *c, const THTensor *x, const THTensor *y, const THTensor *index) {
    const THDtype dtype = THTensor_dtype(x);
    c->size = TH_dtype_size(dtype);
    c->x = THTensor_data(x);
    c->y = THTensor_data(y);
    c->index = thnn_data(index);
    c->max = tables[TH_isa_index()]->max[dtype];
    c->kernels = &tables[TH_isa_index()]->of[dtype];
}

/* ---- forward ---- */

/* Halves compute in float32, integers in int64. */
static THDtype max_dtype(THDtype dtype) { return TH_dtype_is_floating(dtype) ? thnn_compute_dtype(dtype) : TH_INT64; }

static THStatus check_max_input(const char *fn, const THTensor *x) {
    THStatus status = TH_check_input(fn, "x", x);
    if (status != TH_OK || THTensor_dtype(x) != TH_BOOL) return status;
    return TH_raisef(TH_E_TYPE, "%s: got x of dtype bool, want numbers", fn);
}

/* An output in the dtype that is computed in, which for integers is not what thnn_output_begin makes. */
static THStatus widen(thnn_output *o, THDtype computed) {
    if (THTensor_dtype(o->dense) == computed) return TH_OK;
    THTensor_free(o->dense);
    o->dense = NULL;
    return THTensor_new(&o->dense, computed, THTensor_sizes(o->result), THTensor_ndim(o->result));
}

static THStatus max_pool(const char *fn, int32_t spatial, THTensor **out, THTensor **indices, const THTensor *x,
                         const THNNPool *geometry) {
    pool_call c;
    thnn_output y = {NULL, NULL}, index = {NULL, NULL};
    THTensor *dense = NULL;
    THStatus status = check_max_input(fn, x);
    if (status == TH_OK) status = check_geometry(fn, spatial, geometry, 1);
    if (status == TH_OK) status = begin(&c, fn, spatial, "x", THTensor_sizes(x), THTensor_ndim(x));
    if (status == TH_OK) status = make_windows(&c, THTensor_sizes(x), geometry);
    if (status != TH_OK) return status;
    const THDtype dtype = THTensor_dtype(x), computed = max_dtype(dtype);
    status = thnn_output_begin_apart(&y, fn, out, dtype, c.y_sizes, c.ndim, &x, 1);
    if (status == TH_OK) status = widen(&y, computed);
    if (status == TH_OK && indices)
        status = thnn_output_begin_apart(&index, fn, indices, TH_INT64, c.y_sizes, c.ndim,
                                         (const THTensor *[]){x, y.result}, 2);
    if (status == TH_OK) status = thnn_dense(&dense, x, computed);
    if (status == TH_OK) {
        bind(&c, dense, y.dense, index.dense);
        run(&c, c.cost, max_volumes);
    }
    THTensor_free(dense);
    status = thnn_output_end(&index, indices, status);
    return thnn_output_end(&y, out, status);
}

static THStatus avg_pool(const char *fn, int32_t spatial, THTensor **out, const THTensor *x, const THNNPool *geometry) {
    pool_call c;
    thnn_output y = {NULL, NULL};
    THTensor *dense = NULL;
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = check_geometry(fn, spatial, geometry, 0);
    if (status == TH_OK) status = begin(&c, fn, spatial, "x", THTensor_sizes(x), THTensor_ndim(x));
    if (status == TH_OK) status = make_windows(&c, THTensor_sizes(x), geometry);
    if (status != TH_OK) return status;
    const THDtype dtype = THTensor_dtype(x);
    status = thnn_output_begin_apart(&y, fn, out, dtype, c.y_sizes, c.ndim, &x, 1);
    if (status == TH_OK) status = thnn_dense(&dense, x, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        bind(&c, dense, y.dense, NULL);
        run(&c, c.cost, avg_volumes);
    }
    THTensor_free(dense);
    return thnn_output_end(&y, out, status);
}

/* ---- backward ---- */

/* grad and x's sizes agree but for the last dimensions. */
static THStatus begin_backward(pool_call *c, const char *fn, int32_t spatial, const THTensor *grad,
                               const int64_t *x_sizes, int32_t x_ndim) {
    THStatus status = thnn_check_floating(fn, "grad", grad);
    if (status != TH_OK) return status;
    if (!x_sizes) return TH_raisef(TH_E_ARG, "%s: x_sizes is NULL", fn);
    const int32_t ndim = THTensor_ndim(grad);
    status = begin(c, fn, spatial, "grad", THTensor_sizes(grad), ndim);
    if (status != TH_OK) return status;
    int fits = x_ndim == ndim;
    for (int32_t d = 0; fits && d < ndim; d++)
        fits =
            d < ndim - spatial ? x_sizes[d] == THTensor_sizes(grad)[d] : x_sizes[d] > 0 && x_sizes[d] <= THNN_SIZE_MAX;
    if (fits) return TH_OK;
    char got[THNN_SIZES_TEXT], given[THNN_SIZES_TEXT];
    return TH_raisef(TH_E_SHAPE, "%s: got grad of sizes %s for x of sizes %s, want them equal but for the last %d", fn,
                     thnn_sizes_text(got, THTensor_sizes(grad), ndim),
                     thnn_sizes_text(given, x_sizes, x_ndim < 0 ? 0 : x_ndim), (int)spatial);
}

static THStatus max_pool_backward(const char *fn, int32_t spatial, THTensor **grad_x, const THTensor *grad,
                                  const THTensor *indices, const int64_t *x_sizes, int32_t x_ndim) {
    pool_call c;
    thnn_output x = {NULL, NULL};
    THTensor *dense = NULL, *index = NULL;
    THStatus status = begin_backward(&c, fn, spatial, grad, x_sizes, x_ndim);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "indices", indices, "max pooling makes them", TH_INT64);
    if (status == TH_OK) status = thnn_check_sizes(fn, "indices", indices, THTensor_sizes(grad), THTensor_ndim(grad));
    if (status != TH_OK) return status;
    for (int d = 0; d < THNN_AXES_MAX; d++)
        measure(&c, d, size_of(&c, d, x_sizes), size_of(&c, d, THTensor_sizes(grad)));
    const THDtype dtype = THTensor_dtype(grad);
    status = thnn_output_begin_apart(&x, fn, grad_x, dtype, x_sizes, x_ndim, (const THTensor *[]){grad, indices}, 2);
    if (status == TH_OK) status = thnn_dense(&dense, grad, thnn_compute_dtype(dtype));
    if (status == TH_OK) status = thnn_dense(&index, indices, TH_INT64);
    if (status == TH_OK) {
        bind(&c, x.dense, dense, index);
        TH_parallel(THTensor_numel(index), GRAIN, check_indices, &c);
        if (c.outside)
            status =
                TH_raisef(TH_E_INDEX, "%s: got an index outside the plane, want 0 to %" PRId64, fn, c.x_volume - 1);
        else
            run(&c, 1, max_backward_volumes);
    }
    THTensor_free(dense);
    THTensor_free(index);
    return thnn_output_end(&x, grad_x, status);
}

static THStatus avg_pool_backward(const char *fn, int32_t spatial, THTensor **grad_x, const THTensor *grad,
                                  const int64_t *x_sizes, int32_t x_ndim, const THNNPool *geometry) {
    pool_call c;
    thnn_output x = {NULL, NULL};
    THTensor *dense = NULL;
    THStatus status = begin_backward(&c, fn, spatial, grad, x_sizes, x_ndim);
    if (status == TH_OK) status = check_geometry(fn, spatial, geometry, 0);
    if (status == TH_OK) status = make_windows(&c, x_sizes, geometry);
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, c.y_sizes, c.ndim);
    if (status != TH_OK) return status;
    const THDtype dtype = THTensor_dtype(grad);
    status = thnn_output_begin_apart(&x, fn, grad_x, dtype, x_sizes, x_ndim, &grad, 1);
    if (status == TH_OK) status = thnn_dense(&dense, grad, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        bind(&c, x.dense, dense, NULL);
        run(&c, c.cost, avg_backward_volumes);
    }
    THTensor_free(dense);
    return thnn_output_end(&x, grad_x, status);
}

/* ---- by dimensions ---- */

#define MAX_POOL(n, name)                                                                                              \
    THStatus THNN_##name(THTensor **out, THTensor **indices, const THTensor *x, const THNNPool *geometry) {            \
        return max_pool("THNN_" #name, n, out, indices, x, geometry);                                                  \
    }
#define MAX_POOL_BACKWARD(n, name)                                                                                     \
    THStatus THNN_##name(THTensor **grad_x, const THTensor *grad, const THTensor *indices, const int64_t *x_sizes,     \
                         int32_t x_ndim) {                                                                             \
        return max_pool_backward("THNN_" #name, n, grad_x, grad, indices, x_sizes, x_ndim);                            \
    }
#define AVG_POOL(n, name)                                                                                              \
    THStatus THNN_##name(THTensor **out, const THTensor *x, const THNNPool *geometry) {                                \
        return avg_pool("THNN_" #name, n, out, x, geometry);                                                           \
    }
#define AVG_POOL_BACKWARD(n, name)                                                                                     \
    THStatus THNN_##name(THTensor **grad_x, const THTensor *grad, const int64_t *x_sizes, int32_t x_ndim,              \
                         const THNNPool *geometry) {                                                                   \
        return avg_pool_backward("THNN_" #name, n, grad_x, grad, x_sizes, x_ndim, geometry);                           \
    }
MAX_POOL(1, max_pool1d)
MAX_POOL(2, max_pool2d)
MAX_POOL(3, max_pool3d)
MAX_POOL_BACKWARD(1, max_pool1d_backward)
MAX_POOL_BACKWARD(2, max_pool2d_backward)
MAX_POOL_BACKWARD(3, max_pool3d_backward)
AVG_POOL(1, avg_pool1d)
AVG_POOL(2, avg_pool2d)
AVG_POOL(3, avg_pool3d)
AVG_POOL_BACKWARD(1, avg_pool1d_backward)
AVG_POOL_BACKWARD(2, avg_pool2d_backward)
AVG_POOL_BACKWARD(3, avg_pool3d_backward)
