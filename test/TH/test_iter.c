/* SPDX-License-Identifier: BSD-3-Clause */
/* TH_elementwise on random geometries, with a kernel that checks what it is given. */
#include "support/elementwise.h"

#include "TH/sys.h"

/* out = a + 10 b (+ 100 c); steps must be 0 or 1, not all 0 for more than one element. */
static void weigh(void *const *p, const int64_t *step, int64_t n, const void *param) {
    const int inputs = *(const int *)param;
    int64_t moving = 0;
    for (int k = 1; k <= inputs; k++) moving += step[k];
    const int bad = step[0] != 1 || n < 1 || (n > 1 && moving == 0);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, weight = 1;
        for (int k = 1; k <= inputs; k++, weight *= 10) sum += weight * ((const double *)p[k])[i * step[k]];
        ((double *)p[0])[i] = bad ? NAN : sum;
    }
}

/* A tensor of the given sizes with random permuted strides, gaps, an offset, and some dimensions of size 1 or missing.
 */
static THTensor *random_operand(THDtype dtype, const int64_t *sizes, int32_t ndim, int broadcast, uint64_t *seed) {
    int64_t own[TH_MAX_DIM], strides[TH_MAX_DIM], room = 1;
    int32_t order[TH_MAX_DIM], skip = broadcast ? (int32_t)(random_bits(seed) % (uint64_t)(ndim + 1)) / 2 : 0,
                               n = ndim - skip;
    for (int32_t d = 0; d < n; d++) {
        own[d] = broadcast && random_bits(seed) % 4 == 0 ? 1 : sizes[d + skip];
        order[d] = d;
    }
    for (int32_t d = n - 1; d > 0 && random_bits(seed) % 2; d--) { /* often, but not always, out of order */
        const int32_t e = (int32_t)(random_bits(seed) % (uint64_t)(d + 1)), t = order[d];
        order[d] = order[e];
        order[e] = t;
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        if (random_bits(seed) % 5 == 0) room *= 2;
        strides[order[k]] = room;
        room *= own[order[k]];
    }
    THStorage *storage = NULL;
    THTensor *t = NULL;
    assert_ok(THStorage_new(&storage, (room + 2) * TH_dtype_size(dtype)));
    memset(THStorage_data(storage), 0xff, (size_t)THStorage_nbytes(storage));
    assert_ok(THTensor_new_over(&t, storage, dtype, own, strides, n, 1));
    THStorage_free(storage);
    for (int64_t i = 0; i < THTensor_numel(t); i++) set_element(t, i, (double)(random_bits(seed) % 100));
    return t;
}

static void check_random(uint64_t seed) {
    static const THDtype dtypes[] = {TH_FLOAT64, TH_FLOAT64, TH_FLOAT32, TH_INT8, TH_INT64, TH_BFLOAT16};
    static const int64_t lengths[] = {1, 2, 3, 5, 17, 40, 130};
    int64_t sizes[5], numel = 1;
    const int32_t ndim = 1 + (int32_t)(random_bits(&seed) % 5);
    for (int32_t d = 0; d < ndim; d++) {
        sizes[d] = lengths[random_bits(&seed) % 7];
        if (numel * sizes[d] > 60000) sizes[d] = 2;
        numel *= sizes[d];
    }
    const int inputs = 2 + (int)(random_bits(&seed) % 2);
    THTensor *x[3], *wide[3],
        *y = random_operand(random_bits(&seed) % 2 ? TH_FLOAT64 : TH_FLOAT32, sizes, ndim, 0, &seed);
    const THTensor *in[3];
    for (int k = 0; k < inputs; k++) {
        x[k] = random_operand(dtypes[random_bits(&seed) % 6], sizes, ndim, k > 0, &seed);
        assert_ok(THTensor_expand(&wide[k], x[k], sizes, ndim));
        in[k] = random_bits(&seed) % 2 ? wide[k] : x[k];
    }
    const THElementwise op = {"weigh", TH_FLOAT64, TH_FLOAT64, TH_FLOAT64, weigh, &inputs};
    assert_ok(TH_elementwise(&y, &op, in, inputs));
    assert_holes(y);
    for (int64_t i = 0; i < numel; i++) {
        long double want =
            element(wide[0], i) + 10 * element(wide[1], i) + (inputs > 2 ? 100 * element(wide[2], i) : 0);
        if (element(y, i) != want) fail_msg("element %d of %d is wrong", (int)i, (int)numel);
    }
    for (int k = 0; k < inputs; k++) THTensor_free(x[k]), THTensor_free(wide[k]);
    THTensor_free(y);
}

