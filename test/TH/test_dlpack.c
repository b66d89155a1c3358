/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/oom.h"
#include "support/tensors.h"

#include <pthread.h>

/* DLPack 1.x as another library would declare it (https://dmlc.github.io/dlpack/latest/c_api.html). */
typedef struct managed {
    uint32_t major, minor;
    void *ctx;
    void (*deleter)(struct managed *self);
    uint64_t flags;
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} managed;

static THTensor *const untouched = (THTensor *)0x1234;
static int deleted;

static void count(managed *m) {
    (void)m;
    deleted++;
}

static const struct {
    THDtype dtype;
    int code, bits;
} types[] = {{TH_BOOL, 6, 8},   {TH_UINT8, 1, 8},    {TH_INT8, 0, 8},      {TH_INT16, 0, 16},   {TH_INT32, 0, 32},
             {TH_INT64, 0, 64}, {TH_FLOAT16, 2, 16}, {TH_BFLOAT16, 4, 16}, {TH_FLOAT32, 2, 32}, {TH_FLOAT64, 2, 64}};

static void test_layout(void **state) {
    (void)state;
    assert_int_equal(offsetof(managed, data), 32);
    assert_int_equal(offsetof(managed, shape), 56);
    assert_int_equal(sizeof(managed), 80);
}

static void test_export(void **state) {
    (void)state;
    for (int i = 0; i < TH_DTYPE_COUNT; i++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            THTensor *t = tensor_in_layout(types[i].dtype, LIST(2, 3), layout);
            managed *m = NULL;
            assert_ok(THTensor_to_dlpack((void **)&m, t));
            assert_int_equal(m->major, 1);
            assert_int_equal(m->flags, 0);
            assert_ptr_equal((char *)m->data + m->byte_offset, THTensor_data(t));
            assert_int_equal(m->device_type, 1);
            assert_int_equal(m->device_id, 0);
            assert_true(m->code == types[i].code && m->bits == types[i].bits && m->lanes == 1);
            assert_int_equal(m->ndim, 2);
            assert_memory_equal(m->shape, THTensor_sizes(t), 16);
            assert_memory_equal(m->strides, THTensor_strides(t), 16);
            THTensor_free(t);
            ((char *)m->data)[0] = 1; /* alive without the tensor */
            m->deleter(m);
        }
}

static void test_import(void **state) {
    (void)state;
    static int64_t bytes[16];
    for (int i = 0; i < TH_DTYPE_COUNT; i++) {
        int64_t shape[] = {2, 2}, strides[] = {1, 2}, size = types[i].bits / 8;
        managed m = {.major = 1, .minor = 7, .deleter = count, .data = bytes, .device_type = 1, .ndim = 2};
        m.code = (uint8_t)types[i].code, m.bits = (uint8_t)types[i].bits, m.lanes = 1;
        m.shape = shape, m.strides = strides, m.byte_offset = (uint64_t)size;
        THTensor *t = NULL;
        deleted = 0;
        assert_ok(THTensor_from_dlpack(&t, &m));
        assert_is(t, types[i].dtype, 2, 2);
        assert_ptr_equal(THTensor_data(t), (char *)bytes + size);
        assert_ptr_equal(support_address(t, 3), (char *)bytes + 4 * size);
        assert_int_equal(THStorage_is_readonly(THTensor_storage(t)), 0);
        assert_int_equal(deleted, 0);
        THTensor *v = NULL;
        assert_ok(THTensor_select(&v, t, 0, 1));
        THTensor_free(t);
        assert_int_equal(deleted, 0);
        THTensor_free(v);
        assert_int_equal(deleted, 1);
    }
}

static managed floats(float *data, int64_t *shape, int64_t *strides, int32_t ndim) {
    return (managed){.major = 1,
                     .deleter = count,
                     .data = data,
                     .device_type = 1,
                     .ndim = ndim,
                     .code = 2,
                     .bits = 32,
                     .lanes = 1,
                     .shape = shape,
                     .strides = strides};
}

static void test_import_details(void **state) {
    (void)state;
    static float data[6];
    int64_t shape[] = {2, 3}, odd[] = {-7, 1}, line[] = {1, 3}, none[] = {0, 3};
    managed m = floats(data, shape, NULL, 2); /* no strides: row-major */
    THTensor *t = NULL;
    deleted = 0;
    m.flags = 1;
    assert_ok(THTensor_from_dlpack(&t, &m));
    assert_int_equal(THTensor_is_contiguous(t), 1);
    assert_int_equal(THStorage_is_readonly(THTensor_storage(t)), 1);
    managed *again = NULL;
    assert_ok(THTensor_to_dlpack((void **)&again, t));
    assert_int_equal(again->flags & 1, 1);
    again->deleter(again);
    THTensor_free(t);
    m = floats(data, line, odd, 2); /* a dimension that does not move */
    assert_ok(THTensor_from_dlpack(&t, &m));
    THTensor_free(t);
    m = floats(NULL, none, NULL, 2); /* nothing at no address, and no deleter */
    m.deleter = NULL;
    assert_ok(THTensor_from_dlpack(&t, &m));
    assert_is(t, TH_FLOAT32, 0, 3);
    THTensor_free(t);
    m = floats(data, NULL, NULL, 0);
    assert_ok(THTensor_from_dlpack(&t, &m));
    assert_int_equal(THTensor_ndim(t), 0);
    THTensor_free(t);
    m = floats(data, shape, NULL, 2); /* CUDA, device 3 */
    m.device_type = 2, m.device_id = 3;
    assert_ok(THTensor_from_dlpack(&t, &m));
    assert_true(THTensor_device(t) == ((THDevice)1 << 32 | 3));
    assert_ok(THTensor_to_dlpack((void **)&again, t));
    assert_int_equal(again->device_type, 2);
    assert_int_equal(again->device_id, 3);
    again->deleter(again);
    THTensor_free(t);
    assert_int_equal(deleted, 4);
}

