// SPDX-License-Identifier: BSD-3-Clause
#include "support/wick.hpp"
#include "wick/class.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <algorithm>

using namespace wick;
using namespace wick::test;

namespace {

/// Results of a call that clear themselves.
std::vector<OwnedValue> call(Object &o, std::string_view method, std::vector<Value> args = {}) {
    std::vector<Value> raw;
    object_call(o, method, args, raw);
    std::vector<OwnedValue> out;
    for (Value v : raw) out.emplace_back(v);
    return out;
}

Ref<Object> create(std::string_view family, std::string_view name, std::vector<Value> args = {}) {
    return class_new(*find_class(family, name), args);
}

Value borrow(const Tensor &t) { return {WICK_TAG_TENSOR, 0, {.o = handle(t.impl())}}; }

struct Doubler : nn::Module {
    Tensor forward(const Tensor &x) override { return x * 2; }
    int64_t answer(int64_t n) const { return 42 + n; }
};

} // namespace

TEST(Class, BuiltInsAreListed) {
    EXPECT_GE(class_count("nn"), 19u);
    EXPECT_GE(class_count("optim"), 3u);
    EXPECT_EQ(class_count("none"), 0u);
    EXPECT_EQ(find_class("nn", "Conv2d")->schema_text,
              "Conv2d(int in_channels, int out_channels, int[2] kernel_size, int[2] stride=1, any padding=0, "
              "int[2] dilation=1, int groups=1, bool bias=True) -> ()");
    EXPECT_EQ(find_class("nn", "ReLU")->schema_text, "ReLU() -> ()");
    EXPECT_EQ(find_class("nn", "Sequential")->schema_text, "Sequential(Module[] modules=[]) -> ()");
    EXPECT_EQ(find_class("optim", "Adam")->schema_text,
              "Adam(Tensor[] params, float lr=0.001, float[2] betas=[0.9, 0.999], float eps=1e-08, "
              "float weight_decay=0.0, bool amsgrad=False) -> ()");
    EXPECT_EQ(find_class("nn", "Adam"), nullptr);
    for (size_t i = 0; i < class_count("nn"); i++) EXPECT_FALSE(class_at("nn", i).doc.empty());
    EXPECT_EQ(error_of([] { class_at("optim", 1000); }).substr(0, 11), "IndexError:");
}

// What a module hands to its op is called, typed and defaulted as there.
TEST(Class, ModulesSayWhatTheirOpsSay) {
    const std::pair<const char *, const char *> pairs[] = {
#define WICK_CLASS(name, doc)
#define WICK_CLASS_OF(name, op) {#name, #op},
#include "nn/classes.def"
#undef WICK_CLASS
#undef WICK_CLASS_OF
        {"Softmax", "softmax"}, {"LogSoftmax", "log_softmax"}};
    for (auto [module, op] : pairs) {
        const auto &options = find_class("nn", module)->schema.arguments;
        for (const Argument &option : options) {
            const auto &arguments = find_op(op)->schema.arguments;
            auto same = std::ranges::find(arguments, option.name, &Argument::name);
            ASSERT_NE(same, arguments.end()) << module << " " << option.name;
            // Flatten's start_dim is PyTorch's 1, flatten's 0; where an op takes no stride, a module takes None.
            if (option.name == "start_dim" || option.name == "stride") continue;
            EXPECT_EQ(option.type_text, same->type_text) << module << " " << option.name;
            EXPECT_EQ(describe(option.default_value), describe(same->default_value)) << module << " " << option.name;
        }
    }
}

TEST(Class, EveryModuleWithoutRequiredOptionsCanBeMade) {
    for (size_t i = 0; i < class_count("nn"); i++) {
        const Class &c = class_at("nn", i);
        if (!c.schema.arguments.empty() && !c.schema.arguments[0].has_default) continue;
        Ref<Object> o = class_new(c, {});
        EXPECT_EQ(o->kind(), Kind::Module);
        EXPECT_EQ(class_of(*o), &c);
    }
}