static void test_random_geometries(void **state) {
    (void)state;
    const int32_t before = TH_num_threads();
    for (uint64_t seed = 0; seed < 600; seed++) {
        assert_ok(TH_set_num_threads(1 + (int32_t)(seed % 3)));
        check_random(seed * 7919);
    }
    assert_ok(TH_set_num_threads(before));
}

/* 64 dimensions, sizes of 1, and zero-size ones. */
static void test_many_dimensions(void **state) {
    (void)state;
    int64_t sizes[TH_MAX_DIM], strides[TH_MAX_DIM];
    for (int d = 0; d < TH_MAX_DIM; d++) sizes[d] = d % 6 == 0 ? 2 : 1;
    THTensor *x = tensor_random(TH_FLOAT64, sizes, TH_MAX_DIM, 0, 100, 1), *t = NULL, *y = NULL;
    int64_t stride = 1;
    for (int d = 0; d < TH_MAX_DIM; d++) strides[d] = stride, stride *= sizes[d];
    assert_ok(THTensor_as_strided(&t, x, sizes, strides, TH_MAX_DIM, 0));
    const THTensor *in[] = {x, t};
    const int inputs = 2;
    const THElementwise op = {"weigh", TH_FLOAT64, TH_FLOAT64, TH_FLOAT64, weigh, &inputs};
    assert_ok(TH_elementwise(&y, &op, in, 2));
    for (int64_t i = 0; i < THTensor_numel(x); i++) assert_element(y, i, element(x, i) + 10 * element(t, i), 1);
    THTensor_free(x), THTensor_free(t), THTensor_free(y), y = NULL;
    THTensor *empty = tensor_empty(TH_FLOAT64, LIST(2, 0, 3)), *one = tensor_random(TH_FLOAT64, LIST(1, 1), 0, 1, 1);
    const THTensor *pair[] = {empty, one};
    assert_ok(TH_elementwise(&y, &op, pair, 2));
    assert_is(y, TH_FLOAT64, 2, 0, 3);
    THTensor_free(empty), THTensor_free(one), THTensor_free(y);
}

static void test_errors(void **state) {
    (void)state;
    const int inputs = 2;
    THElementwise op = {"weigh", TH_FLOAT64, TH_FLOAT64, TH_FLOAT64, weigh, &inputs};
    THTensor *a = tensor_random(TH_FLOAT64, LIST(2), 0, 1, 1), *b = tensor_random(TH_FLOAT64, LIST(3), 0, 1, 1),
             *y = NULL;
    const THTensor *in[] = {a, b}, *none[] = {a, NULL}, *five[] = {a, a, a, a, a};
    assert_fails(TH_E_SHAPE, "weigh: got float64[2] and float64[3]", TH_elementwise(&y, &op, in, 2));
    assert_fails(TH_E_ARG, "weigh: an input is NULL", TH_elementwise(&y, &op, none, 2));
    assert_fails(TH_E_ARG, "weigh: got 5 inputs, want 1 to 4", TH_elementwise(&y, &op, five, 5));
    assert_fails(TH_E_ARG, "weigh: got 0 inputs", TH_elementwise(&y, &op, five, 0));
    assert_fails(TH_E_ARG, "out is NULL", TH_elementwise(NULL, &op, five, 2));
    assert_fails(TH_E_ARG, "op or inputs is NULL", TH_elementwise(&y, NULL, five, 2));
    assert_fails(TH_E_ARG, "op or inputs is NULL", TH_elementwise(&y, &op, NULL, 2));
    op.produce = 77;
    assert_fails(TH_E_TYPE, "weigh: got an invalid dtype", TH_elementwise(&y, &op, five, 2));
    assert_null(y);
    THTensor_free(a), THTensor_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_geometries),
        cmocka_unit_test(test_many_dimensions),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
