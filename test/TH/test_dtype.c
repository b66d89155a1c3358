/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/tensors.h"

static void test_properties(void **state) {
    (void)state;
    static const struct {
        THDtype dtype;
        const char *name;
        int size, floating, is_signed;
    } rows[] = {{TH_BOOL, "bool", 1, 0, 0},       {TH_UINT8, "uint8", 1, 0, 0},       {TH_INT8, "int8", 1, 0, 1},
                {TH_INT16, "int16", 2, 0, 1},     {TH_INT32, "int32", 4, 0, 1},       {TH_INT64, "int64", 8, 0, 1},
                {TH_FLOAT16, "float16", 2, 1, 1}, {TH_BFLOAT16, "bfloat16", 2, 1, 1}, {TH_FLOAT32, "float32", 4, 1, 1},
                {TH_FLOAT64, "float64", 8, 1, 1}};
    assert_int_equal(sizeof rows / sizeof *rows, TH_DTYPE_COUNT);
    for (int i = 0; i < TH_DTYPE_COUNT; i++) {
        THDtype found = TH_DTYPE_DEFAULT;
        assert_int_equal(rows[i].dtype, i);
        assert_string_equal(TH_dtype_name(i), rows[i].name);
        assert_int_equal(TH_dtype_size(i), rows[i].size);
        assert_int_equal(TH_dtype_is_floating(i), rows[i].floating);
        assert_int_equal(TH_dtype_is_signed(i), rows[i].is_signed);
        assert_ok(TH_dtype_find(&found, rows[i].name));
        assert_int_equal(found, i);
    }
    for (THDtype bad = -1; bad <= TH_DTYPE_COUNT; bad += TH_DTYPE_COUNT + 1) {
        assert_string_equal(TH_dtype_name(bad), "invalid");
        assert_int_equal(TH_dtype_size(bad) + TH_dtype_is_floating(bad) + TH_dtype_is_signed(bad), 0);
    }
}

static void test_find_fails(void **state) {
    (void)state;
    THDtype d = 77;
    assert_fails(TH_E_NOTFOUND, "TH_dtype_find: got \"float\", want", TH_dtype_find(&d, "float"));
    assert_fails(TH_E_ARG, "name is NULL", TH_dtype_find(&d, NULL));
    assert_fails(TH_E_ARG, "out is NULL", TH_dtype_find(NULL, "bool"));
    assert_int_equal(d, 77);
}

/* PyTorch's promotion table (documentation of torch.promote_types), typed in by hand, rows and columns in the order
   b1 u1 i1 i2 i4 i8 f2 bf f4 f8. */
static void test_promote_types(void **state) {
    (void)state;
    enum { b1 = TH_BOOL, u1, i1, i2, i4, i8, f2, bf, f4, f8 };
    static const THDtype table[TH_DTYPE_COUNT][TH_DTYPE_COUNT] = {
        {b1, u1, i1, i2, i4, i8, f2, bf, f4, f8}, {u1, u1, i2, i2, i4, i8, f2, bf, f4, f8},
        {i1, i2, i1, i2, i4, i8, f2, bf, f4, f8}, {i2, i2, i2, i2, i4, i8, f2, bf, f4, f8},
        {i4, i4, i4, i4, i4, i8, f2, bf, f4, f8}, {i8, i8, i8, i8, i8, i8, f2, bf, f4, f8},
        {f2, f2, f2, f2, f2, f2, f2, f4, f4, f8}, {bf, bf, bf, bf, bf, bf, f4, bf, f4, f8},
        {f4, f4, f4, f4, f4, f4, f4, f4, f4, f8}, {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8}};
    for (THDtype a = 0; a < TH_DTYPE_COUNT; a++)
        for (THDtype b = 0; b < TH_DTYPE_COUNT; b++) {
            THDtype got = -7;
            assert_ok(TH_promote_types(&got, a, b));
            if (got != table[a][b]) fail_msg("%s + %s gave %s", TH_dtype_name(a), TH_dtype_name(b), TH_dtype_name(got));
        }
    THDtype d = 77;
    assert_fails(TH_E_TYPE, "TH_promote_types: got codes 10 and 0", TH_promote_types(&d, TH_DTYPE_COUNT, TH_BOOL));
    assert_fails(TH_E_TYPE, "got codes 0 and -1", TH_promote_types(&d, TH_BOOL, TH_DTYPE_DEFAULT));
    assert_fails(TH_E_ARG, "out is NULL", TH_promote_types(NULL, TH_BOOL, TH_BOOL));
    assert_int_equal(d, 77);
}

/* Operands of TH_result_type: "t:" a tensor with dimensions, "0:" a 0-dim tensor, "n:" a number. */
static THTensor *operand(const char *text) {
    THTensor *t = NULL;
    if (text[0] == 'n') {
        THScalar s = {.kind = text[2] == 'b' ? TH_SCALAR_BOOL : text[2] == 'i' ? TH_SCALAR_INT : TH_SCALAR_FLOAT};
        assert_ok(THTensor_new_scalar(&t, &s));
        return t;
    }
    THDtype dtype = -1;
    assert_ok(TH_dtype_find(&dtype, text + 2));
    return tensor_empty(dtype, (int64_t[]){2}, text[0] == 't');
}

/* Results of torch.result_type (2.x) for the same operands; by the rule of torch.Tensor's type promotion documentation.
 */
