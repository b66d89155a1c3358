/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/matmul.h"

#include "TH/copy.h"
#include "TH/elementwise.h"
#include "TH/memory.h"
#include "core/geometry.h"
#include "core/iter.h"
#include "core/number.h"
#include "expr/sizes.h"
#include "extern/blas.h"
#include "ops/product.h"

#include <string.h>

/* What TH_addmm adds to the product; beta 0 elsewhere. */
typedef struct addend {
    const THTensor *c;
    THScalar alpha, beta;
} addend;

static const addend nothing_int = {NULL, {TH_SCALAR_INT, 0, {.i = 1}}, {TH_SCALAR_INT, 0, {.i = 0}}};
static const addend nothing_float = {NULL, {TH_SCALAR_FLOAT, 0, {.d = 1}}, {TH_SCALAR_FLOAT, 0, {.d = 0}}};

static THStatus raise_sizes(const char *fn, const THTensor *a, const THTensor *b, const char *want) {
    th_text ta, tb;
    return TH_raisef(TH_E_SHAPE, "%s: got %s and %s, want %s", fn, th_tensor_text(ta, a), th_tensor_text(tb, b), want);
}

static THStatus check_operands(const char *fn, const THTensor *a, const THTensor *b) {
    THStatus status = TH_check_input(fn, "a", a);
    if (status == TH_OK) status = TH_check_input(fn, "b", b);
    if (status != TH_OK) return status;
    if (a->dtype == b->dtype && a->dtype != TH_BOOL) return TH_OK;
    th_text ta, tb;
    return TH_raisef(TH_E_TYPE, "%s: got %s and %s, want one dtype, not bool", fn, th_tensor_text(ta, a),
                     th_tensor_text(tb, b));
}

/* ---- operands ---- */

/* The operand as the product can read it: where it is, or as a copy that the caller frees from *owned. */
static THStatus load(th_matrix *x, THTensor **owned, const THTensor *t, THDtype compute, int has_rows, int has_cols,
                     int rows_only) {
    *x = th_matrix_of(t, has_rows, has_cols);
    if (t->dtype == compute && th_matrix_layout(x, rows_only)) return TH_OK;
    THStatus status = t->dtype == compute ? THTensor_clone(owned, t) : THTensor_to(owned, t, compute);
    if (status != TH_OK) return status;
    *x = th_matrix_of(*owned, has_rows, has_cols);
    th_matrix_layout(x, rows_only);
    return TH_OK;
}

/* The result's memory, holding beta c already unless beta is left to the product. */
static THStatus load_result(th_matrix *x, THTensor **owned, const char *fn, THTensor *result, THDtype compute,
                            int has_rows, int has_cols) {
    int rows_only = !TH_dtype_is_floating(compute);
    *x = th_matrix_of(result, has_rows, has_cols);
    if (result->dtype == compute && th_matrix_layout(x, rows_only)) return TH_OK;
    THStatus status = th_tensor_new(owned, fn, compute, th_sizes(result), result->ndim);
    if (status != TH_OK) return status;
    *x = th_matrix_of(*owned, has_rows, has_cols);
    th_matrix_layout(x, rows_only);
    return TH_OK;
}

/* Starts the target with c, or with beta c for integers; *beta is what the product must do with it. Fails before it
 * writes. */
static THStatus add_begin(double *beta, THTensor *target, const addend *add) {
    if (!add->c) return TH_OK;
    int is_float = add->beta.kind == TH_SCALAR_FLOAT;
    *beta = is_float ? add->beta.v.d : (double)(add->beta.v.i != 0);
    if (*beta == 0) return TH_OK;
    if (is_float || add->beta.v.i == 1) return add->c->data == target->data ? TH_OK : THTensor_copy(target, add->c);
    THTensor *factor = NULL, *wide = NULL;
    THStatus status = THTensor_expand(&wide, add->c, th_sizes(target), target->ndim);
    if (status == TH_OK) status = THTensor_new_scalar(&factor, &add->beta);
    if (status == TH_OK) status = TH_mul(&target, wide, factor);
    THTensor_free(factor);
    THTensor_free(wide);
    return status;
}

