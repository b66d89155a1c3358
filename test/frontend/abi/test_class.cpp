// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"
#include <map>
#include <set>

namespace {

wick_class *find(const char *family, const char *name) {
    wick_class *c = nullptr;
    expect_ok(wick_class_find(family, name, &c));
    return c;
}

Handle make(const char *family, const char *name, const std::vector<wick_value> &args) {
    Handle h;
    expect_ok(wick_class_new(find(family, name), args.data(), static_cast<uint32_t>(args.size()), h.out(), nullptr));
    return h;
}

Handle run(wick_object *o, const char *method, const std::vector<wick_value> &args = {}) {
    Result r;
    expect_ok(wick_object_call(o, method, args.data(), static_cast<uint32_t>(args.size()), &r, 1, nullptr));
    return r.object();
}

std::vector<std::string> methods(wick_object *o) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < wick_object_method_count(o); i++) names.push_back(wick_op_name(wick_object_method(o, i)));
    EXPECT_EQ(wick_object_method(o, wick_object_method_count(o)), nullptr);
    return names;
}

// A value for every kind of argument without a default that constructors have.
wick_value sample(const std::string &type, wick_object *params) {
    static const int64_t two[] = {2, 2};
    if (type.rfind("Tensor[]", 0) == 0) return wick_v_object(params);
    if (type.rfind("int[2]", 0) == 0) return wick_v_ints(two, 2); // others: one number for all
    if (type.rfind("int", 0) == 0) return wick_v_int(2);
    if (type.rfind("float", 0) == 0) return wick_v_float(0.5);
    return wick_v_none();
}

TEST(AbiClass, EveryClassDescribesItselfAndCanBeMade) {
    Handle linear = make("nn", "Linear", {wick_v_int(2), wick_v_int(2)});
    for (const char *family : {"nn", "optim"}) {
        uint32_t n = wick_class_count(family);
        ASSERT_GE(n, 2u);
        std::set<std::string> names;
        for (uint32_t i = 0; i < n; i++) {
            wick_class *c = wick_class_at(family, i);
            ASSERT_NE(c, nullptr);
            std::string name = wick_class_name(c);
            SCOPED_TRACE(name);
            EXPECT_TRUE(names.insert(name).second);
            EXPECT_EQ(find(family, name.c_str()), c);
            EXPECT_GT(std::string(wick_class_doc(c)).size(), 3u);
            wick_op *constructor = wick_class_constructor(c);
            EXPECT_EQ(wick_op_name(constructor), name);
            EXPECT_EQ(std::string(wick_op_schema(constructor)).rfind(name + "(", 0), 0u);

            Handle params = run(linear, "parameters");
            std::vector<wick_value> args;
            for (uint32_t k = 0; k < wick_op_arg_count(constructor); k++) {
                const char *type = nullptr;
                wick_value dflt;
                expect_ok(wick_op_arg(constructor, k, nullptr, &type, nullptr, &dflt));
                args.push_back(dflt.tag == WICK_TAG_UNSET ? sample(type, params) : dflt);
            }
            Handle o = make(family, name.c_str(), args);
            ASSERT_NE(static_cast<wick_object *>(o), nullptr);
            EXPECT_EQ(wick_object_class(o), c);
            EXPECT_EQ(wick_tag(o),
                      static_cast<uint32_t>(std::string(family) == "nn" ? WICK_TAG_MODULE : WICK_TAG_OPTIMIZER));
            EXPECT_GE(methods(o).size(), 4u);

            wick_value unknown = wick_v_tagged(200, 0, 0), dummy;
            wick_object *out = nullptr;
            EXPECT_NE(wick_class_new(c, &unknown, 1, &out, nullptr), WICK_OK);
            wick_error_free(wick_error_take());
            EXPECT_EQ(out, nullptr);
            // A constructor is a callable like others; a method needs its object.
            EXPECT_TRUE(wick_op_flags(constructor) & WICK_OP_CONSTRUCTOR);
            Result made;
            expect_ok(wick_op_call(constructor, args.data(), static_cast<uint32_t>(args.size()), &made, 1, nullptr));
            EXPECT_EQ(made->tag, wick_tag(o));
            EXPECT_EQ(wick_object_class(made->u.o), c);
            wick_op *method = wick_object_method(o, 0);
            EXPECT_TRUE(wick_op_flags(method) & WICK_OP_OF_OBJECT);
            expect_error(wick_op_call(method, nullptr, 0, &dummy, 1, nullptr), WICK_E_TYPE, {"wick_object_call"});
        }
        EXPECT_EQ(wick_class_at(family, n), nullptr);
    }
    EXPECT_EQ(wick_class_count("cooking"), 0u);
    EXPECT_EQ(wick_class_count(nullptr), 0u);
    EXPECT_EQ(wick_class_at("cooking", 0), nullptr);
}

