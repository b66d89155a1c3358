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

static const thnn_pool_kernels *kernels_for(THDtype dtype) {
    return &tables[TH_isa_index()]->of[TH_compute_dtype(dtype)];
}

/* ---- geometry ---- */

static int in_bounds(int64_t x, int64_t low) { return x >= low && x <= THNN_WINDOW_MAX; }

static THStatus check_geometry(const char *fn, const THNNPool2d *g, int is_max) {
    if (!g) return TH_raisef(TH_E_ARG, "%s: geometry is NULL", fn);
    for (int d = 0; d < 2; d++) {
        if (!in_bounds(g->kernel[d], 1) || !in_bounds(g->stride[d], 1) || !in_bounds(g->dilation[d], 1) ||
            g->padding[d] < 0 || g->padding[d] > g->kernel[d] / 2)
            return TH_raisef(TH_E_ARG,
                             "%s: got kernel %" PRId64 ", stride %" PRId64 ", padding %" PRId64 ", dilation %" PRId64
                             ", want at least 1, padding 0 to half the kernel, all below 2^31",
                             fn, g->kernel[d], g->stride[d], g->padding[d], g->dilation[d]);
        if (!is_max && g->dilation[d] != 1)
            return TH_raisef(TH_E_ARG, "%s: got dilation %" PRId64 ", want 1", fn, g->dilation[d]);
    }
    return TH_OK;
}

/* A wide dilation can step over a small input: windows that start in the padding have to land inside. */
static int every_window_lands(const thnn_axis *a) {
    for (int64_t i = 0; i < a->out && thnn_axis_at(a, i, 0) < 0; i++) {
        int64_t before = -thnn_axis_at(a, i, 0) % a->dilation;
        if ((before ? a->dilation - before : 0) >= a->in) return 0;
    }
    return 1;
}

/* The windows over a tensor of the given sizes, the last two of which are pooled; writes the result's. */
static THStatus make_plane(thnn_pool_plane *plane, int64_t *out_sizes, const char *fn, const int64_t *sizes,
                           int32_t ndim, const THNNPool2d *g) {
    thnn_axis *axes[] = {&plane->rows, &plane->cols};
    char text[THNN_SIZES_TEXT];
    if (ndim != 3 && ndim != 4)
        return TH_raisef(TH_E_SHAPE, "%s: got x of sizes %s, want [N, C, H, W] or [C, H, W]", fn,
                         thnn_sizes_text(text, sizes, ndim));
    memcpy(out_sizes, sizes, (size_t)ndim * sizeof *sizes);
    plane->include_padding = g->count_include_pad;
    for (int d = 0; d < 2; d++) {
        thnn_axis *a = axes[d];
        *a = (thnn_axis){sizes[ndim - 2 + d], 0, g->kernel[d], g->stride[d], g->padding[d], g->dilation[d]};
        a->out = a->in > 0 ? thnn_axis_windows(a, g->ceil_mode) : 0;
        if (a->out < 1 || !every_window_lands(a))
            return TH_raisef(
                TH_E_SHAPE,
                "%s: got x of sizes %s, want a plane that holds an element for each window (kernel %" PRId64
                " x %" PRId64 ", padding %" PRId64 " x %" PRId64 ", dilation %" PRId64 " x %" PRId64 ")",
                fn, thnn_sizes_text(text, sizes, ndim), g->kernel[0], g->kernel[1], g->padding[0], g->padding[1],
                g->dilation[0], g->dilation[1]);
        out_sizes[ndim - 2 + d] = a->out;
    }
    return TH_OK;
}

/* ---- work on all planes ---- */

typedef struct pool_work {
    thnn_pool_plane plane;
    int64_t x_plane, y_plane; /* elements of a plane and of its windows */
    int64_t size;             /* bytes of an element */
    char *x, *y;
    int64_t *index;
    const thnn_pool_kernels *kernels;
    int32_t outside; /* atomic */
} pool_work;

enum { GRAIN = 1 << 15 }; /* taps worth handing to a thread */

static void run(pool_work *w, int64_t planes, double taps, void (*body)(void *, int64_t, int64_t)) {
    TH_parallel(planes, (int64_t)(GRAIN / ((double)w->y_plane * taps)), body, w);
}

static void max_planes(void *arg, int64_t lo, int64_t hi) {
    pool_work *w = arg;
    for (int64_t i = lo; i < hi; i++)
        w->kernels->max(&w->plane, w->x + i * w->x_plane * w->size, w->y + i * w->y_plane * w->size,
                        w->index ? w->index + i * w->y_plane : NULL);
}

