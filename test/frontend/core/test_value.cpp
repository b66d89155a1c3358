// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/options.hpp"

using namespace wick;
using namespace wick::test;

namespace {

const int64_t INTS[3] = {1, 2, 3};
const double FLOATS[2] = {0.5, 2};
const Value INT_LIST{WICK_TAG_INTS, 3, {.ints = INTS}};
const Value FLOAT_LIST{WICK_TAG_FLOATS, 2, {.floats = FLOATS}};
const Value TEXT{WICK_TAG_STR, 3, {.s = "abcd"}};

} // namespace

TEST(Value, RoundTripsNumbersAndText) {
    EXPECT_EQ(unbox<int64_t>(box(int64_t{1} << 40)), int64_t{1} << 40);
    EXPECT_EQ(unbox<int32_t>(box(-7)), -7);
    EXPECT_EQ(unbox<double>(box(0.5F)), 0.5);
    EXPECT_EQ(unbox<double>(box(3)), 3);
    EXPECT_TRUE(unbox<bool>(box(true)));
    EXPECT_EQ(unbox<DType>(box(kFLOAT16)), kFLOAT16);
    EXPECT_EQ(unbox<Scalar>(box(Scalar(2.5))).to_double(), 2.5);
    EXPECT_EQ(unbox<Scalar>(box(Scalar(true))).kind, TH_SCALAR_BOOL);
    EXPECT_EQ(unbox<std::string_view>(TEXT), "abc");
    OwnedValue text(box("long text"));
    EXPECT_EQ(unbox<std::string>(text), "long text");
    EXPECT_EQ(unbox<std::optional<int64_t>>(Value{}), std::nullopt);
    EXPECT_EQ(*unbox<std::optional<double>>(box(1.5)), 1.5);
}

