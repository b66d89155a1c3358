// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/nn/module.hpp
/// Modules: parameters, buffers and children as plain members, listed once per class.
///
///     struct Net : nn::Module {
///         nn::Linear fc1{64, 32}, fc2{{.in_features = 32, .out_features = 10}};
///         WICK_FIELDS(fc1, fc2)
///         Tensor forward(const Tensor &x) override { return fc2(relu(fc1(x))); }
///     };
///
/// A field is a Parameter, a Buffer, a module, a Ref to one, or a std::vector of those. A class derived from such a
/// class lists the inherited fields again with its own. Modules live on the stack, as members, or counted behind a Ref
/// (make<Net>()).
#ifndef WICK_NN_MODULE_HPP
#define WICK_NN_MODULE_HPP

#include "wick/class.hpp"
#include "wick/options.hpp"

/// The parameters, buffers and children of a module class, in order.
#define WICK_FIELDS(...)                                                                                               \
    void fields(::wick::nn::FieldList &list) override { list.add(#__VA_ARGS__, __VA_ARGS__); }

/// A constructor that takes the first `most` options by position, as PyTorch does: Linear(10, 20).
#define WICK_POSITIONAL(Class, most)                                                                                   \
    template <class... A>                                                                                              \
    requires(::wick::nn::positional<Options, most, A...>) explicit Class(A &&...values)                                \
        : Class(Options{std::forward<A>(values)...}) {}

/// Stem2d, say: StemNd<2>, whose first `most` options may be given by position.
#define WICK_DIMENSIONS(Stem, n, most)                                                                                 \
    extern template class Stem##Nd<n>;                                                                                 \
    struct WICK_API Stem##n##d : Stem##Nd<n> {                                                                         \
        using Stem##Nd<n>::Stem##Nd;                                                                                   \
        WICK_POSITIONAL(Stem##n##d, most)                                                                              \
    };

namespace wick {

/// To values and back: a list of names and one of tensors.
WICK_API void store(Value *results, NamedTensors &&tensors);
WICK_API NamedTensors name_tensors(std::span<const std::string> names, std::span<const Tensor> tensors);

namespace nn {

class Module;

/// A tensor that training changes. An undefined one (a layer without bias) does not count as a field.
class WICK_API Parameter : public Tensor {
  public:
    Parameter() = default;
    /// The same data as a leaf that requires grad.
    explicit Parameter(const Tensor &t);
};

/// A tensor that belongs to a module's state but is not trained.
class Buffer : public Tensor {
  public:
    Buffer() = default;
    explicit Buffer(const Tensor &t) : Tensor(t) {}
};

/// One field of a module: exactly one pointer is set.
struct Field {
    std::string name;
    Parameter *parameter = nullptr;
    Buffer *buffer = nullptr;
    Module *child = nullptr;
    bool embedded = false; ///< the child is a member: it lives as long as its parent
};

/// What WICK_FIELDS fills.
class WICK_API FieldList {
    template <class T>
    static constexpr bool is_field =
        std::derived_from<T, Parameter> || std::derived_from<T, Buffer> || std::derived_from<T, Module>;

  public:
    template <class... T> void add(const char *names, T &...fields) {
        auto split = detail::split_names(names);
        size_t i = 0;
        (one(std::string(split[i++]), fields), ...);
    }
    void one(std::string name, Parameter &p);
    void one(std::string name, Buffer &b);
    void one(std::string name, Module &child);
    template <std::derived_from<Module> M> void one(std::string name, Ref<M> &child) {
        if (child) one(std::move(name), *child, false);
    }
    template <class T> void one(const std::string &name, std::vector<T> &list) {
        for (size_t i = 0; i < list.size(); i++) one(name + "." + std::to_string(i), list[i]);
    }
    /// Anything else is a mistake.
    template <class T>
    requires(!is_field<T>) void one(const std::string &, T &) {
        static_assert(is_field<T>,
                      "WICK_FIELDS: a field is a Parameter or Buffer (not a plain Tensor), a module, a Ref "
                      "to one, or a std::vector of those");
    }
    const std::vector<Field> &items() const &noexcept { return items_; }
    std::vector<Field> items() &&noexcept { return std::move(items_); }

  private:
    void one(std::string name, Module &child, bool embedded);
    std::vector<Field> items_;
};

class WICK_API Module : public Object {
  public:
    Module() noexcept : Object(Kind::Module) {}
    /// Moves the fields; the source is left without them.
    Module(Module &&o) noexcept : Object(Kind::Module), training_(o.training_) {}

    /// What the module computes. Modules that take other arguments (losses) have a forward of their own; theirs of one
    /// tensor is UnsupportedError.
    virtual Tensor forward(const Tensor &x);
    Tensor operator()(const Tensor &x) { return forward(x); }

    // Modules may be nested as deep as memory allows, and shared: methods visit each module once.

    /// Parameters, each once however often it is shared.
    std::vector<Tensor> parameters() const;
    NamedTensors named_parameters() const;
    NamedTensors named_buffers() const;
    /// Children that share their data with this module and keep it alive. Only for modules behind a Ref.
    std::vector<std::pair<std::string, Ref<Module>>> named_children();

    /// Parameters and buffers under every name they have. The tensors share memory with the module. ArgumentError for
    /// more than 2^20 names, which modules that share modules soon have, or 256 MiB of them.
    NamedTensors state_dict() const;
    struct LoadResult {
        std::vector<std::string> missing, unexpected;
    };
    /// Copies into parameters and buffers. Nothing is changed if a tensor's sizes do not fit or, with strict, if a name
    /// is missing or unknown: the error lists them all.
    LoadResult load_state_dict(const NamedTensors &state, bool strict = true);

    /// Casts floating parameters and buffers. Parameters become new tensors: make optimizers afterwards.
    void to(DType dtype);
    /// The same with all parameters and buffers, onto a device.
    void to(Device device);
    void train(bool on = true);
    void eval() { train(false); }
    bool is_training() const noexcept { return training_; }
    void zero_grad(bool set_to_none = true);
    void requires_grad_(bool on = true);
    /// Calls f on every module in it, children first, itself last.
    void apply(const std::function<void(Module &)> &f);
    /// Whether it is `other` or has it somewhere below.
    bool holds(const Module &other) const;

    /// "Net(\n  (fc): Linear(in_features=64, out_features=10)\n)"; "..." for what is 50 deep or after 10,000 lines.
    std::string to_string() const;

    /// The name of the C++ class, without namespaces.
    std::string class_name() const override;
    /// What to_string() shows between the parentheses.
    virtual std::string extra_repr() const { return {}; }
    /// Its entry in the registry, or nullptr.
    const Class *registered_class() const override;
    /// Made by WICK_FIELDS.
    virtual void fields(FieldList &) {}
    /// The module itself, also through a reference that named_children() gave.
    Module &self() noexcept override { return *this; }

  protected:
    ~Module() override = default;

  private:
    friend class FieldList;
    friend class ModuleList;
    void note_held() noexcept {
        if (!held_.load(std::memory_order_relaxed)) held_.store(true, std::memory_order_relaxed);
    }
    std::vector<Field> own_fields() const;
    template <class V> void walk(const V &visitor) const;
    template <class F> NamedTensors collect(bool named, F &&pick) const;
    template <class F> void replace(F &&convert);
    bool training_ = true;
    std::atomic<bool> held_{false}; // a list has taken it, or it was seen as a field
};

WICK_API std::ostream &operator<<(std::ostream &os, const Module &m);

/// Whether values of these types make options by position.
template <class O, size_t most, class... A>
concept positional = sizeof...(A) > 0 && sizeof...(A) <= most && (!std::same_as<Bare<A>, O> && ...) && requires {
    O{std::declval<A>()...};
};

/// A module made from an options struct.
template <class O, class Base = Module> class Configured : public Base {
  public:
    using Options = O;
    Options options;
    std::string extra_repr() const override { return describe_options(options); }

  protected:
    /// ArgumentError in the name of `what` for a required option that was not given.
    Configured(const char *what, Options given) : options(check_required(what, std::move(given))) {}
};

} // namespace nn

template <> struct WICK_API Unbox<Ref<nn::Module>> {
    static Ref<nn::Module> get(const Value &v);
    static std::string type() { return "Module"; }
};
WICK_API std::string literal(const Ref<nn::Module> &m);
} // namespace wick
#endif
