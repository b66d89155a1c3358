// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/module.hpp"
#include "core/class.hpp"
#include "wick/autograd.hpp"
#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

namespace wick::nn {

namespace {

/// A child that is a member of another module, kept alive by holding that module.
class Part final : public Module {
  public:
    Part(Ref<Module> owner, Module &part) : owner_(std::move(owner)), part_(part) {}
    Tensor forward(const Tensor &x) override { return part_.forward(x); }
    std::string class_name() const override { return part_.class_name(); }
    std::string extra_repr() const override { return part_.extra_repr(); }
    const Class *registered_class() const override { return part_.registered_class(); }
    void fields(FieldList &list) override { part_.fields(list); }
    Module &self() noexcept override { return part_.self(); }

  private:
    Ref<Module> owner_;
    Module &part_;
};

std::string quoted_list(const char *intro, const std::vector<std::string> &names) {
    std::string out;
    for (const std::string &name : names) out += (out.empty() ? intro : ", ") + ("'" + name + "'");
    return out;
}

std::string indented(const std::string &text) {
    std::string out;
    for (char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return out;
}

} // namespace

Parameter::Parameter(const Tensor &t) : Tensor(t.requires_grad() ? t.detach() : t) {
    if (defined()) requires_grad_();
}

void FieldList::one(std::string name, Parameter &p) {
    if (p.defined()) items_.push_back({.name = std::move(name), .parameter = &p});
}
void FieldList::one(std::string name, Buffer &b) {
    if (b.defined()) items_.push_back({.name = std::move(name), .buffer = &b});
}
void FieldList::one(std::string name, Module &child) {
    items_.push_back({.name = std::move(name), .child = &child, .embedded = true});
}

// ---- walking over fields ----

std::vector<Field> Module::own_fields() const {
    FieldList list;
    // WICK_FIELDS names members, which a const module gives out as handles only.
    const_cast<Module *>(this)->fields(list);
    return list.items();
}

template <class F> void Module::walk(const std::string &prefix, F &&f) const {
    for (const Field &field : own_fields()) {
        std::string name = prefix + field.name;
        if (field.child)
            field.child->walk(name + ".", f);
        else
            f(name, field);
    }
}

template <class F> NamedTensors Module::collect(F &&pick) const {
    NamedTensors out;
    std::unordered_set<const TensorImpl *> seen;
    walk("", [&](const std::string &name, const Field &field) {
        const Tensor *t = pick(field);
        if (t && seen.insert(t->impl()).second) out.emplace_back(name, *t);
    });
    return out;
}

NamedTensors Module::named_parameters() const {
    return collect([](const Field &f) { return f.parameter; });
}

NamedTensors Module::named_buffers() const {
    return collect([](const Field &f) { return f.buffer; });
}

std::vector<Tensor> Module::parameters() const {
    std::vector<Tensor> out;
    for (auto &[name, tensor] : named_parameters()) out.push_back(std::move(tensor));
    return out;
}

std::vector<std::pair<std::string, Ref<Module>>> Module::named_children() {
    std::vector<std::pair<std::string, Ref<Module>>> out;
    for (const Field &f : own_fields())
        if (f.child)
            out.emplace_back(f.name, f.embedded ? Ref<Module>(make<Part>(Ref<Module>::share(this), *f.child))
                                                : Ref<Module>::share(f.child));
    return out;
}

void Module::apply(const std::function<void(Module &)> &f) {
    for (const Field &field : own_fields())
        if (field.child) field.child->apply(f);
    f(self());
}

// ---- state ----

NamedTensors Module::state_dict() const {
    NamedTensors out;
    walk("", [&](const std::string &name, const Field &f) {
        out.emplace_back(name, f.parameter ? f.parameter->detach() : *f.buffer);
    });
    return out;
}

Module::LoadResult Module::load_state_dict(const NamedTensors &state, bool strict) {
    std::unordered_map<std::string_view, const Tensor *> given;
    for (auto &[name, tensor] : state) given[name] = &tensor;
    LoadResult result;
    std::vector<std::pair<Tensor, Tensor>> copies;
    std::string misfits;
    for (auto &[name, own] : state_dict()) {
        auto it = given.find(name);
        if (it == given.end()) {
            result.missing.push_back(name);
            continue;
        }
        const Tensor &tensor = *it->second;
        if (!tensor.defined() || !std::ranges::equal(tensor.sizes(), own.sizes()))
            misfits += "; got '" + name + "' of " + (tensor.defined() ? tensor.describe() : "nothing") + ", want " +
                       own.describe();
        copies.emplace_back(own, tensor);
        given.erase(it);
    }
    for (auto &[name, tensor] : state)
        if (given.contains(name)) result.unexpected.push_back(name);
    std::string faults = misfits;
    if (strict)
        faults = quoted_list("; got no ", result.missing) + quoted_list("; got unknown ", result.unexpected) + misfits;
    if (!faults.empty())
        throw Error(faults == misfits ? TH_E_SHAPE : TH_E_ARG, class_name() + ".load_state_dict: " + faults.substr(2));
    for (auto &[own, tensor] : copies) check(THTensor_copy(own.th(), tensor.th())); // needs no memory: all or nothing
    return result;
}

void Module::to(DType dtype) {
    std::unordered_map<const TensorImpl *, Tensor> casts; // shared parameters stay shared
    walk("", [&](const std::string &, const Field &f) {
        Tensor &t = f.parameter ? static_cast<Tensor &>(*f.parameter) : *f.buffer;
        if (!t.is_floating_point() || t.dtype() == dtype) return;
        Tensor &cast = casts[t.impl()];
        if (!cast.defined()) {
            cast = t.detach().to(dtype);
            if (t.requires_grad()) cast.requires_grad_();
        }
        t = cast;
    });
}

void Module::train(bool on) {
    apply([on](Module &m) { m.training_ = on; });
}

void Module::zero_grad(bool set_to_none) {
    for (Tensor &p : parameters()) {
        if (set_to_none)
            p.set_grad({});
        else if (Tensor g = p.grad(); g.defined())
            g.detach().zero_();
    }
}

void Module::requires_grad_(bool on) {
    for (Tensor &p : parameters()) p.requires_grad_(on);
}

// ---- description ----

Tensor Module::forward(const Tensor &) {
    throw Error(TH_E_UNSUPPORTED, class_name() + ": has no forward of one tensor");
}

std::string Module::class_name() const { return detail::type_name(typeid(*this)); }

const Class *Module::registered_class() const { return detail::class_by_type("nn", typeid(*this)); }

std::string Module::to_string() const {
    std::string children;
    for (const Field &f : own_fields())
        if (f.child) children += "\n  (" + f.name + "): " + indented(f.child->to_string());
    return class_name() + "(" + extra_repr() + children + (children.empty() ? ")" : "\n)");
}

std::ostream &operator<<(std::ostream &os, const Module &m) { return os << m.to_string(); }

} // namespace wick::nn

namespace wick {

void store(Value *results, NamedTensors &&tensors) {
    std::vector<std::string> names;
    std::vector<Tensor> values;
    for (auto &[name, tensor] : tensors) {
        names.push_back(std::move(name));
        values.push_back(std::move(tensor));
    }
    results[0] = box(names);
    results[1] = box(values);
}

NamedTensors name_tensors(std::span<const std::string> names, std::span<const Tensor> tensors) {
    if (names.size() != tensors.size())
        throw Error(TH_E_ARG, "state: got " + std::to_string(names.size()) + " names and " +
                                  std::to_string(tensors.size()) + " tensors, want as many");
    NamedTensors out;
    for (size_t i = 0; i < names.size(); i++) out.emplace_back(names[i], tensors[i]);
    return out;
}

Ref<nn::Module> Unbox<Ref<nn::Module>>::get(const Value &v) {
    return Ref<nn::Module>::share(static_cast<nn::Module *>(unbox_object(v, Kind::Module)));
}

std::string literal(const Ref<nn::Module> &m) { return m ? m->class_name() : "None"; }

} // namespace wick