static void test_result_type(void **state) {
    (void)state;
    static const char *const cases[][4] = {{"t:float32", "t:float64", NULL, "float64"},
                                           {"t:float32", "0:float64", NULL, "float32"},
                                           {"t:float32", "n:float", NULL, "float32"},
                                           {"t:float16", "n:float", NULL, "float16"},
                                           {"t:bfloat16", "0:float16", NULL, "bfloat16"},
                                           {"t:int32", "n:int", NULL, "int32"},
                                           {"t:uint8", "n:int", NULL, "uint8"},
                                           {"t:int32", "n:float", NULL, "float32"},
                                           {"t:int64", "0:float16", NULL, "float16"},
                                           {"t:int32", "0:float64", NULL, "float64"},
                                           {"t:uint8", "0:int64", NULL, "uint8"},
                                           {"t:bool", "n:int", NULL, "int64"},
                                           {"t:bool", "n:bool", NULL, "bool"},
                                           {"t:bool", "0:uint8", NULL, "uint8"},
                                           {"t:bool", "n:float", NULL, "float32"},
                                           {"0:int32", "n:int", NULL, "int32"},
                                           {"0:int32", "n:float", NULL, "float32"},
                                           {"0:float16", "n:float", NULL, "float16"},
                                           {"0:bool", "n:int", NULL, "int64"},
                                           {"n:int", "n:float", NULL, "float32"},
                                           {"n:float", NULL, NULL, "float32"},
                                           {"n:int", "n:bool", NULL, "int64"},
                                           {"n:bool", NULL, NULL, "bool"},
                                           {"0:int32", "0:int64", NULL, "int64"},
                                           {"t:int8", "t:uint8", "n:float", "float32"},
                                           {"t:int8", "t:uint8", "0:int64", "int16"},
                                           {"t:int32", "0:float16", "n:float", "float16"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 2; turn++) { /* the order must not matter; NULL entries are skipped */
            THTensor *t[3] = {NULL};
            for (int k = 0; k < 3; k++)
                if (cases[i][k]) t[turn ? 2 - k : k] = operand(cases[i][k]);
            THDtype got = -7;
            assert_ok(TH_result_type(&got, (const THTensor *const *)t, 3));
            if (strcmp(TH_dtype_name(got), cases[i][3]) != 0)
                fail_msg("%s, %s, %s gave %s", cases[i][0], cases[i][1], cases[i][2], TH_dtype_name(got));
            for (int k = 0; k < 3; k++) THTensor_free(t[k]);
        }
}

static void test_result_type_fails(void **state) {
    (void)state;
    THDtype d = 77;
    const THTensor *none[2] = {NULL, NULL};
    assert_fails(TH_E_ARG, "TH_result_type: got no tensor", TH_result_type(&d, none, 2));
    assert_fails(TH_E_ARG, "got no tensor", TH_result_type(&d, NULL, 0));
    assert_fails(TH_E_ARG, "tensors is NULL", TH_result_type(&d, NULL, 1));
    assert_fails(TH_E_ARG, "out is NULL", TH_result_type(NULL, none, 2));
    assert_int_equal(d, 77);
}

static THDtype dtype_of_full(THScalar *value) {
    THTensor *t = NULL;
    assert_ok(TH_full(&t, NULL, 0, value, TH_DTYPE_DEFAULT));
    THDtype dtype = THTensor_dtype(t);
    THTensor_free(t);
    return dtype;
}

static void test_default_dtype(void **state) {
    (void)state;
    assert_int_equal(TH_default_dtype(), TH_FLOAT32);
    assert_fails(TH_E_TYPE, "TH_set_default_dtype: got int64, want a floating dtype", TH_set_default_dtype(TH_INT64));
    assert_fails(TH_E_TYPE, "got invalid", TH_set_default_dtype(TH_DTYPE_DEFAULT));
    static const THDtype dtypes[] = {TH_FLOAT64, TH_BFLOAT16, TH_FLOAT16, TH_FLOAT32};
    for (int i = 0; i < 4; i++) {
        THTensor *number = NULL, *three = NULL, *root = NULL, *ratio = NULL;
        THDtype d = TH_BOOL;
        assert_ok(TH_set_default_dtype(dtypes[i]));
        assert_int_equal(TH_default_dtype(), dtypes[i]);
        assert_int_equal(dtype_of_full(SCALAR_F(0.5)), dtypes[i]);
        assert_int_equal(dtype_of_full(SCALAR_I(1)), TH_INT64);
        assert_ok(THTensor_new_scalar(&number, SCALAR_F(0.5)));
        assert_ok(TH_full(&three, LIST(2), SCALAR_I(3), TH_INT32));
        assert_ok(TH_result_type(&d, (const THTensor *const[]){three, number}, 2));
        assert_int_equal(d, dtypes[i]);
        assert_ok(TH_sqrt(&root, three));
        assert_ok(TH_div(&ratio, three, three));
        assert_int_equal(THTensor_dtype(root), dtypes[i]);
        assert_int_equal(THTensor_dtype(ratio), dtypes[i]);
        THTensor_free(number), THTensor_free(three), THTensor_free(root), THTensor_free(ratio);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),        cmocka_unit_test(test_find_fails),
        cmocka_unit_test(test_promote_types),     cmocka_unit_test(test_result_type),
        cmocka_unit_test(test_result_type_fails), cmocka_unit_test(test_default_dtype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
