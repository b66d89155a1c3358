// SPDX-License-Identifier: BSD-3-Clause
#include "core/class.hpp"
#include "core/row.hpp"
#include "wick/nn.hpp"

namespace wick::nn {

namespace {

/// A method of all modules that needs more than its arguments unboxed.
Method module_method(const char *schema, const char *doc, void (*f)(Module &self, const Value *args, Value *results)) {
    return Method(schema, doc, [f](Object &self, const Value *args, Value *results) {
        f(static_cast<Module &>(self), args, results);
    });
}

void children(Module &self, const Value *, Value *results) {
    std::vector<std::string> names;
    std::vector<Ref<Module>> modules;
    for (auto &[name, child] : self.named_children()) {
        names.push_back(std::move(name));
        modules.push_back(std::move(child));
    }
    results[0] = box(names);
    results[1] = box(modules);
}

void load_state_dict(Module &self, const Value *args, Value *results) {
    auto names = unbox<std::vector<std::string>>(args[0]);
    auto tensors = unbox<std::vector<Tensor>>(args[1]);
    Module::LoadResult keys = self.load_state_dict(name_tensors(names, tensors), unbox<bool>(args[2]));
    results[0] = box(keys.missing);
    results[1] = box(keys.unexpected);
}

void training(Module &self, const Value *, Value *results) { results[0] = box(self.self().is_training()); }

void to(Module &self, const Value *args, Value *) {
    if (args[0].tag != WICK_TAG_NONE) self.to(unbox<DType>(args[0]));
    if (args[1].tag != WICK_TAG_NONE) self.to(unbox<Device>(args[1]));
}

std::vector<Method> module_methods() {
    constexpr auto forward = static_cast<Tensor (Module::*)(const Tensor &)>(&Module::forward);
    return detail::list_methods(
        method<forward>("forward(Tensor x) -> Tensor", "What the module computes."),
        method<&Module::parameters>("parameters() -> Tensor[]", "Parameters, each once."),
        method<&Module::named_parameters>("named_parameters() -> (str[] names, Tensor[] tensors)",
                                          "Parameters, each once, with dotted names."),
        method<&Module::named_buffers>("named_buffers() -> (str[] names, Tensor[] tensors)",
                                       "Buffers with dotted names."),
        module_method("named_children() -> (str[] names, Module[] modules)",
                      "Children, which share their data with the module.", children),
        method<&Module::state_dict>("state_dict() -> (str[] names, Tensor[] tensors)",
                                    "Parameters and buffers under every name they have."),
        module_method("load_state_dict(str[] names, Tensor[] tensors, bool strict=True)"
                      " -> (str[] missing, str[] unexpected)",
                      "Copies into parameters and buffers, all or none.", load_state_dict),
        method<&Module::train>("train(bool mode=True) -> ()", "Sets it and all in it to training or evaluation."),
        method<&Module::eval>("eval() -> ()", "Sets it and all in it to evaluation."),
        module_method("training() -> bool", "Whether it is set to training.", training),
        method<&Module::zero_grad>("zero_grad(bool set_to_none=True) -> ()",
                                   "Drops the gradients of its parameters, or fills them with 0."),
        method<&Module::requires_grad_>("requires_grad_(bool requires_grad=True) -> ()",
                                        "Says whether its parameters take gradients."),
        module_method("to(dtype? dtype=None, *, device? device=None) -> ()",
                      "Casts floating parameters and buffers; moves all of them. Make optimizers afterwards.", to),
        method<&Module::to_string>("repr() -> str", "It and all in it as text."),
        method<&Module::class_name>("class_name() -> str", "The name of its class."));
}

/// Methods that only some classes have.
template <class C> std::vector<Method> own_methods() {
    if constexpr (std::derived_from<C, Loss>) {
        constexpr auto forward = static_cast<Tensor (Loss::*)(const Tensor &, const Tensor &)>(&Loss::forward);
        return detail::list_methods(
            method<forward>("forward(Tensor input, Tensor target) -> Tensor", "The loss of input against target."));
    } else if constexpr (requires { &C::forward_with_indices; }) {
        return detail::list_methods(
            method<&C::forward_with_indices>("forward_with_indices(Tensor x) -> (Tensor values, Tensor indices)",
                                             "The same, and where in its plane each value lies, as a flat index."));
    } else if constexpr (std::derived_from<C, ModuleList>) {
        constexpr auto append = static_cast<void (ModuleList::*)(Ref<Module>)>(&ModuleList::append);
        return detail::list_methods(method<append>("append(Module module) -> ()", "Adds a module at the end."),
                                    method<&ModuleList::size>("size() -> int", "How many modules it has."));
    } else {
        return {};
    }
}

/// What an op's row says; the first of its name.
const char *doc_of(std::string_view op) {
    return std::ranges::find(op_rows(), op, [](const OpRow &row) { return std::string_view(row.name); })->doc;
}

template <class C> Class module_class(const char *name, const char *doc) {
    if constexpr (requires { typename C::Options; })
        return Class(
            "nn", constructor_schema<typename C::Options>(name), doc,
            [](const Value *args) -> Ref<Object> { return make<C>(options_from_values<typename C::Options>(args)); },
            own_methods<C>(), typeid(C));
    else
        return Class(
            "nn", std::string(name) + "() -> ()", doc, [](const Value *) -> Ref<Object> { return make<C>(); },
            own_methods<C>(), typeid(C));
}

} // namespace

Family class_family() {
    Family family{"nn", Kind::Module, module_methods(), {}};
#define WICK_CLASS(name, doc) family.classes.push_back(module_class<name>(#name, doc));
#define WICK_CLASS_OF(name, op) WICK_CLASS(name, doc_of(#op))
#include "nn/classes.def"
#undef WICK_CLASS
#undef WICK_CLASS_OF
    return family;
}

} // namespace wick::nn
