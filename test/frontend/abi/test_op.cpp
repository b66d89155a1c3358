// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"
#include <cstdlib>
#include <set>
#include <unistd.h>

namespace {

/// Whether a value is what an argument of this type may have as its default.
bool fits(const std::string &type, uint32_t flags, const wick_value &v) {
    auto is = [&](const char *base) { return type.rfind(base, 0) == 0; };
    if (v.tag == WICK_TAG_NONE) return (flags & WICK_ARG_OPTIONAL) || is("any");
    if (flags & WICK_ARG_LIST)
        return v.tag == (is("float") ? WICK_TAG_FLOATS : WICK_TAG_INTS) || v.tag == WICK_TAG_VALUES;
    if (is("Tensor") || is("Scalar")) return v.tag == WICK_TAG_INT || v.tag == WICK_TAG_FLOAT || v.tag == WICK_TAG_BOOL;
    if (is("int")) return v.tag == WICK_TAG_INT;
    if (is("float")) return v.tag == WICK_TAG_FLOAT;
    if (is("bool")) return v.tag == WICK_TAG_BOOL;
    if (is("str")) return v.tag == WICK_TAG_STR && v.u.s;
    return is("dtype") && v.tag == WICK_TAG_DTYPE;
}

TEST(AbiOp, EveryOpDescribesItself) {
    uint32_t n = wick_op_count();
    ASSERT_GT(n, 100u);
    std::set<std::string> names;
    for (uint32_t i = 0; i < n; i++) {
        wick_op *o = wick_op_at(i);
        ASSERT_NE(o, nullptr);
        std::string name = wick_op_name(o), schema = wick_op_schema(o);
        SCOPED_TRACE(schema);
        EXPECT_TRUE(names.insert(name).second);
        EXPECT_EQ(wick_op_variant(op(name.c_str()), 0), o); // itself, or the first of its name
        EXPECT_EQ(schema.rfind(name + "(", 0), 0u);
        EXPECT_EQ((wick_op_flags(o) & WICK_OP_IN_PLACE) != 0, schema.find("(a!)") != std::string::npos);
        EXPECT_EQ((wick_op_flags(o) & WICK_OP_OPERATOR) != 0, wick_op_operator(o) != nullptr);
        std::string doc = wick_op_doc(o);
        EXPECT_TRUE(doc.size() >= 3 && doc.back() == '.') << doc;
        bool had_default = false;
        for (uint32_t k = 0; k < wick_op_arg_count(o); k++) {
            const char *arg = nullptr, *type = nullptr;
            uint32_t flags = 0;
            wick_value dflt;
            expect_ok(wick_op_arg(o, k, &arg, &type, &flags, &dflt));
            EXPECT_NE(schema.find(std::string(type) + " " + arg), std::string::npos) << type << " " << arg;
            EXPECT_EQ((flags & WICK_ARG_OPTIONAL) != 0, std::string(type).back() == '?');
            EXPECT_EQ((flags & WICK_ARG_LIST) != 0, std::string(type).find('[') != std::string::npos);
            if (flags & WICK_ARG_DEFAULT)
                EXPECT_TRUE(fits(type, flags, dflt)) << arg << " has a default of tag " << dflt.tag;
            else
                EXPECT_EQ(dflt.tag, static_cast<uint32_t>(WICK_TAG_UNSET));
            EXPECT_TRUE(!had_default || (flags & WICK_ARG_DEFAULT)) << arg << " follows an argument with a default";
            had_default = flags & WICK_ARG_DEFAULT;
        }
        for (uint32_t k = 0; k < wick_op_result_count(o); k++) {
            const char *type = nullptr;
            expect_ok(wick_op_result(o, k, &type));
            EXPECT_GT(std::string(type).size(), 2u);
        }
        expect_error(wick_op_arg(o, wick_op_arg_count(o), nullptr, nullptr, nullptr, nullptr), WICK_E_INDEX, {name});
        const char *type = nullptr;
        expect_error(wick_op_result(o, wick_op_result_count(o), &type), WICK_E_INDEX, {name});
    }
    EXPECT_EQ(wick_op_at(n), nullptr);
}

// Whatever comes, a call ends with a status: every op with every number of arguments of every wrong sort.
TEST(AbiOp, EveryOpSurvivesWrongArguments) {
    Handle s, t = floats({1, 2});
    expect_ok(wick_string_new("x", 1, s.out()));
    int64_t ints[] = {1, 2, 3};
    double doubles[] = {0.5};
    const wick_value samples[] = {wick_v_none(),
                                  wick_v_unset(),
                                  wick_v_bool(1),
                                  wick_v_int(-3),
                                  wick_v_float(1e300),
                                  wick_v_dtype(77),
                                  wick_v_device(5),
                                  wick_v_str("nonsense"),
                                  wick_v_ints(ints, 3),
                                  wick_v_floats(doubles, 1),
                                  wick_v_values(nullptr, 0),
                                  wick_v_ints(nullptr, 2),
                                  wick_v_pointer(WICK_TAG_TENSOR, 0, nullptr),
                                  wick_v_pointer(WICK_TAG_MODULE, 0, static_cast<wick_object *>(t)),
                                  wick_v_tagged(200, 0, 0),
                                  wick_v_object(s),
                                  wick_v_object(t)};
    for (uint32_t i = 0; i < wick_op_count(); i++) {
        wick_op *o = wick_op_at(i);
        uint32_t nargs = wick_op_arg_count(o), nresults = wick_op_result_count(o);
        for (const wick_value &sample : samples)
            for (uint32_t n = 0; n <= nargs + 1; n++) {
                std::vector<wick_value> args(n, sample), results(nresults);
                wick_error *err = nullptr;
                int32_t status = wick_op_call(o, args.data(), n, results.data(), nresults, &err);
                EXPECT_TRUE(n <= nargs || status != WICK_OK) << wick_op_name(o);
                EXPECT_EQ(status == WICK_OK, err == nullptr);
                EXPECT_TRUE(!err || *wick_error_message(err)) << wick_op_name(o);
                for (wick_value &r : results) {
                    EXPECT_EQ(r.tag == WICK_TAG_UNSET, status != WICK_OK) << wick_op_name(o);
                    wick_value_clear(&r);
                }
                wick_error_free(err);
            }
    }
}

TEST(AbiOp, CallsWithDefaultsAndConversions) {
    Handle a = floats({1, 2, 3}), b = floats({10, 20, 30});
    EXPECT_EQ(read(call("add", {wick_v_object(a), wick_v_object(b)}), 3), (std::vector<float>{11, 22, 33}));
    EXPECT_EQ(read(call("add", {wick_v_object(a), wick_v_object(b), wick_v_int(2)}), 3),
              (std::vector<float>{21, 42, 63}));
    EXPECT_EQ(read(call("add", {wick_v_object(a), wick_v_object(b), wick_v_unset()}), 3),
              (std::vector<float>{11, 22, 33}));
    EXPECT_EQ(read(call("mul", {wick_v_object(a), wick_v_float(0.5)}), 3), (std::vector<float>{0.5, 1, 1.5}));
    wick_value pair[] = {wick_v_object(a), wick_v_object(b)};
    EXPECT_EQ(read(call("cat", {wick_v_values(pair, 2)}), 6), (std::vector<float>{1, 2, 3, 10, 20, 30}));
    Handle list;
    expect_ok(wick_list_new(pair, 2, list.out()));
    EXPECT_EQ(read(call("cat", {wick_v_object(list), wick_v_int(0)}), 6), (std::vector<float>{1, 2, 3, 10, 20, 30}));
}

TEST(AbiOp, NamesOfTrailingArguments) {
    Handle a = floats({1, 2, 3}), b = floats({10, 20, 30});
    const wick_value args[] = {wick_v_object(a), wick_v_int(2), wick_v_object(b)};
    const char *names[] = {"alpha", "b"}, *unknown[] = {"alpha", "c"}, *twice[] = {"alpha", "a"};
    Result r;
    uint32_t room = 1;
    expect_ok(wick_op_call(op("add"), args, 3, names, 2, &r, &room, nullptr));
    EXPECT_EQ(room, 1u);
    EXPECT_EQ(read(r->u.o, 3), (std::vector<float>{21, 42, 63}));
    Result none;
    expect_error(wick_op_call(op("add"), args, 3, unknown, 2, &none, &room, nullptr), WICK_E_ARG, {"add", "'c'"});
    EXPECT_EQ(room, 0u); // no result is there
    room = 1;
    expect_error(wick_op_call(op("add"), args, 3, twice, 2, &none, &room, nullptr), WICK_E_ARG, {"add", "a twice"});
    room = 1;
    expect_error(wick_op_call(op("add"), args, 1, names, 2, &none, &room, nullptr), WICK_E_ARG, {"2 names of 1"});
    room = 1;
    expect_error(wick_op_call(op("add"), args, 3, nullptr, 2, &none, &room, nullptr), WICK_E_ARG, {"names is NULL"});
    const char *hole[] = {nullptr, "b"};
    room = 1;
    expect_error(wick_op_call(op("add"), args, 3, hole, 2, &none, &room, nullptr), WICK_E_ARG, {"a name is NULL"});
    const char *out[] = {"out"};
    Handle sum = floats({0, 0, 0});
    const wick_value into[] = {wick_v_object(a), wick_v_object(b), wick_v_object(sum)};
    Result same;
    room = 1;
    expect_ok(wick_op_call(op("add"), into, 3, out, 1, &same, &room, nullptr));
    EXPECT_EQ(same->u.o, static_cast<wick_object *>(sum));
    EXPECT_EQ(read(sum, 3), (std::vector<float>{11, 22, 33}));
}

TEST(AbiOp, RoomForResults) {
    Handle a = floats({1, 3, 2});
    const wick_value args[] = {wick_v_object(a), wick_v_int(0)};
    wick_value results[3];
    uint32_t room = 3;
    expect_ok(wick_op_call(op("max"), args, 2, nullptr, 0, results, &room, nullptr));
    EXPECT_EQ(room, 2u);
    EXPECT_EQ(results[0].tag, static_cast<uint32_t>(WICK_TAG_TENSOR));
    EXPECT_EQ(results[2].tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    for (wick_value &v : results) wick_value_clear(&v);
    room = 1;
    expect_error(wick_op_call(op("max"), args, 2, nullptr, 0, results, &room, nullptr), WICK_E_ARG,
                 {"max.dim", "room for 1"});
    EXPECT_EQ(results[0].tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    expect_error(wick_op_call(op("max"), args, 2, nullptr, 0, nullptr, nullptr, nullptr), WICK_E_ARG, {"room for 0"});
    const wick_value seed = wick_v_int(1);
    expect_ok(wick_op_call(op("manual_seed"), &seed, 1, nullptr, 0, nullptr, nullptr, nullptr));
    room = 3;
    expect_ok(wick_op_call(op("manual_seed"), &seed, 1, nullptr, 0, results, &room, nullptr));
    EXPECT_EQ(room, 0u);
}

TEST(AbiOp, GroupsListTheirVariants) {
    wick_op *max = op("max");
    EXPECT_TRUE(wick_op_flags(max) & WICK_OP_GROUP);
    EXPECT_TRUE(wick_op_flags(max) & WICK_OP_METHOD);
    EXPECT_STREQ(wick_op_name(max), "max");
    EXPECT_STREQ(wick_op_schema(max), "");
    std::vector<std::string> names;
    for (uint32_t i = 0; i < wick_op_variant_count(max); i++) names.push_back(wick_op_name(wick_op_variant(max, i)));
    EXPECT_EQ(names, (std::vector<std::string>{"max", "max.dim", "max.other"}));
    EXPECT_EQ(wick_op_variant(max, 3), nullptr);
    EXPECT_EQ(op("max.dim"), wick_op_variant(max, 1));
    EXPECT_EQ(wick_op_variant_count(op("relu")), 1u);
    EXPECT_EQ(wick_op_variant(op("relu"), 0), op("relu"));
    EXPECT_EQ(wick_op_variant_count(nullptr), 0u);
    EXPECT_EQ(wick_op_variant(nullptr, 0), nullptr);
    EXPECT_EQ(wick_op_flags(nullptr), 0u);
    EXPECT_EQ(wick_op_operator(nullptr), nullptr);
    EXPECT_STREQ(wick_op_operator(op("matmul")), "@");
}

TEST(AbiOp, CreationWithoutADtype) {
    int32_t dtype = -1;
    Handle range = call("arange", {wick_v_int(0), wick_v_int(5)});
    expect_ok(wick_tensor_dtype(range, &dtype));
    EXPECT_EQ(dtype, static_cast<int32_t>(WICK_INT64));
    Handle half = call("arange", {wick_v_float(0), wick_v_float(1), wick_v_float(0.5), wick_v_none()});
    EXPECT_EQ(read(half, 2), (std::vector<float>{0, 0.5}));
    int64_t sizes[] = {2};
    Handle ones = call("full", {wick_v_ints(sizes, 1), wick_v_int(1)});
    expect_ok(wick_tensor_dtype(ones, &dtype));
    EXPECT_EQ(dtype, static_cast<int32_t>(WICK_INT64));
    Handle none = call("full", {wick_v_ints(sizes, 1), wick_v_int(1), wick_v_none()});
    expect_ok(wick_tensor_dtype(none, &dtype));
    EXPECT_EQ(dtype, static_cast<int32_t>(WICK_INT64));
    Handle zeros = call("zeros", {wick_v_ints(sizes, 1), wick_v_none()});
    expect_ok(wick_tensor_dtype(zeros, &dtype));
    EXPECT_EQ(dtype, static_cast<int32_t>(WICK_FLOAT32));
    Handle x = floats({1});
    const wick_value cast[] = {wick_v_object(x), wick_v_none()};
    Result r;
    expect_error(wick_op_call(op("to"), cast, 2, &r, 1, nullptr), WICK_E_TYPE, {"to", "None", "dtype"});
}

/// Adds what `user` points to.
int32_t add_constant(void *user, wick_call *, const wick_value *args, uint32_t nargs, wick_value *results,
                     uint32_t nresults) {
    if (nargs != 2 || nresults != 1 || args[1].tag != WICK_TAG_INT)
        return wick_error_raise(WICK_E_ARG, nullptr, "wrong"), WICK_CB_FAIL;
    const wick_value both[] = {args[0], wick_v_float(*static_cast<double *>(user) + static_cast<double>(args[1].u.i))};
    return wick_op_call(op("add"), both, 2, results, 1, nullptr) == WICK_OK ? WICK_CB_DONE : WICK_CB_FAIL;
}

TEST(AbiOp, RegisteredByAProgram) {
    static double one = 1;
    wick_op *mine = nullptr;
    expect_ok(wick_op_register("mine::shift(Tensor x, int more=2) -> Tensor", "x shifted.", WICK_OP_METHOD,
                               add_constant, &one, &mine));
    EXPECT_EQ(op("mine::shift"), mine);
    EXPECT_EQ(wick_op_flags(mine), static_cast<uint32_t>(WICK_OP_METHOD));
    EXPECT_STREQ(wick_op_doc(mine), "x shifted.");
    Handle x = floats({1, 2});
    EXPECT_EQ(read(call("mine::shift", {wick_v_object(x)}), 2), (std::vector<float>{4, 5}));
    EXPECT_EQ(read(call("mine::shift", {wick_v_object(x), wick_v_int(4)}), 2), (std::vector<float>{6, 7}));
    Result r;
    const wick_value wrong[] = {wick_v_object(x), wick_v_float(1)}, alone = wick_v_str("x");
    expect_error(wick_op_call(mine, wrong, 2, &r, 1, nullptr), WICK_E_TYPE, {"mine::shift", "int more"});
    // A gradient passes, as the callback computes with ops.
    expect_ok(wick_tensor_set_requires_grad(x, 1));
    Handle loss = call("sum", {wick_v_object(call("mine::shift", {wick_v_object(x)}))});
    wick_object *root = loss;
    expect_ok(wick_backward(&root, nullptr, 1, 0, nullptr));
    Handle grad;
    expect_ok(wick_tensor_grad(x, grad.out()));
    EXPECT_EQ(read(grad, 2), (std::vector<float>{1, 1}));

    expect_error(wick_op_register("mine::shift(Tensor x) -> Tensor", nullptr, 0, add_constant, &one, nullptr),
                 WICK_E_ARG, {"second op 'mine::shift'"});
    expect_error(wick_op_register("mine::bad(", nullptr, 0, add_constant, &one, nullptr), WICK_E_ARG, {"column"});
    expect_error(wick_op_register(nullptr, nullptr, 0, add_constant, &one, nullptr), WICK_E_ARG, {"schema is NULL"});
    expect_error(wick_op_register("mine::x() -> ()", nullptr, 0, nullptr, &one, nullptr), WICK_E_ARG, {"call is NULL"});
    expect_error(wick_op_register("mine::x() -> ()", nullptr, 64, add_constant, &one, nullptr), WICK_E_ARG, {"flags"});

    wick_callback lazy = [](void *, wick_call *, const wick_value *, uint32_t, wick_value *, uint32_t) -> int32_t {
        return WICK_CB_DONE;
    };
    wick_callback failing = [](void *, wick_call *, const wick_value *, uint32_t, wick_value *results,
                               uint32_t) -> int32_t {
        wick_object *text = nullptr;
        if (wick_string_new("dropped", -1, &text) == WICK_OK) results[0] = wick_v_object(text);
        wick_error_raise(WICK_E_CALLBACK, "mine.Error", "no");
        return WICK_CB_FAIL;
    };
    expect_ok(wick_op_register("mine::lazy() -> Tensor", nullptr, 0, lazy, nullptr, nullptr));
    expect_ok(wick_op_register("mine::failing() -> (str, str)", nullptr, 0, failing, nullptr, nullptr));
    expect_error(wick_op_call(op("mine::lazy"), nullptr, 0, &r, 1, nullptr), WICK_E_CALLBACK, {"mine::lazy", "unset"});
    wick_value two[2];
    expect_error(wick_op_call(op("mine::failing"), nullptr, 0, two, 2, nullptr), WICK_E_CALLBACK, {"no"});
    EXPECT_EQ(two[0].tag, static_cast<uint32_t>(WICK_TAG_UNSET));

    // What was resolved before stays: calls of all kinds in turns, before and after.
    Handle t = floats({1, 3, 2});
    auto kinds_of_max = [&] {
        const wick_value calls[][2] = {{wick_v_object(t), wick_v_unset()},
                                       {wick_v_object(t), wick_v_int(0)},
                                       {wick_v_object(t), wick_v_object(t)},
                                       {wick_v_object(t), wick_v_float(2.5)}};
        const uint32_t nargs[] = {1, 2, 2, 2}, results[] = {1, 2, 1, 1};
        for (int turn = 0; turn < 3; turn++)
            for (int k = 0; k < 4; k++) {
                wick_value out[2] = {wick_v_unset(), wick_v_unset()};
                uint32_t n = 2;
                expect_ok(wick_op_call(op("max"), calls[k], nargs[k], nullptr, 0, out, &n, nullptr));
                EXPECT_EQ(n, results[k]) << k;
                uint32_t ndim = 9;
                expect_ok(wick_tensor_sizes(out[0].u.o, 0, nullptr, &ndim));
                EXPECT_EQ(ndim, k < 2 ? 0u : 1u) << k;
                for (uint32_t i = 0; i < n; i++) wick_release(out[i].u.o);
            }
    };
    kinds_of_max();

    // It joins a group of the library, behind what is there.
    expect_ok(wick_op_register("max.mine(str text) -> Tensor", nullptr, 0, lazy, nullptr, nullptr));
    EXPECT_STREQ(wick_op_name(wick_op_variant(op("max"), 3)), "max.mine");
    expect_error(wick_op_call(op("max"), &alone, 1, &r, 1, nullptr), WICK_E_CALLBACK, {"max.mine"});
    kinds_of_max();
}

TEST(AbiOp, ErrorsNameOpGotAndWanted) {
    Handle a = floats({1, 2, 3});
    Result r;
    wick_value args[4] = {wick_v_object(a), wick_v_str("two"), wick_v_int(1), wick_v_int(1)};
    expect_error(wick_op_call(op("add"), args, 2, &r, 1, nullptr), WICK_E_TYPE, {"add", "'two'", "Tensor b"});
    expect_error(wick_op_call(op("add"), args, 1, &r, 1, nullptr), WICK_E_ARG, {"add", "Tensor b"});
    expect_error(wick_op_call(op("add"), args, 4, &r, 1, nullptr), WICK_E_ARG, {"add", "4", "3"});
    expect_error(wick_op_call(op("add"), args, 2, &r, 0, nullptr), WICK_E_ARG, {"add", "0 results", "1"});
    expect_error(wick_op_call(op("add"), args, 2, nullptr, 1, nullptr), WICK_E_ARG, {"results is NULL"});
    expect_error(wick_op_call(op("add"), nullptr, 2, &r, 1, nullptr), WICK_E_ARG, {"args is NULL"});
    expect_error(wick_op_call(nullptr, args, 2, &r, 1, nullptr), WICK_E_ARG, {"op is NULL"});
    args[1] = wick_v_pointer(WICK_TAG_TENSOR, 0, nullptr);
    expect_error(wick_op_call(op("add"), args, 2, &r, 1, nullptr), WICK_E_ARG, {"add", "argument 1", "NULL Tensor"});
    args[1] = wick_v_pointer(WICK_TAG_OPTIMIZER, 0, static_cast<wick_object *>(a));
    expect_error(wick_op_call(op("add"), args, 2, &r, 1, nullptr), WICK_E_TYPE, {"add", "Optimizer", "Tensor"});
    wick_op *found = nullptr;
    expect_error(wick_op_find("nope", &found), WICK_E_NOTFOUND, {"wick_op_find", "nope"});
    expect_error(wick_op_find(nullptr, &found), WICK_E_ARG, {"name"});
    expect_error(wick_op_find("add", nullptr), WICK_E_ARG, {"out"});
    EXPECT_EQ(found, nullptr);
    EXPECT_STREQ(wick_op_name(nullptr), "");
    EXPECT_STREQ(wick_op_schema(nullptr), "");
    EXPECT_STREQ(wick_op_doc(nullptr), "");
    EXPECT_EQ(wick_op_arg_count(nullptr), 0u);
    EXPECT_EQ(wick_op_result_count(nullptr), 0u);
}

TEST(AbiOp, FilesThroughTheRegistry) {
    std::string path = testing::TempDir() + "wick_abi_op.safetensors";
    Handle a = floats({1, 2}), b = floats({3});
    wick_value names[] = {wick_v_str("a"), wick_v_str("b")}, tensors[] = {wick_v_object(a), wick_v_object(b)};
    wick_value key = wick_v_str("model"), value = wick_v_str("test");
    wick_value save[] = {wick_v_str(path.c_str()), wick_v_values(names, 2), wick_v_values(tensors, 2),
                         wick_v_values(&key, 1), wick_v_values(&value, 1)};
    expect_ok(wick_op_call(op("io::save_safetensors"), save, 5, nullptr, 0, nullptr));
    wick_value results[4];
    expect_ok(wick_op_call(op("io::load_safetensors"), save, 1, results, 4, nullptr));
    uint32_t n = 0;
    expect_ok(wick_list_count(results[1].u.o, &n));
    EXPECT_EQ(n, 2u);
    Result tensor, metadata;
    expect_ok(wick_list_get(results[1].u.o, 0, &tensor));
    EXPECT_EQ(read(tensor->u.o, 2), (std::vector<float>{1, 2}));
    expect_ok(wick_list_get(results[3].u.o, 0, &metadata));
    EXPECT_EQ(text(metadata->u.o), "test");
    for (wick_value &v : results) wick_value_clear(&v);
    save[2] = wick_v_values(tensors, 1);
    expect_error(wick_op_call(op("io::save_safetensors"), save, 5, nullptr, 0, nullptr), WICK_E_ARG,
                 {"2 names", "1 tensors"});
    save[0] = wick_v_str("/no/such/file");
    expect_error(wick_op_call(op("io::load_safetensors"), save, 1, results, 4, nullptr), WICK_E_NOTFOUND,
                 {"/no/such/file"});
    expect_error(wick_op_call(op("io::read_csv"), save, 1, results, 3, nullptr), WICK_E_NOTFOUND, {"/no/such/file"});
    expect_error(wick_op_call(op("io::read_idx"), save, 1, results, 1, nullptr), WICK_E_NOTFOUND, {"/no/such/file"});
    save[0] = wick_v_int(3);
    expect_error(wick_op_call(op("io::read_idx"), save, 1, results, 1, nullptr), WICK_E_TYPE, {"int 3", "str path"});
}

TEST(AbiOp, ReadsTextAndGapsOfTables) {
    char path[] = "/tmp/wick-test-XXXXXX";
    int file = mkstemp(path);
    ASSERT_GE(file, 0);
    const char table[] = "1,dog\n,cat\n3,dog\n";
    ASSERT_EQ(write(file, table, sizeof table - 1), static_cast<ssize_t>(sizeof table - 1));
    close(file);
    int64_t column = 1;
    wick_value args[] = {wick_v_str(path), wick_v_str(","), wick_v_bool(0), wick_v_bool(1), wick_v_ints(&column, 1)};
    wick_value results[3];
    expect_ok(wick_op_call(op("io::read_csv"), args, 5, results, 3, nullptr));
    Handle values = call("to", {results[0], wick_v_dtype(WICK_FLOAT32)});
    std::vector<float> got = read(values, 6);
    EXPECT_EQ((std::vector<float>{got[0], got[1], got[3], got[4], got[5]}), (std::vector<float>{1, 1, 0, 3, 1}));
    EXPECT_NE(got[2], got[2]);
    Result labels, cat;
    expect_ok(wick_list_get(results[2].u.o, 0, &labels));
    expect_ok(wick_list_get(labels->u.o, 0, &cat));
    EXPECT_EQ(text(cat->u.o), "cat");
    for (wick_value &v : results) wick_value_clear(&v);
    unlink(path);
}

TEST(AbiOp, DefaultDtypeAndGeneratorState) {
    auto dtype_of = [](const Handle &t) {
        int32_t dtype = -1;
        expect_ok(wick_tensor_dtype(t, &dtype));
        return dtype;
    };
    auto run = [](const char *name, std::vector<wick_value> args) {
        return wick_op_call(op(name), args.data(), static_cast<uint32_t>(args.size()), nullptr, 0, nullptr);
    };
    int64_t two = 2;
    wick_value size = wick_v_ints(&two, 1);
    EXPECT_EQ(dtype_of(call("zeros", {size})), WICK_FLOAT32);
    EXPECT_EQ(dtype_of(call("full", {size, wick_v_int(1)})), WICK_INT64);
    EXPECT_EQ(dtype_of(call("full", {size, wick_v_float(0.5)})), WICK_FLOAT32);
    EXPECT_EQ(dtype_of(call("arange", {wick_v_int(0), wick_v_int(5)})), WICK_INT64);
    expect_ok(run("set_default_dtype", {wick_v_dtype(WICK_FLOAT64)}));
    Result now;
    expect_ok(wick_op_call(op("get_default_dtype"), nullptr, 0, &now, 1, nullptr));
    EXPECT_EQ(now->tag, static_cast<uint32_t>(WICK_TAG_DTYPE));
    EXPECT_EQ(now->u.i, WICK_FLOAT64);
    for (const char *name : {"zeros", "ones", "empty", "rand", "randn"})
        EXPECT_EQ(dtype_of(call(name, {size})), WICK_FLOAT64) << name;
    EXPECT_EQ(dtype_of(call("full", {size, wick_v_float(0.5)})), WICK_FLOAT64);
    EXPECT_EQ(dtype_of(call("zeros", {size, wick_v_dtype(WICK_INT8)})), WICK_INT8);
    expect_error(run("set_default_dtype", {wick_v_dtype(WICK_INT8)}), WICK_E_TYPE, {"int8", "floating"});
    expect_ok(run("set_default_dtype", {wick_v_dtype(WICK_FLOAT32)}));
    Handle state = call("get_rng_state", {}), a = call("rand", {size});
    expect_ok(run("set_rng_state", {wick_v_object(state)}));
    Handle b = call("rand", {size});
    EXPECT_EQ(read(a, 2), read(b, 2));
    expect_error(run("set_rng_state", {wick_v_object(a)}), WICK_E_ARG, {"float32[2]", "uint8[32]"});
}

} // namespace
