// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/container.hpp
/// Modules that hold others.
#ifndef WICK_NN_CONTAINER_HPP
#define WICK_NN_CONTAINER_HPP

#include "wick/nn/module.hpp"

namespace wick::nn {

struct ModuleListOptions {
    std::vector<Ref<Module>> modules = {};
    WICK_OPTIONS(modules)
};

/// Modules named "0", "1", ...
class WICK_API ModuleList : public Module {
  public:
    using Options = ModuleListOptions;
    ModuleList() = default;
    explicit ModuleList(Options given);
    /// From modules, which are moved in, and Refs to modules.
    template <class... M>
    requires(sizeof...(M) > 0 &&
             (!std::same_as<Bare<M>, ModuleListOptions> && ...)) explicit ModuleList(M &&...modules) {
        (append(std::forward<M>(modules)), ...);
    }

    /// ArgumentError for a null reference and for a module that holds this one.
    void append(Ref<Module> module);
    template <std::derived_from<Module> M> void append(M &&module) { append(Ref<Module>(make<M>(std::move(module)))); }
    size_t size() const noexcept { return modules_.size(); }
    /// IndexError out of range.
    Module &operator[](size_t index) const;
    void fields(FieldList &list) override;

  private:
    std::vector<Ref<Module>> modules_;
};

/// Applies one module after the other.
class WICK_API Sequential : public ModuleList {
  public:
    using ModuleList::ModuleList;
    Tensor forward(const Tensor &x) override;
};

} // namespace wick::nn
#endif
