/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/copy.h"
#include "TH/runtime.h"
#include "core/iter.h"
#include "core/number.h"
#include "kernels/copy.h"

#include <math.h>
#include <string.h>

/* The dtype asked for, or the default. */
static THStatus choose_dtype(THDtype *dtype, const char *fn, THDtype by_default) {
    if (*dtype == TH_DTYPE_DEFAULT) *dtype = by_default;
    if (TH_dtype_size(*dtype)) return TH_OK;
    return TH_raisef(TH_E_TYPE, "%s: got dtype %d, want one of TH/dtype.def", fn, (int)*dtype);
}

/* ---- one value ---- */

typedef struct element {
    th_slot bits;
    int64_t size;
} element;

/* Without inputs, the iterator asks for one element per block and repeats it. */
static void write_element(void *const *p, const int64_t *step, int64_t n, const void *param) {
    const element *e = param;
    (void)step, (void)n;
    memcpy(p[0], &e->bits, (size_t)e->size);
}

static void fill(THTensor *t, const THScalar *value) {
    element e = {.size = TH_dtype_size(t->dtype)};
    th_iter it;
    th_store(&e.bits, t->dtype, value);
    th_iter_begin(&it, 1, th_sizes(t), t->ndim);
    th_iter_add(&it, t, t->dtype);
    th_iter_run(&it, write_element, &e);
}

THStatus TH_fill(THTensor *t, const THScalar *value) {
    THTensor *result;
    THStatus status = TH_check_input("TH_fill", "t", t);
    if (status == TH_OK) status = th_check_number("TH_fill", "value", value, t->dtype);
    if (status == TH_OK)
        status = TH_output_begin(&result, "TH_fill", &t, t->dtype, th_sizes(t), t->ndim, 1, 1, NULL, 0);
    if (status != TH_OK) return status;
    fill(result, value);
    return TH_output_end(result, &t, TH_OK);
}

THStatus TH_full(THTensor **out, const int64_t *sizes, int32_t ndim, const THScalar *value, THDtype dtype) {
    const THDtype defaults[] = {
        [TH_SCALAR_BOOL] = TH_BOOL, [TH_SCALAR_INT] = TH_INT64, [TH_SCALAR_FLOAT] = TH_default_dtype()};
    THTensor *result;
    THStatus status = th_check_scalar("TH_full", "value", value);
    if (status == TH_OK) status = choose_dtype(&dtype, "TH_full", defaults[value->kind]);
    if (status == TH_OK) status = th_check_number("TH_full", "value", value, dtype);
    if (status == TH_OK && !out) status = TH_raisef(TH_E_ARG, "TH_full: out is NULL");
    if (status == TH_OK) status = th_tensor_new(&result, "TH_full", dtype, sizes, ndim);
    if (status != TH_OK) return status;
    fill(result, value);
    *out = result;
    return TH_OK;
}

THStatus TH_eye(THTensor **out, int64_t n, int64_t m, THDtype dtype) {
    const THScalar zero = {TH_SCALAR_INT, 0, {.i = 0}}, one = {TH_SCALAR_INT, 0, {.i = 1}};
    const int64_t sizes[2] = {n, m};
    THTensor *result;
    THStatus status = choose_dtype(&dtype, "TH_eye", TH_default_dtype());
    if (status == TH_OK && !out) status = TH_raisef(TH_E_ARG, "TH_eye: out is NULL");
    if (status == TH_OK) status = th_tensor_new(&result, "TH_eye", dtype, sizes, 2);
    if (status != TH_OK) return status;
    fill(result, &zero);
    const int64_t next = (m + 1) * TH_dtype_size(dtype);
    for (int64_t i = 0; i < n && i < m; i++) th_store((char *)result->data + i * next, dtype, &one);
    *out = result;
    return TH_OK;
}

/* ---- sequences ---- */

/* n values from start on; from `turn` on they are counted back from `last`, so that both ends are exact. Integer
   sequences are computed in integers: by steps, or between two ends as the ends weighted. */
typedef struct sequence {
    int64_t n, turn;
    enum { FLOATS, INTEGER_STEPS, INTEGER_ENDS } kind;
    int64_t istart, istep, ilast;
    double start, step, last;
    char *data;
    THDtype dtype;
} sequence;

enum { PIECE = 256, CHUNK = 32768 };

static void write_piece(const sequence *s, int64_t lo, int64_t n) {
    union {
        double d[PIECE];
        int64_t i[PIECE];
    } x;
    const int64_t gaps = s->n > 1 ? s->n - 1 : 1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = lo + i;
        if (s->kind == INTEGER_STEPS)
            x.i[i] = (int64_t)((uint64_t)s->istart + (uint64_t)at * (uint64_t)s->istep);
        else if (s->kind == INTEGER_ENDS)
            x.i[i] = (int64_t)(((__int128)s->istart * (gaps - at) + (__int128)s->ilast * at) / gaps);
        else if (at < s->turn)
            x.d[i] = s->start + (double)at * s->step;
        else
            x.d[i] = s->last - (double)(s->n - 1 - at) * s->step;
    }
    th_cast(s->data + lo * TH_dtype_size(s->dtype), s->dtype, &x, s->kind == FLOATS ? TH_FLOAT64 : TH_INT64, n);
}