TEST(AbiClass, TakesNames) {
    const wick_value numbers[] = {wick_v_int(3), wick_v_bool(0), wick_v_int(2)};
    const char *names[] = {"bias", "out_features"}, *wrong[] = {"bias", "size"}, *strict[] = {"strict"};
    Handle linear;
    expect_ok(wick_class_new(find("nn", "Linear"), numbers, 3, names, 2, linear.out(), nullptr));
    Handle parameters = run(linear, "parameters");
    uint32_t n = 0;
    expect_ok(wick_list_count(parameters, &n));
    EXPECT_EQ(n, 1u);
    wick_object *out = nullptr;
    expect_error(wick_class_new(find("nn", "Linear"), numbers, 3, wrong, 2, &out, nullptr), WICK_E_ARG,
                 {"Linear", "'size'"});
    wick_value state[3] = {wick_v_values(nullptr, 0), wick_v_values(nullptr, 0), wick_v_bool(0)}, keys[4];
    uint32_t room = 4;
    expect_ok(wick_object_call(linear, "load_state_dict", state, 3, strict, 1, keys, &room, nullptr));
    EXPECT_EQ(room, 2u);
    EXPECT_EQ(keys[0].tag, static_cast<uint32_t>(WICK_TAG_LIST));
    EXPECT_EQ(keys[2].tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    for (wick_value &v : keys) wick_value_clear(&v);
}

TEST(AbiClass, MethodsDescribeThemselves) {
    Handle linear = make("nn", "Linear", {wick_v_int(3), wick_v_int(2)});
    std::set<std::string> names;
    for (uint32_t i = 0; i < wick_object_method_count(linear); i++) {
        wick_op *m = wick_object_method(linear, i);
        EXPECT_TRUE(names.insert(wick_op_name(m)).second);
        EXPECT_GT(std::string(wick_op_doc(m)).size(), 3u) << wick_op_name(m);
        for (uint32_t k = 0; k < wick_op_arg_count(m); k++) {
            const char *type = nullptr;
            expect_ok(wick_op_arg(m, k, nullptr, &type, nullptr, nullptr));
        }
    }
    for (const char *name : {"forward", "parameters", "state_dict", "load_state_dict", "train", "eval"})
        EXPECT_EQ(names.count(name), 1u) << name;
    EXPECT_EQ(wick_object_method_count(nullptr), 0u);
    EXPECT_EQ(wick_object_method_count(floats({1})), 0u);
    EXPECT_EQ(wick_object_class(floats({1})), nullptr);
}

TEST(AbiClass, TrainsALine) {
    Handle linear = make("nn", "Linear", {wick_v_int(1), wick_v_int(1)});
    Handle params = run(linear, "parameters");
    Handle sgd = make("optim", "SGD", {wick_v_object(params), wick_v_float(0.1)});
    Handle x = floats({-1, 0, 1, 2}, {4, 1}), want = floats({-1, 1, 3, 5}, {4, 1}); // 2 x + 1
    double loss = 0;
    for (int step = 0; step < 300; step++) {
        Handle y = run(linear, "forward", {wick_v_object(x)});
        Handle d = call("sub", {wick_v_object(y), wick_v_object(want)});
        Handle mean = call("mean", {wick_v_object(call("mul", {wick_v_object(d), wick_v_object(d)}))});
        expect_ok(wick_object_call(sgd, "zero_grad", nullptr, 0, nullptr, 0, nullptr));
        wick_object *root = mean;
        expect_ok(wick_backward(&root, nullptr, 1, 0, nullptr));
        expect_ok(wick_object_call(sgd, "step", nullptr, 0, nullptr, 0, nullptr));
        Result r;
        expect_ok(wick_tensor_item(mean, &r));
        loss = r->u.f;
    }
    EXPECT_LT(loss, 1e-6);
}

TEST(AbiClass, StateGoesFromOneModuleToAnother) {
    Handle a = make("nn", "Linear", {wick_v_int(3), wick_v_int(2)}),
           b = make("nn", "Linear", {wick_v_int(3), wick_v_int(2)});
    wick_value state[2], missing[2];
    expect_ok(wick_object_call(a, "state_dict", nullptr, 0, state, 2, nullptr));
    expect_ok(wick_object_call(b, "load_state_dict", state, 2, missing, 2, nullptr));
    Handle x = floats({1, 2, 3}, {1, 3});
    EXPECT_EQ(read(run(a, "forward", {wick_v_object(x)}), 2), read(run(b, "forward", {wick_v_object(x)}), 2));
    for (wick_value *v : {&state[0], &state[1], &missing[0], &missing[1]}) wick_value_clear(v);
}

TEST(AbiClass, ErrorsNameWhatWasWanted) {
    wick_class *c = nullptr;
    expect_error(wick_class_find("nn", "Lineal", &c), WICK_E_NOTFOUND, {"Lineal", "nn"});
    expect_error(wick_class_find("cooking", "Linear", &c), WICK_E_NOTFOUND, {"cooking"});
    expect_error(wick_class_find(nullptr, "Linear", &c), WICK_E_ARG, {"family"});
    expect_error(wick_class_find("nn", nullptr, &c), WICK_E_ARG, {"name"});
    wick_object *out = nullptr;
    expect_error(wick_class_new(nullptr, nullptr, 0, &out, nullptr), WICK_E_ARG, {"wick_class_new", "NULL"});
    expect_error(wick_class_new(find("nn", "Linear"), nullptr, 0, &out, nullptr), WICK_E_ARG,
                 {"Linear", "in_features"});
    wick_value text = wick_v_str("three");
    expect_error(wick_class_new(find("nn", "Linear"), &text, 1, &out, nullptr), WICK_E_TYPE,
                 {"Linear", "'three'", "int in_features"});
    EXPECT_EQ(out, nullptr);

    Handle linear = make("nn", "Linear", {wick_v_int(3), wick_v_int(2)}), x = floats({1, 2}, {1, 2});
    Result r;
    wick_value arg = wick_v_object(x);
    wick_error *err = nullptr;
    EXPECT_EQ(wick_object_call(linear, "forward", &arg, 1, &r, 1, &err), WICK_E_SHAPE);
    {
        Raised e(err);
        EXPECT_GE(wick_error_frame_count(e), 1u);
        EXPECT_EQ(r->tag, static_cast<uint32_t>(WICK_TAG_UNSET));
    }
    expect_error(wick_object_call(linear, "backward", &arg, 1, &r, 1, nullptr), WICK_E_NOTFOUND, {"backward"});
    expect_error(wick_object_call(linear, nullptr, &arg, 1, &r, 1, nullptr), WICK_E_ARG, {"method"});
    expect_error(wick_object_call(nullptr, "forward", &arg, 1, &r, 1, nullptr), WICK_E_ARG, {"o is NULL"});
    expect_error(wick_object_call(linear, "forward", &arg, 1, &r, 0, nullptr), WICK_E_ARG, {"forward", "0 results"});
    expect_error(wick_object_call(x, "forward", &arg, 1, &r, 1, nullptr), WICK_E_NOTFOUND, {"forward"});
    arg = wick_v_object(linear); // a module where a tensor is wanted
    expect_error(wick_object_call(linear, "forward", &arg, 1, &r, 1, nullptr), WICK_E_TYPE,
                 {"forward", "Module", "Tensor x"});
    arg = wick_v_pointer(WICK_TAG_TENSOR, 0, static_cast<wick_object *>(linear));
    expect_error(wick_object_call(linear, "forward", &arg, 1, &r, 1, nullptr), WICK_E_TYPE, {"forward", "Module"});
}

} // namespace
