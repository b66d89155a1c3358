/* SPDX-License-Identifier: BSD-3-Clause */
/* One spelling for the parts of oneDNN's C API that differ between 2.x and 3.x, where memory descriptors became opaque
   and operation descriptors went away. */
#ifndef THNN_EXTERN_ONEDNN_H
#define THNN_EXTERN_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>

#include "core/conv.h"

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t thnn_md; /* a borrowed descriptor, as functions take it */
#else
typedef const dnnl_memory_desc_t *thnn_md;
#endif

typedef struct thnn_md_owned {
    dnnl_memory_desc_t md; /* a struct in 2.x, a pointer in 3.x */
} thnn_md_owned;

/* Zeroed at first; freed after a failure too. */
static inline dnnl_status_t thnn_md_make(thnn_md_owned *o, int ndim, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_memory_desc_create_with_tag(&o->md, ndim, dims, dnnl_f32, tag);
#else
    return dnnl_memory_desc_init_by_tag(&o->md, ndim, dims, dnnl_f32, tag);
#endif
}

/* The same with strides of elements. */
static inline dnnl_status_t thnn_md_make_strided(thnn_md_owned *o, int ndim, const dnnl_dims_t dims,
                                                 const dnnl_dims_t strides) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_memory_desc_create_with_strides(&o->md, ndim, dims, dnnl_f32, strides);
#else
    return dnnl_memory_desc_init_by_strides(&o->md, ndim, dims, dnnl_f32, strides);
#endif
}

static inline thnn_md thnn_md_get(const thnn_md_owned *o) {
#if DNNL_VERSION_MAJOR >= 3
    return o->md;
#else
    return &o->md;
#endif
}

static inline void thnn_md_free(thnn_md_owned *o) {
#if DNNL_VERSION_MAJOR >= 3
    if (o->md) dnnl_memory_desc_destroy(o->md);
#else
    (void)o;
#endif
}

/* What a convolution is created from: arrays x, weight, y; bias may be NULL. */
typedef struct thnn_conv_recipe {
    int64_t kind;
    thnn_md x, weight, y, bias;
    dnnl_dims_t strides, dilates, padding; /* dilates: 0 is dense */
} thnn_conv_recipe;

#if DNNL_VERSION_MAJOR >= 3
static inline dnnl_status_t thnn_conv_forward_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                     const thnn_conv_recipe *r, const_dnnl_primitive_attr_t attr) {
    return dnnl_convolution_forward_primitive_desc_create(pd, engine, dnnl_forward_training, dnnl_convolution_direct,
                                                          r->x, r->weight, r->bias, r->y, r->strides, r->dilates,
                                                          r->padding, r->padding, attr);
}

static inline dnnl_status_t thnn_conv_backward_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                      const thnn_conv_recipe *r, const_dnnl_primitive_desc_t hint,
                                                      const_dnnl_primitive_attr_t attr) {
    if (r->kind == THNN_CONV_BACKWARD_INPUT)
        return dnnl_convolution_backward_data_primitive_desc_create(pd, engine, dnnl_convolution_direct, r->x,
                                                                    r->weight, r->y, r->strides, r->dilates, r->padding,
                                                                    r->padding, hint, attr);
    return dnnl_convolution_backward_weights_primitive_desc_create(pd, engine, dnnl_convolution_direct, r->x, r->weight,
                                                                   NULL, r->y, r->strides, r->dilates, r->padding,
                                                                   r->padding, hint, attr);
}
#else
static inline dnnl_status_t thnn_conv_forward_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                     const thnn_conv_recipe *r, const_dnnl_primitive_attr_t attr) {
    dnnl_convolution_desc_t op;
    dnnl_status_t status =
        dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_training, dnnl_convolution_direct, r->x, r->weight,
                                                   r->bias, r->y, r->strides, r->dilates, r->padding, r->padding);
    return status == dnnl_success ? dnnl_primitive_desc_create(pd, &op, attr, engine, NULL) : status;
}

static inline dnnl_status_t thnn_conv_backward_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                      const thnn_conv_recipe *r, const_dnnl_primitive_desc_t hint,
                                                      const_dnnl_primitive_attr_t attr) {
    dnnl_convolution_desc_t op;
    dnnl_status_t status =
        r->kind == THNN_CONV_BACKWARD_INPUT
            ? dnnl_dilated_convolution_backward_data_desc_init(&op, dnnl_convolution_direct, r->x, r->weight, r->y,
                                                               r->strides, r->dilates, r->padding, r->padding)
            : dnnl_dilated_convolution_backward_weights_desc_init(&op, dnnl_convolution_direct, r->x, r->weight, NULL,
                                                                  r->y, r->strides, r->dilates, r->padding, r->padding);
    return status == dnnl_success ? dnnl_primitive_desc_create(pd, &op, attr, engine, hint) : status;
}
#endif

#endif
