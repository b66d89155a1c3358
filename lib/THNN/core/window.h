/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows that slide along one axis: what convolution and pooling share. */
#ifndef THNN_CORE_WINDOW_H
#define THNN_CORE_WINDOW_H

#include <stdint.h>

/* Tap r of window i lies at i stride + r dilation - padding, inside the axis if that is in [0, in). */
typedef struct thnn_axis {
    int64_t in, out; /* elements, windows */
    int64_t kernel, stride, padding, dilation;
} thnn_axis;

enum { THNN_AXES_MAX = 3 };

/* Up to these bounds, for geometry and for sizes, nothing below overflows. */
#define THNN_WINDOW_MAX INT32_MAX
#define THNN_SIZE_MAX (INT64_MAX / 4)

static inline int64_t thnn_axis_at(const thnn_axis *a, int64_t i, int64_t r) {
    return i * a->stride + r * a->dilation - a->padding;
}

/* Windows [*lo, *hi) whose tap r lies inside. */
static inline void thnn_axis_range(const thnn_axis *a, int64_t r, int64_t *lo, int64_t *hi) {
    int64_t first = thnn_axis_at(a, 0, r), last = a->in - 1 - first;
    *lo = first < 0 ? (-first + a->stride - 1) / a->stride : 0;
    *hi = last < 0 ? 0 : last / a->stride + 1;
    if (*hi > a->out) *hi = a->out;
    if (*lo > *hi) *lo = *hi;
}

/* Taps [*lo, *hi), beyond which none lies inside for any of the windows [first, last]. */
static inline void thnn_axis_taps(const thnn_axis *a, int64_t first, int64_t last, int64_t *lo, int64_t *hi) {
    int64_t low = thnn_axis_at(a, last, 0), room = a->in - 1 - thnn_axis_at(a, first, 0);
    *lo = low < 0 ? (-low + a->dilation - 1) / a->dilation : 0;
    *hi = room < 0 ? 0 : room / a->dilation + 1;
    if (*hi > a->kernel) *hi = a->kernel;
    if (*lo > *hi) *lo = *hi;
}

/* Windows that fit; 0 or less if none does. With ceil_mode the last one may reach beyond the padding, but starts before
 * it. */
static inline int64_t thnn_axis_windows(const thnn_axis *a, int ceil_mode) {
    int64_t room = a->in + 2 * a->padding - a->dilation * (a->kernel - 1) - 1;
    if (room < 0 && (!ceil_mode || room <= -a->stride)) return 0;
    int64_t n = room < 0 ? 1 : room / a->stride + 1;
    if (ceil_mode && room > 0 && room % a->stride != 0 && n * a->stride < a->in + a->padding) n++;
    return n;
}

#endif