static void max_backward_planes(void *arg, int64_t lo, int64_t hi) {
    pool_work *w = arg;
    memset(w->x + lo * w->x_plane * w->size, 0, (size_t)((hi - lo) * w->x_plane * w->size));
    for (int64_t i = lo; i < hi; i++)
        w->kernels->max_backward(w->y + i * w->y_plane * w->size, w->index + i * w->y_plane,
                                 w->x + i * w->x_plane * w->size, w->y_plane);
}

static void avg_planes(void *arg, int64_t lo, int64_t hi) {
    pool_work *w = arg;
    for (int64_t i = lo; i < hi; i++)
        w->kernels->avg(&w->plane, w->x + i * w->x_plane * w->size, w->y + i * w->y_plane * w->size);
}

static void avg_backward_planes(void *arg, int64_t lo, int64_t hi) {
    pool_work *w = arg;
    memset(w->x + lo * w->x_plane * w->size, 0, (size_t)((hi - lo) * w->x_plane * w->size));
    for (int64_t i = lo; i < hi; i++)
        w->kernels->avg_backward(&w->plane, w->y + i * w->y_plane * w->size, w->x + i * w->x_plane * w->size);
}

static void check_indices(void *arg, int64_t lo, int64_t hi) {
    pool_work *w = arg;
    if (tables[TH_isa_index()]->outside(w->index + lo, hi - lo, w->x_plane))
        __atomic_store_n(&w->outside, 1, __ATOMIC_RELAXED);
}

static pool_work work_for(const thnn_pool_plane *plane, const THTensor *x, const THTensor *y) {
    return (pool_work){.plane = *plane,
                       .x_plane = th_size_mul(plane->rows.in, plane->cols.in),
                       .y_plane = th_size_mul(plane->rows.out, plane->cols.out),
                       .size = TH_dtype_size(THTensor_dtype(x)),
                       .x = THTensor_data(x),
                       .y = THTensor_data(y),
                       .kernels = kernels_for(THTensor_dtype(x))};
}

static int64_t plane_count(const THTensor *x) {
    const int64_t *sizes = THTensor_sizes(x);
    return THTensor_ndim(x) == 4 ? sizes[0] * sizes[1] : sizes[0];
}

static double taps(const THNNPool2d *g) { return (double)g->kernel[0] * (double)g->kernel[1]; }

/* ---- forward ---- */

THStatus THNN_max_pool2d(THTensor **out, THTensor **indices, const THTensor *x, const THNNPool2d *geometry) {
    static const char fn[] = "THNN_max_pool2d";
    thnn_pool_plane plane;
    thnn_output y = {NULL, NULL}, index = {NULL, NULL};
    THTensor *dense = NULL;
    int64_t sizes[4];
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = check_geometry(fn, geometry, 1);
    if (status == TH_OK) status = make_plane(&plane, sizes, fn, THTensor_sizes(x), THTensor_ndim(x), geometry);
    if (status != TH_OK) return status;
    int32_t ndim = THTensor_ndim(x);
    THDtype dtype = THTensor_dtype(x);
    status = thnn_output_begin_apart(&y, fn, out, dtype, sizes, ndim, &x, 1);
    if (status == TH_OK && indices)
        status =
            thnn_output_begin_apart(&index, fn, indices, TH_INT64, sizes, ndim, (const THTensor *[]){x, y.result}, 2);
    if (status == TH_OK) status = thnn_dense(&dense, x, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        pool_work w = work_for(&plane, dense, y.dense);
        w.index = thnn_data(index.dense);
        run(&w, plane_count(x), taps(geometry), max_planes);
    }
    THTensor_free(dense);
    status = thnn_output_end(&index, indices, status);
    return thnn_output_end(&y, out, status);
}

THStatus THNN_avg_pool2d(THTensor **out, const THTensor *x, const THNNPool2d *geometry) {
    static const char fn[] = "THNN_avg_pool2d";
    thnn_pool_plane plane;
    thnn_output y = {NULL, NULL};
    THTensor *dense = NULL;
    int64_t sizes[4];
    THStatus status = thnn_check_floating(fn, "x", x);
    if (status == TH_OK) status = check_geometry(fn, geometry, 0);
    if (status == TH_OK) status = make_plane(&plane, sizes, fn, THTensor_sizes(x), THTensor_ndim(x), geometry);
    if (status != TH_OK) return status;
    THDtype dtype = THTensor_dtype(x);
    status = thnn_output_begin_apart(&y, fn, out, dtype, sizes, THTensor_ndim(x), &x, 1);
    if (status == TH_OK) status = thnn_dense(&dense, x, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        pool_work w = work_for(&plane, dense, y.dense);
        run(&w, plane_count(x), taps(geometry), avg_planes);
    }
    THTensor_free(dense);
    return thnn_output_end(&y, out, status);
}

/* ---- backward ---- */