static void write_pieces(void *arg, int64_t lo, int64_t hi) {
    for (; lo < hi; lo += PIECE) write_piece(arg, lo, hi - lo < PIECE ? hi - lo : PIECE);
}

/* All values lie between the first and the last. */
static THStatus check_ends(const char *fn, const sequence *s) {
    THScalar first = {TH_SCALAR_FLOAT, 0, {.d = s->start}}, last = first;
    if (s->n == 0) return TH_OK;
    if (s->kind == INTEGER_STEPS) {
        first.kind = last.kind = TH_SCALAR_INT;
        first.v.i = s->istart;
        last.v.i = (int64_t)((uint64_t)s->istart + (uint64_t)(s->n - 1) * (uint64_t)s->istep);
    } else {
        last.v.d = s->start + (double)(s->n - 1) * s->step;
    }
    const THStatus status = th_check_number(fn, "a first value", &first, s->dtype);
    return status == TH_OK ? th_check_number(fn, "a last value", &last, s->dtype) : status;
}

static THStatus make_sequence(THTensor **out, const char *fn, sequence *s) {
    THTensor *result;
    if (!out) return TH_raisef(TH_E_ARG, "%s: out is NULL", fn);
    THStatus status = th_tensor_new(&result, fn, s->dtype, &s->n, 1);
    if (status != TH_OK) return status;
    s->data = result->data;
    TH_parallel(s->n, CHUNK, write_pieces, s);
    *out = result;
    return TH_OK;
}

static int is_integer(const THScalar *x) { return x->kind != TH_SCALAR_FLOAT; }

static double as_double(const THScalar *x) { return x->kind == TH_SCALAR_FLOAT ? x->v.d : (double)x->v.i; }

/* How many of start, start + step, ... lie before the end; -1 for a step that leads away from it, or if they cannot be
 * counted. */
static int64_t count_integers(int64_t start, int64_t end, int64_t step) {
    if (step == 0 || (step > 0 ? start > end : start < end)) return -1;
    const uint64_t span = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    const uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    const uint64_t n = span / width + (span % width != 0);
    return n > INT64_MAX ? -1 : (int64_t)n;
}

static int64_t count_floats(double start, double end, double step) {
    const double n = ceil((end - start) / step);
    if (!isfinite(start) || !isfinite(end) || !isfinite(n) || n >= 0x1p62) return -1;
    if (step > 0 ? start > end : start < end) return -1;
    return (int64_t)n;
}

THStatus TH_arange(THTensor **out, const THScalar *start, const THScalar *end, const THScalar *step, THDtype dtype) {
    static const char *const fn = "TH_arange";
    THStatus status = th_check_scalar(fn, "start", start);
    if (status == TH_OK) status = th_check_scalar(fn, "end", end);
    if (status == TH_OK) status = th_check_scalar(fn, "step", step);
    if (status != TH_OK) return status;
    sequence s = {.start = as_double(start), .step = as_double(step), .turn = INT64_MAX};
    const int integers = is_integer(start) && is_integer(end) && is_integer(step);
    if (integers) {
        s.kind = INTEGER_STEPS;
        s.istart = start->v.i;
        s.istep = step->v.i;
        s.n = count_integers(start->v.i, end->v.i, step->v.i);
    } else {
        s.n = count_floats(s.start, as_double(end), s.step);
    }
    if (s.n < 0)
        return TH_raisef(TH_E_ARG,
                         "TH_arange: got %g to %g by %g, want finite bounds and a step from the first to the second",
                         s.start, as_double(end), s.step);
    status = choose_dtype(&dtype, fn, integers ? TH_INT64 : TH_default_dtype());
    s.dtype = dtype;
    if (status == TH_OK) status = check_ends(fn, &s);
    return status == TH_OK ? make_sequence(out, fn, &s) : status;
}

THStatus TH_linspace(THTensor **out, const THScalar *start, const THScalar *end, int64_t steps, THDtype dtype) {
    static const char *const fn = "TH_linspace";
    THStatus status = th_check_scalar(fn, "start", start);
    if (status == TH_OK) status = th_check_scalar(fn, "end", end);
    if (status == TH_OK) status = choose_dtype(&dtype, fn, TH_default_dtype());
    if (status != TH_OK) return status;
    sequence s = {
        .n = steps, .turn = steps / 2 + steps % 2, .start = as_double(start), .last = as_double(end), .dtype = dtype};
    if (steps < 0 || !isfinite(s.start) || !isfinite(s.last))
        return TH_raisef(TH_E_ARG, "TH_linspace: got %g to %g in %lld steps, want finite bounds and at least 0 steps",
                         s.start, s.last, (long long)steps);
    if (is_integer(start) && is_integer(end) && !TH_dtype_is_floating(dtype)) {
        s.kind = INTEGER_ENDS;
        s.istart = start->v.i;
        s.ilast = end->v.i;
    }
    status = steps > 0 ? th_check_number(fn, "start", start, dtype) : TH_OK;
    if (status == TH_OK && steps > 1) status = th_check_number(fn, "end", end, dtype);
    if (status != TH_OK) return status;
    const double gaps = steps > 1 ? (double)(steps - 1) : 1;
    s.step = isfinite(s.last - s.start) ? (s.last - s.start) / gaps : s.last / gaps - s.start / gaps;
    return make_sequence(out, fn, &s);
}
