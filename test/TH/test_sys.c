/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/sys.h"
#include "support/oom.h"
#include "support/tensors.h"

static THTensor *const untouched = (THTensor *)0x1234;

static THTensor *over(void *data, int64_t n, THDevice device, int32_t readonly) {
    THStorage *s = NULL;
    THTensor *t = NULL;
    assert_ok(THStorage_new_foreign(&s, data, n * 4, device, readonly, NULL, NULL));
    assert_ok(THTensor_new_over(&t, s, TH_FLOAT32, &n, NULL, 1, 0));
    THStorage_free(s);
    return t;
}

static void test_check_input(void **state) {
    (void)state;
    static float data[4];
    THTensor *t = tensor_empty(TH_BOOL, LIST(2)), *remote = over(data, 4, (THDevice)1 << 32 | 2, 0);
    assert_ok(TH_check_input("TH_f", "x", t));
    assert_fails(TH_E_ARG, "TH_f: x is NULL", TH_check_input("TH_f", "x", NULL));
    assert_fails(TH_E_DEVICE, "TH_f: got x on device 1:2, want the CPU", TH_check_input("TH_f", "x", remote));
    THTensor_free(t);
    THTensor_free(remote);
}

/* begin with the arguments that these tests vary. */
static THStatus begin(THTensor **result, THTensor **out, THDtype dtype, int32_t exact, int32_t inplace,
                      const THTensor *input) {
    return TH_output_begin(result, "TH_f", out, dtype, LIST(2, 3), exact, inplace, &input, 1);
}

static void test_new_output(void **state) {
    (void)state;
    THTensor *out = NULL, *result = NULL;
    assert_ok(begin(&result, &out, TH_INT32, 0, 1, NULL));
    assert_null(out);
    assert_is(result, TH_INT32, 2, 3);
    assert_int_equal(THTensor_is_contiguous(result), 1);
    assert_ok(TH_output_end(result, &out, TH_OK));
    assert_ptr_equal(out, result);
    assert_int_equal(THStorage_version(THTensor_storage(out)), 0);
    THTensor_free(out);

    out = NULL; /* a failure in between: result is gone, out stays empty */
    int64_t before = support_allocated();
    assert_ok(begin(&result, &out, TH_INT32, 0, 1, NULL));
    assert_int_equal(TH_output_end(result, &out, TH_E_ARG), TH_E_ARG);
    assert_null(out);
    assert_int_equal(support_allocated(), before);
    assert_fails(TH_E_ARG, "TH_f: out is NULL", begin(&result, NULL, TH_INT32, 0, 1, NULL));
    assert_fails(TH_E_SHAPE, "TH_f: got sizes [2, -1]",
                 TH_output_begin(&result, "TH_f", &out, TH_INT32, LIST(2, -1), 0, 0, NULL, 0));
    assert_null(out);
}

static void test_given_output(void **state) {
    (void)state;
    THTensor *out = tensor_random(TH_INT32, LIST(2, 3), 0, 9, 1), *given = out, *result = NULL;
    assert_ok(begin(&result, &out, TH_INT32, 0, 1, out));
    assert_ptr_equal(result, out);
    assert_ok(TH_output_end(result, &out, TH_OK));
    assert_ptr_equal(out, given);
    assert_int_equal(THStorage_version(THTensor_storage(out)), 1);
    assert_ok(begin(&result, &out, TH_INT32, 0, 1, NULL));
    assert_int_equal(TH_output_end(result, &out, TH_E_MEMORY), TH_E_MEMORY);
    assert_ptr_equal(out, given);
    assert_int_equal(THStorage_version(THTensor_storage(out)), 1); /* not written */
    THTensor_free(out);
}

/* bool < integer < floating: PyTorch's can_cast. */
static void test_dtypes(void **state) {
    (void)state;
    for (THDtype to = 0; to < TH_DTYPE_COUNT; to++)
        for (THDtype from = 0; from < TH_DTYPE_COUNT; from++) {
            THTensor *out = tensor_empty(to, LIST(2, 3)), *result = untouched;
            int allowed = TH_dtype_is_floating(to) || from == TH_BOOL || (to != TH_BOOL && !TH_dtype_is_floating(from));
            for (int32_t exact = 0; exact <= 1; exact++) {
                THStatus status = begin(&result, &out, from, exact, 1, NULL);
                assert_int_equal(status, (exact ? from == to : allowed) ? TH_OK : TH_E_TYPE);
                if (status == TH_OK) TH_output_end(result, &out, TH_OK);
            }
            THTensor_free(out);
        }
    THTensor *out = tensor_empty(TH_INT32, LIST(2, 3)), *result = untouched;
    assert_fails(TH_E_TYPE, "TH_f: got out int32[2, 3], want a dtype that holds float16",
                 begin(&result, &out, TH_FLOAT16, 0, 1, NULL));
    assert_fails(TH_E_TYPE, "TH_f: got out int32[2, 3], want int64", begin(&result, &out, TH_INT64, 1, 1, NULL));
    assert_ptr_equal(result, untouched);
    THTensor_free(out);
}