/* x_sizes has as many dimensions as grad and agrees with it but for the last two. */
static THStatus check_backward(const char *fn, const THTensor *grad, const int64_t *x_sizes) {
    THStatus status = thnn_check_floating(fn, "grad", grad);
    if (status != TH_OK) return status;
    if (!x_sizes) return TH_raisef(TH_E_ARG, "%s: x_sizes is NULL", fn);
    char got[THNN_SIZES_TEXT], given[THNN_SIZES_TEXT];
    int32_t ndim = THTensor_ndim(grad);
    if (ndim != 3 && ndim != 4)
        return TH_raisef(TH_E_SHAPE, "%s: got grad of sizes %s, want [N, C, P, Q] or [C, P, Q]", fn,
                         thnn_sizes_text(got, THTensor_sizes(grad), ndim));
    int fits = 1;
    for (int32_t d = ndim - 2; d < ndim; d++) fits = fits && x_sizes[d] > 0 && x_sizes[d] <= THNN_SIZE_MAX;
    for (int32_t d = 0; d < ndim - 2; d++) fits = fits && x_sizes[d] == THTensor_sizes(grad)[d];
    if (fits) return TH_OK;
    return TH_raisef(TH_E_SHAPE, "%s: got grad of sizes %s for x of sizes %s, want them equal but for the last two", fn,
                     thnn_sizes_text(got, THTensor_sizes(grad), ndim), thnn_sizes_text(given, x_sizes, ndim));
}

THStatus THNN_max_pool2d_backward(THTensor **out, const THTensor *grad, const THTensor *indices,
                                  const int64_t *x_sizes) {
    static const char fn[] = "THNN_max_pool2d_backward";
    thnn_output x = {NULL, NULL};
    THTensor *dense = NULL, *index = NULL;
    THStatus status = check_backward(fn, grad, x_sizes);
    if (status == TH_OK) status = thnn_check_same_dtype(fn, "indices", indices, "max_pool2d makes them", TH_INT64);
    if (status == TH_OK) status = thnn_check_sizes(fn, "indices", indices, THTensor_sizes(grad), THTensor_ndim(grad));
    if (status != TH_OK) return status;
    int32_t ndim = THTensor_ndim(grad);
    THDtype dtype = THTensor_dtype(grad);
    const int64_t *windows = THTensor_sizes(grad) + ndim - 2, *plane_sizes = x_sizes + ndim - 2;
    thnn_pool_plane plane = {.rows = {.in = plane_sizes[0], .out = windows[0]},
                             .cols = {.in = plane_sizes[1], .out = windows[1]}};
    status = thnn_output_begin_apart(&x, fn, out, dtype, x_sizes, ndim, (const THTensor *[]){grad, indices}, 2);
    if (status == TH_OK) status = thnn_dense(&dense, grad, thnn_compute_dtype(dtype));
    if (status == TH_OK) status = thnn_dense(&index, indices, TH_INT64);
    if (status == TH_OK) {
        pool_work w = work_for(&plane, x.dense, dense);
        w.index = THTensor_data(index);
        TH_parallel(THTensor_numel(index), GRAIN, check_indices, &w);
        if (w.outside)
            status = TH_raisef(TH_E_INDEX, "%s: got an index outside the plane, want 0 to %" PRId64, fn, w.x_plane - 1);
        else
            run(&w, plane_count(grad), 1, max_backward_planes);
    }
    THTensor_free(dense);
    THTensor_free(index);
    return thnn_output_end(&x, out, status);
}

THStatus THNN_avg_pool2d_backward(THTensor **out, const THTensor *grad, const int64_t *x_sizes,
                                  const THNNPool2d *geometry) {
    static const char fn[] = "THNN_avg_pool2d_backward";
    thnn_pool_plane plane;
    thnn_output x = {NULL, NULL};
    THTensor *dense = NULL;
    int64_t sizes[4];
    THStatus status = check_backward(fn, grad, x_sizes);
    if (status == TH_OK) status = check_geometry(fn, geometry, 0);
    if (status == TH_OK) status = make_plane(&plane, sizes, fn, x_sizes, THTensor_ndim(grad), geometry);
    if (status == TH_OK) status = thnn_check_sizes(fn, "grad", grad, sizes, THTensor_ndim(grad));
    if (status != TH_OK) return status;
    THDtype dtype = THTensor_dtype(grad);
    status = thnn_output_begin_apart(&x, fn, out, dtype, x_sizes, THTensor_ndim(grad), &grad, 1);
    if (status == TH_OK) status = thnn_dense(&dense, grad, thnn_compute_dtype(dtype));
    if (status == TH_OK) {
        pool_work w = work_for(&plane, x.dense, dense);
        run(&w, plane_count(grad), taps(geometry), avg_backward_planes);
    }
    THTensor_free(dense);
    return thnn_output_end(&x, out, status);
}