TEST(Class, MakesAndRunsModules) {
    Ref<Object> fc = create("nn", "Linear", {box(3), box(2)});
    auto y = call(*fc, "forward", {borrow(ones({4, 3}))});
    EXPECT_EQ(sizes(unbox<Tensor>(y[0])), (std::vector<int64_t>{4, 2}));
    auto state = call(*fc, "state_dict");
    EXPECT_EQ(unbox<std::vector<std::string>>(state[0]), (std::vector<std::string>{"weight", "bias"}));
    Ref<Object> other = create("nn", "Linear", {box(3), box(2)});
    auto keys = call(*other, "load_state_dict", {state[0], state[1]});
    EXPECT_EQ(unbox_items(keys[0]).size() + unbox_items(keys[1]).size(), 0u);
    auto again = call(*other, "forward", {borrow(ones({4, 3}))});
    EXPECT_EQ(values(unbox<Tensor>(again[0])), values(unbox<Tensor>(y[0])));
    call(*fc, "eval");
    EXPECT_FALSE(unbox<bool>(call(*fc, "training")[0]));
    call(*fc, "train");
    EXPECT_TRUE(unbox<bool>(call(*fc, "training")[0]));
    EXPECT_EQ(unbox<std::string>(call(*fc, "repr")[0]), "Linear(in_features=3, out_features=2)");
    EXPECT_EQ(unbox<std::string>(call(*fc, "class_name")[0]), "Linear");
    call(*fc, "to", {box(kFLOAT64)});
    EXPECT_EQ(unbox<std::vector<Tensor>>(call(*fc, "parameters")[0])[0].dtype(), kFLOAT64);
    call(*fc, "requires_grad_", {box(false)});
    EXPECT_FALSE(unbox<std::vector<Tensor>>(call(*fc, "parameters")[0])[0].requires_grad());
}

TEST(Class, LossesHaveTheirOwnForward) {
    Ref<Object> loss = create("nn", "CrossEntropyLoss");
    Tensor y = tensor<int64_t>({1});
    auto l = call(*loss, "forward", {borrow(zeros({1, 2})), borrow(y)});
    EXPECT_NEAR(unbox<Tensor>(l[0]).item<double>(), std::log(2.0), 1e-6);
    EXPECT_EQ(find_method(*loss, "forward")->schema.arguments.size(), 2u);
    size_t forwards = 0;
    for (const Method *m : object_methods(*loss)) forwards += m->schema.name == "forward";
    EXPECT_EQ(forwards, 1u);
    EXPECT_EQ(error_of([&] { call(*loss, "forward", {borrow(zeros({1, 2}))}); }).substr(0, 14), "ArgumentError:");
}

TEST(Class, MaxPoolingGivesIndices) {
    Ref<Object> pool = create("nn", "MaxPool1d", {box(2)});
    auto results = call(*pool, "forward_with_indices", {borrow(tensor<float>({3, 5, 7, 1}).view({1, 4}))});
    ASSERT_EQ(results.size(), 2u);
    expect_values(unbox<Tensor>(results[0]), {5, 7});
    EXPECT_EQ(values(unbox<Tensor>(results[1])), (std::vector<double>{1, 2}));
    EXPECT_EQ(find_method(*pool, "forward_with_indices")->schema_text,
              "forward_with_indices(Tensor x) -> (Tensor values, Tensor indices)");
}

TEST(Class, ContainersTakeModules) {
    Ref<Object> relu = create("nn", "ReLU"), flatten = create("nn", "Flatten");
    const Value items[2] = {{WICK_TAG_MODULE, 0, {.o = handle(relu.get())}},
                            {WICK_TAG_MODULE, 0, {.o = handle(flatten.get())}}};
    Ref<Object> net = create("nn", "Sequential", {{WICK_TAG_VALUES, 2, {.values = items}}});
    call(*net, "append", {items[0]});
    EXPECT_EQ(unbox<int64_t>(call(*net, "size")[0]), 3);
    auto children = call(*net, "named_children");
    EXPECT_EQ(unbox<std::vector<std::string>>(children[0]), (std::vector<std::string>{"0", "1", "2"}));
    EXPECT_EQ(unbox<Ref<nn::Module>>(unbox_items(children[1])[0]).get(), relu.get());
    EXPECT_EQ(relu->refs(), 5u); // two places, twice in the list of children, this test
}

