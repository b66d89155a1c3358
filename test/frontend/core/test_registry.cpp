// SPDX-License-Identifier: BSD-3-Clause
#include "support/errors.hpp"
#include "wick/registry.hpp"
#include <gtest/gtest.h>

using namespace wick;

TEST(Registry, EveryNameOnceAndFound) {
    EXPECT_GT(op_count(), 150u);
    for (size_t i = 0; i < op_count(); i++) {
        const Op &op = op_at(i);
        EXPECT_EQ(find_op(op.schema.name), &op);
        EXPECT_FALSE(op.doc.empty()) << op.schema.name;
        EXPECT_EQ(op.doc.back(), '.') << op.schema.name;
    }
    EXPECT_EQ(find_op("nonsense"), nullptr);
    EXPECT_WICK_ERROR(op_at(op_count()), TH_E_INDEX, "op_at");
}

TEST(Registry, CallChecksItsArguments) {
    const Op *op = find_op("leaky_relu");
    Value result{}, number{WICK_TAG_FLOAT, 0, {.f = 2}}, text{WICK_TAG_STR, 1, {.s = "x"}};
    Value three[] = {number, number, number}, wrong[] = {text}, second[] = {number, text};
    EXPECT_WICK_ERROR(op->call({}, {&result, 1}), TH_E_ARG, "no value for argument 1, want Tensor x");
    EXPECT_WICK_ERROR(op->call(three, {&result, 1}), TH_E_ARG, "3 arguments, want at most 2");
    EXPECT_WICK_ERROR(op->call(wrong, {&result, 1}), TH_E_TYPE, "leaky_relu: got str");
    EXPECT_WICK_ERROR(op->call(second, {&result, 1}), TH_E_TYPE, "want float negative_slope");
    EXPECT_WICK_ERROR(op->call({&number, 1}, {}), TH_E_ARG, "room for 0 results");
}

TEST(Bind, ConvertsAndFillsIn) {
    const Op *op = find_op("max_pool2d");
    Value pair[] = {{WICK_TAG_INT, 0, {.i = 3}}, {WICK_TAG_INT, 0, {.i = 4}}};
    Value args[] = {{WICK_TAG_FLOAT, 0, {.f = 1}}, {WICK_TAG_INT, 0, {.i = 2}}, {WICK_TAG_VALUES, 2, {.values = pair}}},
          bound[6];
    BindScratch scratch;
    bind_arguments("here", op->schema.arguments, args, bound, scratch);
    EXPECT_EQ(bound[1].tag, uint32_t{WICK_TAG_INTS}); // one value is both
    ASSERT_EQ(bound[1].aux, 2u);
    EXPECT_EQ(bound[1].u.ints[1], 2);
    ASSERT_EQ(bound[2].aux, 2u); // a list of values
    EXPECT_EQ(bound[2].u.ints[1], 4);
    EXPECT_EQ(bound[3].u.ints[0], 0); // a default
    EXPECT_EQ(bound[5].u.i, 0);
    int64_t three[] = {1, 2, 3};
    args[1] = {WICK_TAG_INTS, 3, {.ints = three}};
    EXPECT_WICK_ERROR(bind_arguments("here", op->schema.arguments, args, bound, scratch), TH_E_TYPE, "here: got");
}