static void test_given_fails(void **state) {
    (void)state;
    static float data[6];
    THTensor *result = untouched, *out = tensor_empty(TH_FLOAT32, LIST(3, 2));
    assert_fails(TH_E_SHAPE, "TH_f: got out float32[3, 2], want sizes [2, 3]",
                 begin(&result, &out, TH_FLOAT32, 0, 1, NULL));
    THTensor_free(out);
    out = tensor_empty(TH_FLOAT32, LIST(2, 3, 1));
    assert_fails(TH_E_SHAPE, "TH_f: got out float32[2, 3, 1]", begin(&result, &out, TH_FLOAT32, 0, 1, NULL));
    THTensor_free(out);
    THTensor *remote = over(data, 6, (THDevice)1 << 32, 0), *constant = over(data, 6, TH_CPU, 1);
    assert_fails(TH_E_DEVICE, "TH_f: got out on device 1:0",
                 TH_output_begin(&result, "TH_f", &remote, TH_FLOAT32, LIST(6), 0, 1, NULL, 0));
    assert_fails(TH_E_ARG, "TH_f: got out float32[6] that is read-only",
                 TH_output_begin(&result, "TH_f", &constant, TH_FLOAT32, LIST(6), 0, 1, NULL, 0));
    THTensor_free(remote);
    THTensor_free(constant);
    THTensor *row = tensor_empty(TH_FLOAT32, LIST(1, 3)), *wide = NULL;
    assert_ok(THTensor_expand(&wide, row, LIST(2, 3)));
    assert_fails(TH_E_ARG, "TH_f: got out float32[2, 3] whose elements share memory (strides [0, 1])",
                 begin(&result, &wide, TH_FLOAT32, 0, 1, NULL));
    THTensor_free(row);
    THTensor_free(wide);
    assert_ptr_equal(result, untouched);
}

static void test_overlap(void **state) {
    (void)state;
    THTensor *base = tensor_empty(TH_FLOAT32, LIST(4, 3)), *upper = NULL, *lower = NULL, *far = NULL,
             *result = untouched;
    assert_ok(THTensor_narrow(&upper, base, 0, 0, 2));
    assert_ok(THTensor_narrow(&lower, base, 0, 1, 2));
    assert_ok(THTensor_narrow(&far, base, 0, 2, 2));
    assert_fails(TH_E_ARG,
                 "TH_f: got out float32[2, 3] that shares memory with an input float32[2, 3], want that input itself "
                 "or memory apart",
                 begin(&result, &upper, TH_FLOAT32, 0, 1, lower));
    assert_fails(TH_E_ARG, "want memory apart", begin(&result, &upper, TH_FLOAT32, 0, 0, upper));
    assert_ptr_equal(result, untouched);
    assert_ok(begin(&result, &upper, TH_FLOAT32, 0, 1, upper));
    TH_output_end(result, &upper, TH_OK);
    assert_ok(begin(&result, &upper, TH_FLOAT32, 0, 0, far));
    TH_output_end(result, &upper, TH_OK);
    /* every input is looked at, NULL ones are skipped */
    const THTensor *inputs[3] = {NULL, far, lower};
    assert_fails(TH_E_ARG, "shares memory",
                 TH_output_begin(&result, "TH_f", &upper, TH_FLOAT32, LIST(2, 3), 0, 1, inputs, 3));
    THTensor_free(base);
    THTensor_free(upper);
    THTensor_free(lower);
    THTensor_free(far);
}

static void begin_and_end(void *arg) {
    THTensor *out = NULL, *result = untouched;
    THStatus status = begin(&result, &out, TH_FLOAT32, 0, 1, arg);
    if (status == TH_OK) {
        assert_ok(TH_output_end(result, &out, TH_OK));
        THTensor_free(out);
    } else {
        assert_int_equal(status, TH_E_MEMORY);
        assert_null(out);
        assert_ptr_equal(result, untouched);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    oom_each(begin_and_end, NULL);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_input),   cmocka_unit_test(test_new_output),  cmocka_unit_test(test_given_output),
        cmocka_unit_test(test_dtypes),        cmocka_unit_test(test_given_fails), cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