TEST(Class, MakesAndRunsOptimizers) {
    Tensor p = ones({2}).requires_grad_();
    const Value params[1] = {borrow(p)};
    Ref<Object> sgd = create("optim", "SGD", {{WICK_TAG_VALUES, 1, {.values = params}}, box(0.5)});
    EXPECT_EQ(class_of(*sgd)->name, "SGD");
    p.set_grad(ones({2}));
    call(*sgd, "step");
    EXPECT_EQ(values(p), (std::vector<double>{0.5, 0.5}));
    OwnedValue lr(box("lr"));
    EXPECT_EQ(unbox<double>(call(*sgd, "get", {lr})[0]), 0.5);
    call(*sgd, "set", {lr, box(0.25)});
    EXPECT_EQ(unbox<double>(call(*sgd, "get", {lr, box(0)})[0]), 0.25);
    call(*sgd, "zero_grad");
    EXPECT_FALSE(p.grad().defined());
    auto state = call(*sgd, "state_dict");
    call(*sgd, "load_state_dict", {state[0], state[1]});
    EXPECT_EQ(unbox<std::vector<Tensor>>(call(*sgd, "params")[0])[0].impl(), p.impl());
    EXPECT_EQ(unbox<int64_t>(call(*sgd, "group_count")[0]), 1);
    EXPECT_EQ(error_of([&] { call(*sgd, "get", {lr, box(-1)}); }).substr(0, 11), "IndexError:");
}

TEST(Class, FailuresLeaveResultsUntouched) {
    Ref<Object> fc = create("nn", "Linear", {box(3), box(2)});
    Value result = make_value(WICK_TAG_INT, 5);
    Tensor wrong = ones({4, 4});
    Value bad = borrow(wrong);
    EXPECT_NE(error_of([&] { object_call(*fc, *find_method(*fc, "forward"), {&bad, 1}, {&result, 1}); }), "");
    EXPECT_EQ(result.u.i, 5);
    EXPECT_EQ(error_of([&] {
                  object_call(*fc, *find_method(*fc, "forward"), {&bad, 1}, {});
              }),
              "ArgumentError: forward: got room for 0 results, want 1");
    EXPECT_EQ(error_of([&] { call(*fc, "fly"); }), "NotFoundError: Linear: got no method 'fly'");
    EXPECT_EQ(error_of([&] { call(*fc, "train", {box(3)}); }).substr(0, 10), "TypeError:");
    EXPECT_EQ(error_of([&] { create("nn", "Linear", {box(3)}); }).substr(0, 14), "ArgumentError:");
    EXPECT_EQ(error_of([&] { create("nn", "Linear", {box(3), box(1.5)}); }).substr(0, 10), "TypeError:");
    StringObject text("x");
    EXPECT_EQ(error_of([&] { call(text, "size"); }), "NotFoundError: object: got no method 'size'");
}

TEST(Class, ProgramsRegisterTheirOwn) {
    std::vector<Method> methods;
    methods.push_back(method<&Doubler::answer>("answer(int n=0) -> int", "The answer."));
    register_class(Class(
        "nn", "Doubler() -> ()", "Doubles.", [](const Value *) -> Ref<Object> { return make<Doubler>(); },
        std::move(methods), typeid(Doubler)));
    Ref<Object> d = create("nn", "Doubler");
    EXPECT_EQ(values(unbox<Tensor>(call(*d, "forward", {box(4.0)})[0])), (std::vector<double>{8}));
    EXPECT_EQ(unbox<int64_t>(call(*d, "answer")[0]), 42);
    EXPECT_EQ(unbox<int64_t>(call(*d, "answer", {box(1)})[0]), 43);
    EXPECT_EQ(class_of(*d), find_class("nn", "Doubler"));
    auto again = [] { register_class(Class("nn", "Doubler() -> ()", "", nullptr)); };
    EXPECT_EQ(error_of(again), "ArgumentError: register_class: got Doubler, want a name that nn does not have yet");
    EXPECT_EQ(error_of([] { register_class(Class("gui", "X() -> ()", "", nullptr)); }),
              "NotFoundError: register_class: got family 'gui', want 'nn' or 'optim'");
}

TEST(Class, OwnMethodsWorkOnMembers) {
    struct Holder : nn::Module {
        Doubler inner;
        nn::CrossEntropyLoss loss;
        WICK_FIELDS(inner, loss)
    };
    Ref<Holder> holder = make<Holder>();
    auto children = call(*holder, "named_children");
    holder = nullptr;
    Ref<nn::Module> loss = unbox<Ref<nn::Module>>(unbox_items(children[1])[1]);
    Tensor y = tensor<int64_t>({1});
    auto l = call(*loss, "forward", {borrow(zeros({1, 2})), borrow(y)});
    EXPECT_NEAR(unbox<Tensor>(l[0]).item<double>(), std::log(2.0), 1e-6);
}