/* Computes the product into `result`, whose sizes are right. */
static THStatus compute(const char *fn, THTensor *result, const THTensor *a, const THTensor *b, const addend *add) {
    th_product p = {.dtype = th_compute_dtype(a->dtype), .alpha = add->alpha};
    THTensor *own_a = NULL, *own_b = NULL, *own_c = NULL;
    int has_rows = a->ndim > 1, has_cols = b->ndim > 1, is_integer = !TH_dtype_is_floating(p.dtype);
    THStatus status = load(&p.a, &own_a, a, p.dtype, has_rows, 1, 0);
    if (status == TH_OK) status = load(&p.b, &own_b, b, p.dtype, 1, has_cols, is_integer);
    if (status == TH_OK) status = load_result(&p.c, &own_c, fn, result, p.dtype, has_rows, has_cols);
    if (status == TH_OK) status = add_begin(&p.beta, own_c ? own_c : result, add);
    if (status == TH_OK) {
        th_product_run(&p);
        if (own_c) status = THTensor_copy(result, own_c);
    }
    THTensor_free(own_a);
    THTensor_free(own_b);
    THTensor_free(own_c);
    return status;
}

/* ---- shapes ---- */

/* Broadcast batch sizes, then rows and columns where the operands are not vectors. Inner sizes were compared. */
static THStatus result_sizes(int64_t *sizes, int32_t *ndim, const char *fn, const THTensor *a, const THTensor *b) {
    int32_t na = a->ndim > 2 ? a->ndim - 2 : 0, nb = b->ndim > 2 ? b->ndim - 2 : 0, n = na > nb ? na : nb;
    for (int32_t d = 1; d <= n; d++) {
        int64_t sa = d <= na ? th_sizes(a)[na - d] : 1, sb = d <= nb ? th_sizes(b)[nb - d] : 1;
        if (sa != sb && sa != 1 && sb != 1) return raise_sizes(fn, a, b, "leading sizes that broadcast");
        sizes[n - d] = sa == 1 ? sb : sa;
    }
    if (a->ndim > 1) sizes[n++] = th_sizes(a)[a->ndim - 2];
    if (b->ndim > 1) sizes[n++] = th_sizes(b)[b->ndim - 1];
    *ndim = n;
    return TH_OK;
}

static THStatus multiply(const char *fn, THTensor **out, const THTensor *a, const THTensor *b, const addend *add) {
    int64_t sizes[TH_MAX_DIM];
    int32_t ndim = 0;
    THStatus status = result_sizes(sizes, &ndim, fn, a, b);
    if (status != TH_OK) return status;
    const THTensor *inputs[] = {a, b};
    THTensor *result = NULL;
    status = TH_output_begin(&result, fn, out, a->dtype, sizes, ndim, 1, 0, inputs, 2);
    if (status != TH_OK) return status;
    if (*out && add->c) { /* the one input that the result may be */
        THTensor *same = NULL;
        status = TH_output_begin(&same, fn, out, a->dtype, sizes, ndim, 1, 1, &add->c, 1);
        THTensor_free(same);
    }
    if (status == TH_OK) status = compute(fn, result, a, b, add);
    return TH_output_end(result, out, status);
}

static const addend *nothing(const THTensor *a) {
    return TH_dtype_is_floating(a->dtype) ? &nothing_float : &nothing_int;
}

/* Products of operands with fixed numbers of dimensions. */
static THStatus multiply_fixed(const char *fn, THTensor **out, const THTensor *a, int32_t na, const THTensor *b,
                               int32_t nb, const addend *add, const char *want) {
    int32_t inner = nb > 1 ? nb - 2 : 0;
    if (a->ndim != na || b->ndim != nb || th_sizes(a)[na - 1] != th_sizes(b)[inner] ||
        (na == 3 && th_sizes(a)[0] != th_sizes(b)[0]))
        return raise_sizes(fn, a, b, want);
    return multiply(fn, out, a, b, add ? add : nothing(a));
}

