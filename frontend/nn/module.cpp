// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/module.hpp"
#include "core/class.hpp"
#include "wick/autograd.hpp"
#include "wick/nn/container.hpp"
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

std::string indented(const std::string &text, const std::string &line_end) {
    std::string out;
    for (char c : text) out += c == '\n' ? line_end : std::string(1, c);
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
void FieldList::one(std::string name, Module &child) { one(std::move(name), child, true); }
void FieldList::one(std::string name, Module &child, bool embedded) {
    child.note_held();
    items_.push_back({.name = std::move(name), .child = &child, .embedded = embedded});
}

// ---- walking over fields ----

std::vector<Field> Module::own_fields() const {
    FieldList list;
    const_cast<Module *>(this)->fields(list); // names members, which a const module gives out as handles only
    return std::move(list).items();
}

namespace {

/// A module on the way down.
struct Level {
    Module *module;
    std::vector<Field> fields;
    size_t next, prefix; ///< the field to visit, and the length of the module's own name with its dot
};

/// What a walk does. A walk goes down without recursion, however deep modules are nested.
struct Visitor {
    bool named = true, once = true; ///< whether to make names; whether to visit a shared module once, or wherever it is
    /// Of the module at `depth`, called `name` in its parent; false leaves out what is below.
    std::function<bool(Module &, const std::string &name, size_t depth)> enter = {};
    /// Of parameters and buffers, under dotted names.
    std::function<void(const std::string &name, const Field &)> field = {};
    std::function<void(Module &)> leave = {};
};

/// Shared modules and deep names multiply; nothing is worth more than these.
constexpr size_t MOST_FIELDS = size_t{1} << 20, MOST_BYTES = size_t{1} << 28;

class Bound {
  public:
    explicit Bound(const Module &m) : module_(m) {}
    void field(size_t bytes) {
        if (++fields_ > MOST_FIELDS || (bytes_ += bytes) > MOST_BYTES)
            throw Error(TH_E_ARG, module_.class_name() + ": got modules nested or shared so that there are more than " +
                                      (fields_ > MOST_FIELDS ? "1048576 names" : "256 MiB of names") + ", want fewer");
    }

  private:
    const Module &module_;
    size_t fields_ = 0, bytes_ = 0;
};

} // namespace

template <class V> void Module::walk(const V &visitor) const {
    std::string name;
    std::vector<Level> levels;
    std::unordered_set<const Module *> seen;
    Bound bound(*this);
    auto go_down = [&](Module &m, const std::string &own_name) {
        if (visitor.once && !seen.insert(&m).second) return;
        if (visitor.named && !visitor.once) bound.field(0);
        if (visitor.enter && !visitor.enter(m, own_name, levels.size())) return;
        levels.push_back({&m, m.own_fields(), 0, name.size()});
    };
    go_down(const_cast<Module *>(this)->self(), "");
    while (!levels.empty()) {
        Level &at = levels.back();
        name.resize(at.prefix);
        if (at.next == at.fields.size()) {
            if (visitor.leave) visitor.leave(*at.module);
            levels.pop_back();
            continue;
        }
        const Field &field = at.fields[at.next++];
        if (field.child) {
            if (visitor.named) name += field.name + ".";
            go_down(field.child->self(), std::string(field.name)); // `field` moves when levels grow
        } else if (visitor.field) {
            if (visitor.named) bound.field((name += field.name).size());
            visitor.field(name, field);
        }
    }
}

template <class F> NamedTensors Module::collect(bool named, F &&pick) const {
    NamedTensors out;
    std::unordered_set<const TensorImpl *> seen;
    walk(Visitor{.named = named, .field = [&](const std::string &name, const Field &field) {
                     const Tensor *t = pick(field);
                     if (t && seen.insert(t->impl()).second) out.emplace_back(name, *t);
                 }});
    return out;
}

NamedTensors Module::named_parameters() const {
    return collect(true, [](const Field &f) { return f.parameter; });
}

NamedTensors Module::named_buffers() const {
    return collect(true, [](const Field &f) { return f.buffer; });
}

std::vector<Tensor> Module::parameters() const {
    std::vector<Tensor> out;
    for (auto &[name, tensor] : collect(false, [](const Field &f) { return f.parameter; }))
        out.push_back(std::move(tensor));
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
    std::vector<Module *> order;
    walk(Visitor{.named = false, .leave = [&](Module &m) { order.push_back(&m); }});
    for (Module *m : order) f(*m);
}

bool Module::holds(const Module &other) const {
    bool found = false;
    walk(Visitor{.named = false, .enter = [&](Module &m, const std::string &, size_t) {
                     found = found || &m == &other;
                     // Lists mark what they take. Others' fields are marked by being looked at, as here.
                     return !found && (other.held_ || !dynamic_cast<const ModuleList *>(&m));
                 }});
    return found;
}

// ---- state ----

NamedTensors Module::state_dict() const {
    NamedTensors out;
    walk(Visitor{.once = false, .field = [&](const std::string &name, const Field &f) {
                     out.emplace_back(name, f.parameter ? f.parameter->detach() : *f.buffer);
                 }});
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

template <class F> void Module::replace(F &&convert) {
    std::unordered_map<const TensorImpl *, Tensor> casts; // shared parameters stay shared
    std::vector<std::pair<Tensor *, Tensor>> changes;
    walk(Visitor{.named = false, .field = [&](const std::string &, const Field &f) {
                     Tensor &t = f.parameter ? static_cast<Tensor &>(*f.parameter) : *f.buffer;
                     Tensor &cast = casts[t.impl()];
                     if (!cast.defined()) {
                         cast = convert(t);
                         if (cast.impl() != t.impl() && t.requires_grad()) cast.requires_grad_();
                     }
                     changes.emplace_back(&t, cast);
                 }});
    for (auto &[t, cast] : changes) *t = std::move(cast); // all or none
}

void Module::to(DType dtype) {
    replace([&](const Tensor &t) { return !t.is_floating_point() || t.dtype() == dtype ? t : t.detach().to(dtype); });
}

void Module::to(Device device) {
    replace([&](const Tensor &t) { return t.device() == device ? t : t.detach().to(device); });
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
    constexpr size_t MOST_DEPTH = 50, MOST_LINES = 10000;
    std::string out;
    size_t lines = 0;
    std::vector<bool> parents; // of the modules on the way down: whether they have a line below
    auto indent = [](size_t depth) { return "\n" + std::string(2 * depth, ' '); };
    auto enter = [&](Module &m, const std::string &name, size_t depth) {
        if (lines > MOST_LINES) return false;
        bool cut = depth > MOST_DEPTH || ++lines > MOST_LINES;
        if (depth) {
            parents.back() = true;
            out += indent(depth) + (cut ? "..." : "(" + name + "): ");
        }
        if (cut) return false;
        out += m.class_name() + "(" + indented(m.extra_repr(), indent(depth));
        parents.push_back(false);
        return true;
    };
    auto leave = [&](Module &) {
        bool parent = parents.back();
        parents.pop_back();
        out += parent ? indent(parents.size()) + ")" : ")";
    };
    walk(Visitor{.named = false, .once = false, .enter = enter, .leave = leave});
    return out;
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
