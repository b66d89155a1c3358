// SPDX-License-Identifier: BSD-3-Clause
#include "core/class.hpp"
#include "wick/optim.hpp"

namespace wick::optim {

namespace {

/// A method that needs more than its arguments unboxed.
Method optimizer_method(const char *schema, const char *doc,
                        void (*f)(Optimizer &self, const Value *args, Value *results)) {
    return Method(schema, doc, [f](Object &self, const Value *args, Value *results) {
        f(static_cast<Optimizer &>(self), args, results);
    });
}

void set(Optimizer &self, const Value *args, Value *) {
    auto option = unbox<std::string_view>(args[0]);
    if (auto group = unbox<std::optional<int64_t>>(args[2]))
        self.set(option, args[1], static_cast<size_t>(*group));
    else
        self.set(option, args[1]);
}

void get(Optimizer &self, const Value *args, Value *results) {
    results[0] = self.get(unbox<std::string_view>(args[0]), static_cast<size_t>(unbox<int64_t>(args[1])));
}

void params(Optimizer &self, const Value *args, Value *results) {
    results[0] = box(self.params(static_cast<size_t>(unbox<int64_t>(args[0]))));
}

void load_state_dict(Optimizer &self, const Value *args, Value *) {
    auto names = unbox<std::vector<std::string>>(args[0]);
    auto tensors = unbox<std::vector<Tensor>>(args[1]);
    self.load_state_dict(name_tensors(names, tensors));
}

std::vector<Method> optimizer_methods() {
    constexpr auto add_param_group = static_cast<void (Optimizer::*)(std::vector<Tensor>)>(&Optimizer::add_param_group);
    return wick::detail::list_methods(
        method<&Optimizer::step>("step() -> ()", "One update of every parameter that has a gradient."),
        method<&Optimizer::zero_grad>("zero_grad(bool set_to_none=True) -> ()",
                                      "Drops the gradients of its parameters, or fills them with 0."),
        method<&Optimizer::group_count>("group_count() -> int", "How many groups of parameters it has."),
        optimizer_method("params(int group=0) -> Tensor[]", "The parameters of a group.", params),
        method<add_param_group>("add_param_group(Tensor[] params) -> ()", "Adds parameters with the default options."),
        optimizer_method("get(str option, int group=0) -> any", "An option, such as 'lr', of a group.", get),
        optimizer_method("set(str option, any value, int? group=None) -> ()", "Sets an option of one group or all.",
                         set),
        method<&Optimizer::state_dict>("state_dict() -> (str[] names, Tensor[] tensors)",
                                       "Options and state as named tensors."),
        optimizer_method("load_state_dict(str[] names, Tensor[] tensors) -> ()",
                         "Takes over options and state, all or none.", load_state_dict),
        method<&Optimizer::to_string>("repr() -> str", "It and its options as text."),
        method<&Optimizer::class_name>("class_name() -> str", "The name of its class."));
}

template <class C> Class optimizer_class(const char *name, const char *doc) {
    using Options = typename C::Options;
    return Class(
        "optim", constructor_schema<Options>(name, "Tensor[] params"), doc,
        [](const Value *args) -> Ref<Object> {
            return make<C>(unbox<std::vector<Tensor>>(args[0]), options_from_values<Options>(args + 1));
        },
        {}, typeid(C));
}

} // namespace

Family class_family() {
    Family family{"optim", Kind::Optimizer, optimizer_methods(), {}};
#define WICK_CLASS(name, doc) family.classes.push_back(optimizer_class<name>(#name, doc));
#include "optim/classes.def"
#undef WICK_CLASS
    return family;
}

} // namespace wick::optim