THStatus TH_mv(THTensor **out, const THTensor *a, const THTensor *x) {
    THStatus status = check_operands("TH_mv", a, x);
    return status == TH_OK ? multiply_fixed("TH_mv", out, a, 2, x, 1, NULL, "[m, n] and [n]") : status;
}

THStatus TH_mm(THTensor **out, const THTensor *a, const THTensor *b) {
    THStatus status = check_operands("TH_mm", a, b);
    return status == TH_OK ? multiply_fixed("TH_mm", out, a, 2, b, 2, NULL, "[m, k] and [k, n]") : status;
}

THStatus TH_bmm(THTensor **out, const THTensor *a, const THTensor *b) {
    THStatus status = check_operands("TH_bmm", a, b);
    return status == TH_OK ? multiply_fixed("TH_bmm", out, a, 3, b, 3, NULL, "[b, m, k] and [b, k, n]") : status;
}

/* ---- scaled sums ---- */

/* A factor as the operands' dtype takes it; NULL is 1. */
static THStatus factor(THScalar *out, const char *name, const THScalar *s, THDtype dtype) {
    int is_float = TH_dtype_is_floating(dtype);
    if (!s) {
        *out = is_float ? nothing_float.alpha : nothing_int.alpha;
    } else if (s->kind == TH_SCALAR_FLOAT && !is_float) {
        return TH_raisef(TH_E_TYPE, "TH_addmm: got a floating %s for %s operands, want a whole number", name,
                         TH_dtype_name(dtype));
    } else if (s->kind != TH_SCALAR_FLOAT && is_float) {
        *out = (THScalar){TH_SCALAR_FLOAT, 0, {.d = (double)s->v.i}};
    } else {
        *out = *s;
    }
    return s ? th_check_number("TH_addmm", name, s, dtype) : TH_OK;
}

static THStatus check_addend(const addend *add, const THTensor *a, const THTensor *b) {
    int64_t sizes[] = {th_sizes(a)[0], th_sizes(b)[1]};
    th_text got, want;
    if (add->c->dtype != a->dtype)
        return TH_raisef(TH_E_TYPE, "TH_addmm: got c %s, want dtype %s as the operands", th_tensor_text(got, add->c),
                         TH_dtype_name(a->dtype));
    if (!th_broadcasts_to(add->c, sizes, 2))
        return TH_raisef(TH_E_SHAPE, "TH_addmm: got c %s, want sizes that broadcast to %s", th_tensor_text(got, add->c),
                         th_sizes_text(want, sizes, 2));
    return TH_OK;
}

THStatus TH_addmm(THTensor **out, const THTensor *c, const THTensor *a, const THTensor *b, const THScalar *beta,
                  const THScalar *alpha) {
    static const char fn[] = "TH_addmm", want[] = "[m, k] and [k, n]";
    addend add = {.c = c};
    THStatus status = check_operands(fn, a, b);
    if (status == TH_OK) status = TH_check_input(fn, "c", c);
    if (status == TH_OK) status = factor(&add.beta, "beta", beta, a->dtype);
    if (status == TH_OK) status = factor(&add.alpha, "alpha", alpha, a->dtype);
    if (status != TH_OK) return status;
    if (a->ndim == 2 && b->ndim == 2) status = check_addend(&add, a, b);
    return status == TH_OK ? multiply_fixed(fn, out, a, 2, b, 2, &add, want) : status;
}

/* ---- dot ---- */

/* Sums of BLOCK products are added up in double; each PIECE of them is one thread's. */
enum { DOT_BLOCK = 1 << 12, DOT_PIECE = 1 << 17 };

