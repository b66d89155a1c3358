/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlap, seen through TH_output_begin: what it refuses must share bytes (or be one of the documented doubtful cases),
   and what it accepts must not. */
#include "TH/sys.h"
#include "support/tensors.h"

enum { BYTES = 512 };

static int accepts(THTensor *out, const THTensor *input) {
    THTensor *result = NULL;
    THStatus status = TH_output_begin(&result, "TH_f", &out, THTensor_dtype(out), THTensor_sizes(out),
                                      THTensor_ndim(out), 1, 1, &input, 1);
    if (status == TH_OK) return TH_output_end(result, &out, TH_OK) == TH_OK;
    assert_int_equal(status, TH_E_ARG);
    return 0;
}

/* Adds one to the count of every byte that t's elements own. */
static void count_bytes(const THTensor *t, unsigned char *counts) {
    char *base = THStorage_data(THTensor_storage(t));
    for (int64_t i = 0; i < THTensor_numel(t); i++)
        for (int64_t b = 0; b < TH_dtype_size(THTensor_dtype(t)); b++) counts[support_address(t, i) - base + b]++;
}

static int any_above_one(const unsigned char *counts) {
    for (int i = 0; i < BYTES; i++)
        if (counts[i] > 1) return 1;
    return 0;
}

static THTensor *random_window(THStorage *s, THDtype dtype, uint64_t *seed) {
    for (;;) {
        int64_t sizes[3], strides[3];
        int32_t ndim = (int32_t)(random_bits(seed) % 4);
        for (int32_t k = 0; k < ndim; k++) {
            sizes[k] = (int64_t)(random_bits(seed) % 5);
            strides[k] = (int64_t)(random_bits(seed) % 13) * (random_bits(seed) % 3 ? 1 : 4);
        }
        THTensor *t = NULL;
        if (THTensor_new_over(&t, s, dtype, sizes, strides, ndim, (int64_t)(random_bits(seed) % 40)) == TH_OK) return t;
    }
}

/* No false "apart": accepted pairs share no byte. And the test is not merely timid: most of the disjoint ones pass. */
static void test_against_search(void **state) {
    (void)state;
    uint64_t seed = 11;
    THStorage *s = NULL;
    int apart = 0, accepted = 0, refused = 0;
    assert_ok(THStorage_new(&s, BYTES));
    for (int turn = 0; turn < 30000; turn++) {
        THTensor *out = random_window(s, turn & 1 ? TH_INT16 : TH_FLOAT32, &seed),
                 *in = random_window(s, TH_FLOAT32, &seed);
        unsigned char alone[BYTES] = {0}, both[BYTES] = {0}, other[BYTES] = {0};
        count_bytes(out, alone);
        count_bytes(in, other);
        for (int i = 0; i < BYTES; i++) both[i] = (unsigned char)((alone[i] > 0) + (other[i] > 0));
        int is_apart = !any_above_one(alone) && !any_above_one(both), ok = accepts(out, in);
        if (ok && !is_apart) {
            /* allowed: the very same geometry */
            assert_int_equal(any_above_one(alone), 0);
            assert_int_equal(memcmp(alone, other, BYTES), 0);
            assert_ptr_equal(THTensor_data(out), THTensor_data(in));
        }
        apart += is_apart;
        accepted += ok && is_apart;
        refused += !ok;
        THTensor_free(out);
        THTensor_free(in);
    }
    THStorage_free(s);
    assert_true(apart > 3000 && refused > 3000);
    assert_true(accepted > apart * 8 / 10);
}

/* Views of a 6 by 7 (or 6 by 8) matrix that interleave. */
static void test_interleaved(void **state) {
    (void)state;
    for (int64_t columns = 7; columns <= 8; columns++) {
        THTensor *x = tensor_empty(TH_FLOAT32, LIST(6, columns)), *a = NULL, *b = NULL;
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = 0; j < columns; j++) { /* columns */
                assert_ok(THTensor_select(&a, x, 1, i));
                assert_ok(THTensor_select(&b, x, 1, j));
                assert_int_equal(accepts(a, b), 1); /* i == j is in place */
                THTensor_free(a);
                THTensor_free(b);
            }
        for (int64_t i = 1; i < columns; i++) { /* column blocks, meeting or crossing */
            assert_ok(THTensor_narrow(&a, x, 1, 0, i));
            assert_ok(THTensor_narrow(&b, x, 1, i, columns - i));
            assert_int_equal(accepts(a, b), 1);
            assert_int_equal(accepts(b, a), 1);
            THTensor_free(b);
            assert_ok(THTensor_narrow(&b, x, 1, i - 1, columns - i + 1));
            assert_int_equal(accepts(a, b), 0);
            THTensor_free(a);
            THTensor_free(b);
        }
        assert_ok(THTensor_slice(&a, x, 1, 0, columns, 2)); /* even and odd columns */
        assert_ok(THTensor_slice(&b, x, 1, 1, columns, 2));
        assert_int_equal(accepts(a, b), 1);
        assert_int_equal(accepts(b, a), 1);
        THTensor_free(b);
        assert_ok(THTensor_slice(&b, x, 1, 2, columns, 2));
        assert_int_equal(accepts(a, b), 0);
        THTensor_free(a);
        THTensor_free(b);
        assert_ok(THTensor_slice(&a, x, 0, 0, 6, 2)); /* even and odd rows */
        assert_ok(THTensor_slice(&b, x, 0, 1, 6, 2));
        assert_int_equal(accepts(a, b), 1);
        THTensor_free(a);
        THTensor_free(b);
        THTensor_free(x);
    }
}

static void test_transposed(void **state) {
    (void)state;
    THTensor *x = tensor_empty(TH_FLOAT32, LIST(5, 5)), *t = NULL;
    assert_ok(THTensor_transpose(&t, x, 0, 1));
    assert_int_equal(accepts(x, t), 0); /* a += a.t() */
    assert_int_equal(accepts(t, t), 1);
    THTensor_free(x);
    THTensor_free(t);
}

/* Two storages over the same bytes, and a view in another dtype. */
static void test_foreign_aliases(void **state) {
    (void)state;
    static float data[8];
    THStorage *s[2];
    THTensor *t[3];
    for (int i = 0; i < 2; i++) {
        assert_ok(THStorage_new_foreign(&s[i], data, sizeof data, TH_CPU, 0, NULL, NULL));
        assert_ok(THTensor_new_over(&t[i], s[i], TH_FLOAT32, (int64_t[]){7}, NULL, 1, i));
    }
    assert_ok(THTensor_new_over(&t[2], s[0], TH_INT32, (int64_t[]){7}, NULL, 1, 0));
    assert_int_equal(accepts(t[0], t[1]), 0);
    assert_int_equal(accepts(t[0], t[2]), 0);
    for (int i = 0; i < 2; i++) THStorage_free(s[i]);
    for (int i = 0; i < 3; i++) THTensor_free(t[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_search),
        cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_foreign_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