static void test_import_fails(void **state) {
    (void)state;
    static float data[8];
    int64_t shape[] = {2, 3}, negative[] = {-3, 1}, bad[] = {2, -3}, huge[] = {INT64_MAX / 4, 1}, zeros[] = {0, 0};
    int64_t many[] = {INT64_MAX, 1};
    THTensor *t = untouched;
    deleted = 0;
    managed m = floats(data, shape, NULL, 2);
    m.major = 2;
    assert_fails(TH_E_ABI, "THTensor_from_dlpack: got DLPack version 2.0, want 1.x", THTensor_from_dlpack(&t, &m));
    m.major = 0;
    assert_fails(TH_E_ABI, "version 0.0", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, NULL, 2), m.code = 5; /* complex */
    assert_fails(TH_E_TYPE, "got type code 5 of 32 bits and 1 lanes", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, NULL, 2), m.lanes = 4;
    assert_fails(TH_E_TYPE, "4 lanes", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, NULL, 2), m.device_type = 0;
    assert_fails(TH_E_DEVICE, "got device 0:0", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, negative, 2);
    assert_fails(TH_E_UNSUPPORTED, "got stride -3, want none below 0", THTensor_from_dlpack(&t, &m));
    m = floats(data, bad, NULL, 2);
    assert_fails(TH_E_SHAPE, "got sizes [2, -3]", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, huge, 2);
    assert_fails(TH_E_SHAPE, "2^63", THTensor_from_dlpack(&t, &m));
    m = floats(data, many, zeros, 2);
    assert_fails(TH_E_SHAPE, "2^63", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, NULL, 65);
    assert_fails(TH_E_SHAPE, "got 65 dimensions", THTensor_from_dlpack(&t, &m));
    m = floats(NULL, shape, NULL, 2);
    assert_fails(TH_E_ARG, "data is NULL", THTensor_from_dlpack(&t, &m));
    m = floats(data, NULL, NULL, 2);
    assert_fails(TH_E_ARG, "sizes is NULL", THTensor_from_dlpack(&t, &m));
    m = floats(data, shape, NULL, 2), m.byte_offset = 2;
    assert_fails(TH_E_ARG, "no multiple of 4", THTensor_from_dlpack(&t, &m));
    assert_fails(TH_E_ARG, "managed is NULL", THTensor_from_dlpack(&t, NULL));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_from_dlpack(NULL, &m));
    assert_ptr_equal(t, untouched);
    assert_int_equal(deleted, 0); /* all of them stay the caller's */
}

static void test_export_fails(void **state) {
    (void)state;
    THTensor *number = NULL;
    void *m = untouched;
    assert_ok(THTensor_new_scalar(&number, SCALAR_F(1)));
    assert_fails(TH_E_TYPE, "THTensor_to_dlpack: got a number", THTensor_to_dlpack(&m, number));
    assert_fails(TH_E_ARG, "t is NULL", THTensor_to_dlpack(&m, NULL));
    assert_fails(TH_E_ARG, "managed is NULL", THTensor_to_dlpack(NULL, number));
    assert_ptr_equal(m, untouched);
    THTensor_free(number);
}

static void *delete_it(void *arg) {
    managed *m = arg;
    m->deleter(m);
    return NULL;
}

/* Out and in again shares memory; the deleter may run on another thread. */
static void test_round_trip(void **state) {
    (void)state;
    int64_t before = support_allocated();
    THTensor *t = tensor_random(TH_FLOAT64, LIST(3, 4), -1, 1, 1), *back = NULL;
    void *m = NULL;
    pthread_t thread;
    assert_ok(THTensor_to_dlpack(&m, t));
    assert_ok(THTensor_from_dlpack(&back, m));
    assert_ptr_equal(THTensor_data(back), THTensor_data(t));
    assert_same(back, t);
    THTensor_free(back);
    assert_ok(THTensor_to_dlpack(&m, t));
    THTensor_free(t);
    pthread_create(&thread, NULL, delete_it, m);
    pthread_join(thread, NULL);
    assert_int_equal(support_allocated(), before);
}

static void out_and_in(void *arg) {
    static float data[6];
    int64_t shape[] = {2, 3};
    managed m = floats(data, shape, NULL, 2), *out = (managed *)untouched;
    THTensor *t = untouched;
    deleted = 0;
    THStatus status = THTensor_from_dlpack(&t, &m);
    assert_int_equal(deleted, 0);
    if (status == TH_OK) {
        THTensor_free(t);
        assert_int_equal(deleted, 1);
    } else {
        assert_int_equal(status, TH_E_MEMORY);
        assert_ptr_equal(t, untouched);
    }
    status = THTensor_to_dlpack((void **)&out, arg);
    if (status == TH_OK) {
        out->deleter(out);
    } else {
        assert_int_equal(status, TH_E_MEMORY);
        assert_ptr_equal(out, untouched);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    THTensor *t = tensor_empty(TH_FLOAT32, LIST(2, 3));
    oom_each(out_and_in, t);
    assert_int_equal(THStorage_refcount(THTensor_storage(t)), 1);
    THTensor_free(t);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),       cmocka_unit_test(test_export),
        cmocka_unit_test(test_import),       cmocka_unit_test(test_import_details),
        cmocka_unit_test(test_import_fails), cmocka_unit_test(test_export_fails),
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