typedef struct dot_work {
    THDtype dtype;
    const char *x, *y;
    int64_t x_step, y_step, size;
    double *sums; /* by piece */
} dot_work;

static void dot_piece(void *arg, int64_t lo, int64_t hi) {
    const dot_work *w = arg;
    double sum = 0;
    for (int64_t i = lo; i < hi; i += DOT_BLOCK) {
        int64_t n = hi - i < DOT_BLOCK ? hi - i : DOT_BLOCK;
        sum += th_blas_dot(w->dtype, n, w->x + i * w->x_step * w->size, w->x_step, w->y + i * w->y_step * w->size,
                           w->y_step);
    }
    w->sums[lo / DOT_PIECE] = sum;
}

static THStatus dot_floating(THTensor *result, const THTensor *a, const THTensor *b) {
    dot_work w = {.dtype = th_compute_dtype(a->dtype)};
    THTensor *own_a = NULL, *own_b = NULL;
    th_matrix x, y;
    THStatus status = load(&x, &own_a, a, w.dtype, 1, 0, 0);
    if (status == TH_OK) status = load(&y, &own_b, b, w.dtype, 1, 0, 0);
    double one, sum = 0;
    int64_t n = x.rows, pieces = n > 0 ? (n - 1) / DOT_PIECE + 1 : 0;
    w.sums = &one;
    if (status == TH_OK && pieces > 1) {
        w.sums = TH_alloc(th_size_mul(pieces, sizeof(double)));
        if (!w.sums) status = TH_E_MEMORY;
    }
    if (status == TH_OK) {
        w.size = TH_dtype_size(w.dtype);
        w.x = x.data;
        w.y = y.data;
        w.x_step = n > 1 ? x.row_stride : 1;
        w.y_step = n > 1 ? y.row_stride : 1;
        TH_parallel(n, DOT_PIECE, dot_piece, &w);
        for (int64_t i = 0; i < pieces; i++) sum += w.sums[i];
        th_store(result->data, result->dtype, &(THScalar){TH_SCALAR_FLOAT, 0, {.d = sum}});
    }
    if (w.sums != &one) TH_free(w.sums, pieces * (int64_t)sizeof(double));
    THTensor_free(own_a);
    THTensor_free(own_b);
    return status;
}

/* The sizes are right. */
static THStatus dot(const char *fn, THTensor **out, const THTensor *a, const THTensor *b) {
    if (!TH_dtype_is_floating(a->dtype)) return multiply(fn, out, a, b, &nothing_int);
    const THTensor *inputs[] = {a, b};
    THTensor *result = NULL;
    THStatus status = TH_output_begin(&result, fn, out, a->dtype, NULL, 0, 1, 0, inputs, 2);
    return status == TH_OK ? TH_output_end(result, out, dot_floating(result, a, b)) : status;
}

THStatus TH_dot(THTensor **out, const THTensor *a, const THTensor *b) {
    static const char fn[] = "TH_dot";
    THStatus status = check_operands(fn, a, b);
    if (status != TH_OK) return status;
    if (a->ndim != 1 || b->ndim != 1 || a->numel != b->numel) return raise_sizes(fn, a, b, "[n] and [n]");
    return dot(fn, out, a, b);
}

/* ---- matmul ---- */

THStatus TH_matmul(THTensor **out, const THTensor *a, const THTensor *b) {
    static const char fn[] = "TH_matmul";
    THStatus status = check_operands(fn, a, b);
    if (status != TH_OK) return status;
    if (a->ndim == 0 || b->ndim == 0) return raise_sizes(fn, a, b, "at least one dimension each");
    if (th_sizes(a)[a->ndim - 1] != th_sizes(b)[b->ndim > 1 ? b->ndim - 2 : 0])
        return raise_sizes(fn, a, b, "[..., m, k] and [..., k, n], or [k] on either side");
    if (a->ndim == 1 && b->ndim == 1) return dot(fn, out, a, b);
    return multiply(fn, out, a, b, nothing(a));
}
