// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

namespace {

TEST(AbiObject, RetainReleaseAndTag) {
    Handle t = floats({1, 2, 3});
    EXPECT_EQ(wick_tag(t), static_cast<uint32_t>(WICK_TAG_TENSOR));
    EXPECT_EQ(wick_nbytes(t), 12);
    wick_retain(t);
    wick_release(t);
    EXPECT_EQ(read(t, 3), (std::vector<float>{1, 2, 3}));
    wick_retain(nullptr);
    wick_release(nullptr);
    EXPECT_EQ(wick_tag(nullptr), static_cast<uint32_t>(WICK_TAG_NONE));
    EXPECT_EQ(wick_nbytes(nullptr), 0);
}

TEST(AbiObject, ValueClearDropsObjectsOnly) {
    Handle t = floats({1});
    wick_retain(t);
    wick_value v = wick_v_object(t);
    wick_value_clear(&v);
    EXPECT_EQ(v.tag, static_cast<uint32_t>(WICK_TAG_NONE));
    wick_value_clear(&v);
    int64_t numbers[] = {1, 2};
    v = wick_v_ints(numbers, 2);
    wick_value_clear(&v);
    v = wick_v_unset();
    wick_value_clear(&v);
    wick_value_clear(nullptr);
    EXPECT_EQ(read(t, 1), std::vector<float>{1});
}

TEST(AbiObject, Strings) {
    Handle s;
    expect_ok(wick_string_new("Grüße", -1, s.out()));
    EXPECT_EQ(wick_tag(s), static_cast<uint32_t>(WICK_TAG_STRING));
    EXPECT_EQ(text(s), "Grüße");
    EXPECT_EQ(wick_nbytes(s), 7);
    expect_ok(wick_string_new("a\0b", 3, s.out()));
    EXPECT_EQ(text(s), std::string("a\0b", 3));
    const char *bytes = nullptr;
    expect_ok(wick_string_data(s, &bytes, nullptr));
    EXPECT_EQ(bytes[3], 0);
    expect_ok(wick_string_new(nullptr, 0, s.out()));
    EXPECT_EQ(text(s), "");
    wick_object *out = nullptr;
    expect_error(wick_string_new(nullptr, -1, &out), WICK_E_ARG, {"wick_string_new", "bytes", "NULL"});
    expect_error(wick_string_new("x", -2, &out), WICK_E_ARG, {"wick_string_new", "-2"});
    expect_error(wick_string_new("x", -1, nullptr), WICK_E_ARG, {"out"});
    EXPECT_EQ(out, nullptr);
    Handle t = floats({1});
    expect_error(wick_string_data(t, &bytes, nullptr), WICK_E_TYPE, {"wick_string_data", "Tensor", "String"});
    expect_error(wick_string_data(nullptr, &bytes, nullptr), WICK_E_ARG, {"wick_string_data", "NULL"});
}

TEST(AbiObject, ListsOwnWhatTheyHold) {
    Handle list;
    {
        Handle t = floats({1, 2});
        std::string gone = "a text";
        int64_t ints[] = {3, 4};
        wick_value nested[] = {wick_v_bool(1), wick_v_float(0.5)};
        wick_value values[] = {wick_v_object(t), wick_v_str(gone.c_str()), wick_v_ints(ints, 2),
                               wick_v_values(nested, 2), wick_v_none()};
        expect_ok(wick_list_new(values, 5, list.out()));
        gone = "overwritten";
        ints[0] = 0;
    }
    uint32_t n = 0;
    expect_ok(wick_list_count(list, &n));
    ASSERT_EQ(n, 5u);
    Result v[5];
    for (uint32_t i = 0; i < 5; i++) expect_ok(wick_list_get(list, i, &v[i]));
    EXPECT_EQ(read(v[0]->u.o, 2), (std::vector<float>{1, 2}));
    EXPECT_EQ(text(v[1]->u.o), "a text");
    EXPECT_EQ(v[4]->tag, static_cast<uint32_t>(WICK_TAG_NONE));
    Result item;
    ASSERT_EQ(v[2]->tag, static_cast<uint32_t>(WICK_TAG_LIST));
    expect_ok(wick_list_get(v[2]->u.o, 0, &item));
    EXPECT_EQ(item->u.i, 3);
    expect_ok(wick_list_get(v[3]->u.o, 1, &item));
    EXPECT_EQ(item->u.f, 0.5);
    EXPECT_EQ(wick_nbytes(list), 8 + 6);
    expect_error(wick_list_get(list, 5, &item), WICK_E_INDEX, {"wick_list_get", "5"});
    expect_error(wick_list_count(v[0]->u.o, &n), WICK_E_TYPE, {"Tensor", "List"});
}

TEST(AbiObject, BadItemsAreRefused) {
    Handle t = floats({1});
    wick_object *out = nullptr;
    wick_value wrong_kind = wick_v_pointer(WICK_TAG_MODULE, 0, static_cast<wick_object *>(t));
    wick_value null_object = wick_v_pointer(WICK_TAG_TENSOR, 0, nullptr);
    wick_value null_list = wick_v_ints(nullptr, 3);
    wick_value unknown = wick_v_tagged(33, 0, 0);
    wick_value inner = wick_v_values(&null_object, 1);
    expect_error(wick_list_new(&wrong_kind, 1, &out), WICK_E_TYPE, {"wick_list_new", "Module", "Tensor"});
    expect_error(wick_list_new(&null_object, 1, &out), WICK_E_ARG, {"NULL Tensor"});
    expect_error(wick_list_new(&null_list, 1, &out), WICK_E_ARG, {"NULL", "3"});
    expect_error(wick_list_new(&unknown, 1, &out), WICK_E_TYPE, {"33"});
    expect_error(wick_list_new(&inner, 1, &out), WICK_E_ARG, {"NULL Tensor"});
    expect_error(wick_list_new(nullptr, 1, &out), WICK_E_ARG, {"values"});
    EXPECT_EQ(out, nullptr);
    Handle empty;
    expect_ok(wick_list_new(nullptr, 0, empty.out()));
}

TEST(AbiObject, ListsNestedDeepOrShared) {
    std::vector<wick_value> deep(200'000, wick_v_none());
    for (size_t i = 1; i < deep.size(); i++) deep[i] = wick_v_values(&deep[i - 1], 1);
    Handle list;
    expect_ok(wick_list_new(&deep.back(), 1, list.out()));
    EXPECT_EQ(wick_nbytes(list), 0);
    Handle same;
    expect_ok(wick_list_new(&deep.back(), 1, same.out()));
    // As an argument: checked and refused without recursion.
    wick_class *sequential = nullptr;
    expect_ok(wick_class_find("nn", "Sequential", &sequential));
    wick_object *net = nullptr;
    expect_error(wick_class_new(sequential, &deep.back(), 1, &net, nullptr), WICK_E_TYPE, {"a list of 1", "Module"});
    // [l, l] 40 deep, of Lists and of views
    Handle l = floats({1, 2});
    for (int i = 0; i < 40; i++) {
        wick_value both[] = {wick_v_object(l), wick_v_object(l)};
        Handle next;
        expect_ok(wick_list_new(both, 2, next.out()));
        l = std::move(next);
    }
    EXPECT_EQ(wick_nbytes(l), 2 * 8); // the tensor, which the innermost list holds twice
    wick_value pairs[40][2];
    for (wick_value(&pair)[2] : pairs)
        for (wick_value &v : pair) v = &pair == pairs ? wick_v_int(1) : wick_v_values(*(&pair - 1), 2);
    expect_ok(wick_list_new(pairs[39], 2, list.out()));
    wick_value loop = wick_v_values(&loop, 1);
    wick_object *none = nullptr;
    expect_error(wick_list_new(&loop, 1, &none), WICK_E_ARG, {"holds itself"});
}

} // namespace