TEST(Value, RoundTripsLists) {
    EXPECT_EQ(unbox<Sizes>(INT_LIST).data(), INTS);
    EXPECT_EQ(unbox<Sizes>(Value{}).size(), 0u);
    EXPECT_EQ(unbox<Dims>(INT_LIST), (std::vector<int32_t>{1, 2, 3}));
    EXPECT_EQ(unbox<std::vector<double>>(FLOAT_LIST), (std::vector<double>{0.5, 2}));
    EXPECT_EQ(unbox<std::vector<double>>(INT_LIST), (std::vector<double>{1, 2, 3}));
    OwnedValue ints(box(std::vector<int64_t>{4, 5}));
    EXPECT_EQ(unbox<std::vector<int64_t>>(ints), (std::vector<int64_t>{4, 5}));
    OwnedValue words(box(std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(unbox<std::vector<std::string>>(words), (std::vector<std::string>{"a", "b"}));
    Value one = box(9);
    EXPECT_EQ(unbox<Sizes>(one)[0], 9);
    EXPECT_EQ(unbox<Pair>(one).v[1], 9);
}

TEST(Value, SharesTensors) {
    Tensor t = ones({2});
    uint32_t before = t.impl()->refs();
    {
        OwnedValue v(box(t)), list(box(std::vector<Tensor>{t, t}));
        EXPECT_EQ(t.impl()->refs(), before + 3);
        EXPECT_EQ(unbox<Tensor>(v).impl(), t.impl());
        EXPECT_EQ(unbox<std::vector<Tensor>>(list)[1].impl(), t.impl());
        OwnedValue again(copy(list));
        EXPECT_EQ(unbox<Ref<Object>>(v).get(), t.impl());
    }
    EXPECT_EQ(t.impl()->refs(), before);
    EXPECT_EQ(box(Tensor()).tag, uint32_t{WICK_TAG_NONE});
    EXPECT_FALSE(unbox<Tensor>(Value{}).defined());
    EXPECT_EQ(unbox<Tensor>(box(2.5)).item<double>(), 2.5);
}

TEST(Value, CopiesOwnTheirContent) {
    OwnedValue text(copy(TEXT)), ints(copy(INT_LIST)), floats(copy(FLOAT_LIST));
    EXPECT_EQ(unbox<std::string>(text), "abc");
    EXPECT_EQ(unbox<std::vector<int64_t>>(ints), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(unbox<std::vector<double>>(floats), (std::vector<double>{0.5, 2}));
    const Value items[2] = {TEXT, INT_LIST};
    OwnedValue list(copy(Value{WICK_TAG_VALUES, 2, {.values = items}}));
    EXPECT_EQ(unbox_items(list).size(), 2u);
    EXPECT_TRUE(is_object(unbox_items(list)[0]) && is_object(unbox_items(list)[1]));
}

TEST(Value, RefusesOtherKinds) {
    auto fails = [](auto f) { return error_of(f); };
    EXPECT_EQ(fails([] { unbox<int64_t>(box(1.5)); }), "TypeError: value: got float 1.5, want int");
    EXPECT_EQ(fails([] { unbox<bool>(box(1)); }), "TypeError: value: got int 1, want bool");
    EXPECT_EQ(fails([] { unbox<double>(TEXT); }), "TypeError: value: got str 'abc', want float");
    EXPECT_EQ(fails([] { unbox<Tensor>(INT_LIST); }), "TypeError: value: got int[3], want Tensor");
    EXPECT_EQ(fails([] { unbox<std::string_view>(Value{}); }), "TypeError: value: got None, want str");
    EXPECT_EQ(fails([] { unbox<std::vector<Tensor>>(box(1)); }), "TypeError: value: got int 1, want list");
    EXPECT_EQ(fails([] { unbox<int32_t>(box(int64_t{1} << 31)); }),
              "ArgumentError: value: got int 2147483648, want an int of 32 bits");
    EXPECT_EQ(fails([] { unbox<DType>(make_value(WICK_TAG_DTYPE, 77)); }),
              "TypeError: value: got dtype invalid, want dtype");
    EXPECT_EQ(fails([] { unbox<Pair>(INT_LIST); }), "ArgumentError: value: got int[3], want one or two int");
    EXPECT_EQ(fails([] { unbox<std::array<double, 3>>(FLOAT_LIST); }),
              "ArgumentError: value: got float[2], want float[3]");
    EXPECT_EQ(fails([] { unbox<Ref<Object>>(box(1)); }), "TypeError: value: got int 1, want an object");
}

TEST(Value, DescribesEverything) {
    EXPECT_EQ(describe(box(false)), "bool False");
    EXPECT_EQ(describe(OwnedValue(box(ones({2, 3})))), "Tensor float32[2, 3]");
    EXPECT_EQ(describe(OwnedValue(box(std::vector<int>{1, 2}))), "a list of 2");
    EXPECT_EQ(describe(OwnedValue(box(std::string(50, 'x')))), "str '" + std::string(40, 'x') + "...'");
    EXPECT_EQ(describe(make_value(WICK_TAG_UNSET, 0)), "an unset value");
    EXPECT_EQ(describe(make_value(63, 0)), "a value with the unknown tag 63");
}

// Views in views as a host may make them.
TEST(Value, CopiesListsNestedDeep) {
    constexpr size_t DEPTH = 200'000;
    std::vector<Value> nested(DEPTH);
    for (size_t i = 1; i < DEPTH; i++) nested[i] = {WICK_TAG_VALUES, 1, {.values = &nested[i - 1]}};
    OwnedValue list(copy(nested.back()));
    size_t depth = 0;
    for (Value v = list; v.tag == WICK_TAG_LIST; v = unbox_items(v)[0]) depth++;
    EXPECT_EQ(depth, DEPTH - 1);
    EXPECT_EQ(describe(list), "a list of 1");
}

TEST(Value, CopiesSharedListsOnce) {
    Value pairs[35][2] = {{box(1), box(2)}};
    for (size_t i = 1; i < 35; i++)
        for (Value &v : pairs[i]) v = {WICK_TAG_VALUES, 2, {.values = pairs[i - 1]}};
    OwnedValue list(copy(pairs[34][0]));
    std::span<const Value> items = unbox_items(list);
    EXPECT_EQ(items[0].u.o, items[1].u.o);
    EXPECT_EQ(object(items[0].u.o)->refs(), 2u);
    Value loop[1];
    loop[0] = {WICK_TAG_VALUES, 1, {.values = loop}};
    EXPECT_EQ(error_of([&] { copy(loop[0]); }),
              "ArgumentError: value: got a list that holds itself, want one that ends");
}
