/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/index.h"

#include "expr/half.h"
#include "expr/template.h"

#define PICK(name, T, to, from)                                                                                        \
    static void name(const th_pick *p) {                                                                               \
        for (int64_t k = 0; k < p->n; k++)                                                                             \
            *(T *)(p->dst + k * p->dst_step + (to)) = *(const T *)(p->src + k * p->src_step + (from));                 \
    }
PICK(get_1, uint8_t, 0, p->offset[k])
PICK(get_2, uint16_t, 0, p->offset[k])
PICK(get_4, uint32_t, 0, p->offset[k])
PICK(get_8, uint64_t, 0, p->offset[k])
PICK(put_1, uint8_t, p->offset[k], 0)
PICK(put_2, uint16_t, p->offset[k], 0)
PICK(put_4, uint32_t, p->offset[k], 0)
PICK(put_8, uint64_t, p->offset[k], 0)

#define ADD(a, b) ((T)((a) + (b))) /* integers wrap around, so that their sign does not matter */
#define TH_TEMPLATE "kernels/index.inc"
#include "expr/widths.inc"
#define T C
#define TH_TEMPLATE "kernels/index.inc"
#include "expr/floats.inc"
#undef T
#undef ADD

#define T uint8_t
#define ADD(a, b) ((T)((a) | (b)))
#define FN(name) name##_bool
#include "kernels/index.inc"
#undef T
#undef FN
#undef ADD

#define T uint16_t
#define ADD(a, b) th_float16_store(th_float16_load(a) + th_float16_load(b))
#define FN(name) name##_float16
#include "kernels/index.inc"
#undef FN
#undef ADD
#define ADD(a, b) th_bfloat16_store(th_bfloat16_load(a) + th_bfloat16_load(b))
#define FN(name) name##_bfloat16
#include "kernels/index.inc"
#undef T
#undef FN
#undef ADD

const struct th_index_table TH_ISA_NAME(th_index) = {
    .get = {get_1, get_2, get_4, get_8},
    .put = {put_1, put_2, put_4, put_8},
    .add = {[TH_BOOL] = add_bool,
            [TH_UINT8] = add_8,
            [TH_INT8] = add_8,
            [TH_INT16] = add_16,
            [TH_INT32] = add_32,
            [TH_INT64] = add_64,
            [TH_FLOAT16] = add_float16,
            [TH_BFLOAT16] = add_bfloat16,
            [TH_FLOAT32] = add_float32,
            [TH_FLOAT64] = add_float64},
};
