// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"
#include <thread>

namespace {

struct DLTensor { // DLPack 1.0
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(DLManagedTensorVersioned *);
    uint64_t flags;
    DLTensor tensor;
};

TEST(AbiTensor, DescribesItself) {
    Handle t = floats({1, 2, 3, 4, 5, 6}, {2, 3});
    int32_t dtype = -1;
    uint64_t device = 99;
    int64_t sizes[4] = {-1, -1, -1, -1};
    uint32_t ndim = 0;
    expect_ok(wick_tensor_dtype(t, &dtype));
    expect_ok(wick_tensor_device(t, &device));
    expect_ok(wick_tensor_sizes(t, 4, sizes, &ndim));
    EXPECT_EQ(dtype, WICK_FLOAT32);
    EXPECT_EQ(device, 0u);
    EXPECT_EQ(ndim, 2u);
    EXPECT_EQ(sizes[0], 2);
    EXPECT_EQ(sizes[1], 3);
    EXPECT_EQ(sizes[2], -1);
    expect_ok(wick_tensor_strides(t, 1, sizes, nullptr)); // cap below the number
    EXPECT_EQ(sizes[0], 3);
    EXPECT_EQ(sizes[1], 3);
    expect_ok(wick_tensor_sizes(t, 0, nullptr, &ndim));
    Handle s;
    expect_ok(wick_tensor_string(t, 0, s.out()));
    EXPECT_EQ(text(s), "float32[2, 3]");
    expect_ok(wick_tensor_string(t, 1, s.out()));
    EXPECT_NE(text(s).find("[1, 2, 3]"), std::string::npos) << text(s);
}

TEST(AbiTensor, EmptyOfEveryDtype) {
    int64_t sizes[] = {2, 0, 3};
    for (int32_t dtype = WICK_BOOL; dtype <= WICK_FLOAT64; dtype++) {
        Handle t;
        expect_ok(wick_tensor_empty(dtype, 0, sizes, 3, t.out()));
        int32_t got = -1;
        expect_ok(wick_tensor_dtype(t, &got));
        EXPECT_EQ(got, dtype);
    }
    wick_object *out = nullptr;
    expect_error(wick_tensor_empty(10, 0, sizes, 3, &out), WICK_E_TYPE, {"wick_tensor_empty", "10"});
    expect_error(wick_tensor_empty(WICK_FLOAT32, 1, sizes, 3, &out), WICK_E_DEVICE, {"device"});
    expect_error(wick_tensor_empty(WICK_FLOAT32, 0, nullptr, 3, &out), WICK_E_ARG, {"sizes"});
    expect_error(wick_tensor_empty(WICK_FLOAT32, 0, sizes, 65, &out), WICK_E_SHAPE, {"65", "64"});
    int64_t negative = -1, huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    EXPECT_NE(wick_tensor_empty(WICK_FLOAT32, 0, &negative, 1, &out), WICK_OK);
    EXPECT_NE(wick_tensor_empty(WICK_FLOAT32, 0, huge, 2, &out), WICK_OK);
    EXPECT_NE(wick_tensor_from_data(&negative, WICK_FLOAT32, huge, 2, &out), WICK_OK);
    expect_error(wick_tensor_from_data(nullptr, WICK_FLOAT32, sizes + 2, 1, &out), WICK_E_ARG, {"data"});
    EXPECT_EQ(out, nullptr);
}

TEST(AbiTensor, WrongHandles) {
    Handle s;
    expect_ok(wick_string_new("x", 1, s.out()));
    int32_t i = 7;
    expect_error(wick_tensor_dtype(s, &i), WICK_E_TYPE, {"wick_tensor_dtype", "String", "Tensor"});
    expect_error(wick_tensor_dtype(nullptr, &i), WICK_E_ARG, {"wick_tensor_dtype", "NULL"});
    EXPECT_EQ(i, 7);
}

TEST(AbiTensor, Item) {
    Result v;
    expect_ok(wick_tensor_item(floats({2.5f}), &v));
    EXPECT_EQ(v->tag, static_cast<uint32_t>(WICK_TAG_FLOAT));
    EXPECT_EQ(v->u.f, 2.5);
    int64_t number = 7;
    uint8_t yes = 1;
    Handle t;
    expect_ok(wick_tensor_from_data(&number, WICK_INT64, nullptr, 0, t.out()));
    expect_ok(wick_tensor_item(t, &v));
    EXPECT_EQ(v->tag, static_cast<uint32_t>(WICK_TAG_INT));
    EXPECT_EQ(v->u.i, 7);
    expect_ok(wick_tensor_from_data(&yes, WICK_BOOL, nullptr, 0, t.out()));
    expect_ok(wick_tensor_item(t, &v));
    EXPECT_EQ(v->tag, static_cast<uint32_t>(WICK_TAG_BOOL));
    EXPECT_EQ(v->u.i, 1);
    expect_error(wick_tensor_item(floats({1, 2}), &v), WICK_E_SHAPE, {"[2]"});
}

TEST(AbiTensor, VersionCountsTouches) {
    Handle t = floats({1});
    uint64_t before = 0, after = 0;
    expect_ok(wick_tensor_version(t, &before));
    expect_ok(wick_tensor_touch(t));
    expect_ok(wick_tensor_version(t, &after));
    EXPECT_GT(after, before);
}

TEST(AbiTensor, BlobWithStridesAndDeleter) {
    std::vector<float> memory = {0, 1, 2, 3, 4, 5};
    int64_t sizes[] = {3, 2}, strides[] = {1, 3};
    int deleted = 0;
    auto deleter = [](void *user) { ++*static_cast<int *>(user); };
    Handle t;
    expect_ok(wick_tensor_from_blob(memory.data(), WICK_FLOAT32, 0, sizes, strides, 2, WICK_ANY_THREAD, deleter,
                                    &deleted, t.out()));
    Handle twice = call("add", {wick_v_object(t), wick_v_object(t)});
    EXPECT_EQ(read(twice, 6), (std::vector<float>{0, 6, 2, 8, 4, 10}));
    EXPECT_EQ(deleted, 0);
    t = Handle();
    EXPECT_EQ(deleted, 1);
}

TEST(AbiTensor, BlobDeleterWaitsForItsThread) {
    float x = 1;
    int64_t one = 1;
    int deleted = 0;
    auto deleter = [](void *user) { ++*static_cast<int *>(user); };
    wick_object *t = nullptr;
    expect_ok(wick_tensor_from_blob(&x, WICK_FLOAT32, 0, &one, nullptr, 1, 0, deleter, &deleted, &t));
    std::thread([&] {
        wick_release(t);
        floats({1}); // another thread's calls do not run it
    }).join();
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(wick_drain(), 1u);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(wick_drain(), 0u);

    expect_ok(wick_tensor_from_blob(&x, WICK_FLOAT32, 0, &one, nullptr, 1, 0, deleter, &deleted, &t));
    wick_release(t);
    EXPECT_EQ(deleted, 1) << "release must not call back";
    floats({1});
    EXPECT_EQ(deleted, 2) << "the next call of the thread runs it";
}

TEST(AbiTensor, BlobDeleterOfAnEndedThread) {
    static float x = 1;
    static int deleted = 0;
    auto deleter = [](void *) { ++deleted; };
    wick_object *later = nullptr;
    std::thread([&] {
        int64_t one = 1;
        wick_object *now = nullptr;
        wick_tensor_from_blob(&x, WICK_FLOAT32, 0, &one, nullptr, 1, 0, deleter, nullptr, &now);
        wick_tensor_from_blob(&x, WICK_FLOAT32, 0, &one, nullptr, 1, 0, deleter, nullptr, &later);
        wick_release(now);
    }).join();
    EXPECT_EQ(deleted, 1) << "at the thread's end";
    wick_release(later);
    EXPECT_EQ(deleted, 2) << "nobody is left to wait for";
}

TEST(AbiTensor, FailedBlobLeavesTheMemoryAlone) {
    float x[4] = {};
    int64_t sizes[] = {2, 2}, bad[] = {-1, 1}, far[] = {INT64_MAX / 2, 1};
    int deleted = 0;
    auto deleter = [](void *user) { ++*static_cast<int *>(user); };
    wick_object *out = nullptr;
    expect_error(wick_tensor_from_blob(x, WICK_FLOAT32, 0, sizes, bad, 2, 1, deleter, &deleted, &out), WICK_E_SHAPE,
                 {"-1"});
    expect_error(wick_tensor_from_blob(x, WICK_FLOAT32, 0, sizes, far, 2, 1, deleter, &deleted, &out), WICK_E_SHAPE,
                 {"wick_tensor_from_blob"});
    expect_error(wick_tensor_from_blob(nullptr, WICK_FLOAT32, 0, sizes, nullptr, 2, 1, deleter, &deleted, &out),
                 WICK_E_ARG, {"data"});
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(out, nullptr);
}

TEST(AbiTensor, ReadOnlyBlobRefusesWrites) {
    static const float x[2] = {1, 2};
    int64_t n = 2;
    Handle t;
    expect_ok(wick_tensor_from_blob(const_cast<float *>(x), WICK_FLOAT32, 0, &n, nullptr, 1, WICK_BLOB_READONLY,
                                    nullptr, nullptr, t.out()));
    wick_value args[] = {wick_v_object(t), wick_v_float(3)};
    Result r;
    EXPECT_NE(wick_op_call(op("fill_"), args, 2, &r, 1, nullptr), WICK_OK);
    Raised e(wick_error_take());
    EXPECT_EQ(x[0], 1);
}

TEST(AbiTensor, DlpackRoundTrip) {
    Handle t = floats({1, 2, 3, 4, 5, 6}, {2, 3}), back;
    void *managed = nullptr;
    expect_ok(wick_tensor_to_dlpack(t, 0, &managed));
    auto *m = static_cast<DLManagedTensorVersioned *>(managed);
    EXPECT_EQ(m->major, 1u);
    EXPECT_EQ(m->tensor.ndim, 2);
    EXPECT_EQ(m->tensor.shape[1], 3);
    EXPECT_EQ(m->tensor.code, 2); // kDLFloat
    EXPECT_EQ(m->tensor.bits, 32);
    expect_ok(wick_tensor_from_dlpack(managed, back.out()));
    void *a = nullptr, *b = nullptr;
    expect_ok(wick_tensor_data(t, &a));
    expect_ok(wick_tensor_data(back, &b));
    EXPECT_EQ(a, b);
    t = Handle();
    EXPECT_EQ(read(back, 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    expect_error(wick_tensor_to_dlpack(back, 1, &managed), WICK_E_DEVICE, {"stream"});
}

TEST(AbiTensor, DlpackOfAnotherMajorStaysTheCallers) {
    float x = 1;
    int64_t one = 1;
    static int deleted = 0;
    DLManagedTensorVersioned m = {
        2, 0, nullptr, [](DLManagedTensorVersioned *) { deleted++; }, 0, {&x, 1, 0, 1, 2, 32, 1, &one, nullptr, 0}};
    wick_object *out = nullptr;
    expect_error(wick_tensor_from_dlpack(&m, &out), WICK_E_ABI, {"dlpack"});
    expect_error(wick_tensor_from_dlpack(nullptr, &out), WICK_E_ARG, {"managed"});
    EXPECT_EQ(out, nullptr);
    EXPECT_EQ(deleted, 0);
    m.major = 1;
    Handle t;
    expect_ok(wick_tensor_from_dlpack(&m, t.out()));
    t = Handle();
    EXPECT_EQ(deleted, 1);
}

} // namespace
