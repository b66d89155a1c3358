// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/container.hpp"

namespace wick::nn {

ModuleList::ModuleList(Options given) {
    for (Ref<Module> &m : given.modules) append(std::move(m));
}

void ModuleList::append(Ref<Module> module) {
    if (!module) throw Error(TH_E_ARG, class_name() + ".append: got no module");
    if (module->holds(*this))
        throw Error(TH_E_ARG, class_name() + ".append: got a module that holds this one, want another");
    modules_.push_back(std::move(module));
    modules_.back()->self().note_held();
}

Module &ModuleList::operator[](size_t index) const {
    if (index >= modules_.size())
        throw Error(TH_E_INDEX, class_name() + ": got index " + std::to_string(index) + ", want below " +
                                    std::to_string(modules_.size()));
    return *modules_[index];
}

void ModuleList::fields(FieldList &list) {
    for (size_t i = 0; i < modules_.size(); i++) list.one(std::to_string(i), modules_[i]);
}

// Sequentials within are gone through here, without recursion.
Tensor Sequential::forward(const Tensor &x) {
    Tensor y = x;
    std::vector<std::pair<const Sequential *, size_t>> levels{{this, 0}};
    while (!levels.empty()) {
        auto &[list, next] = levels.back();
        if (next == list->size()) {
            levels.pop_back();
            continue;
        }
        Module &m = (*list)[next++].self();
        if (typeid(m) == typeid(Sequential))
            levels.emplace_back(static_cast<const Sequential *>(&m), 0);
        else
            y = m(y);
    }
    return y;
}

} // namespace wick::nn
