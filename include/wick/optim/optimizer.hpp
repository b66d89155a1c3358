// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/optim/optimizer.hpp
/// What all optimizers share: groups of parameters with options, state per parameter, saving and loading.
#ifndef WICK_OPTIM_OPTIMIZER_HPP
#define WICK_OPTIM_OPTIMIZER_HPP

#include "wick/nn/module.hpp"

namespace wick::optim {

class WICK_API Optimizer : public Object {
  public:
    /// One update of every parameter that has a gradient. Not recorded. All or nothing: memory is taken first.
    virtual void step() = 0;
    void zero_grad(bool set_to_none = true);

    virtual size_t group_count() const noexcept = 0;
    /// IndexError out of range.
    virtual const std::vector<Tensor> &params(size_t group) const = 0;
    /// Adds parameters with the optimizer's defaults. ArgumentError for one that it has already or that is not a leaf.
    virtual void add_param_group(std::vector<Tensor> params) = 0;

    /// Options by name. NotFoundError for a name that this optimizer does not have; the value that get() returns is
    /// owned by the caller.
    virtual Value get(std::string_view option, size_t group = 0) const = 0;
    virtual void set(std::string_view option, const Value &value, size_t group) = 0;
    void set(std::string_view option, const Value &value);
    double lr(size_t group = 0) const { return unbox<double>(OwnedValue(get("lr", group))); }
    void set_lr(double lr) { set("lr", box(lr)); }
    void set_lr(double lr, size_t group) { set("lr", box(lr), group); }

    /// Options as "group.<g>.<name>" and state as "state.<p>.<name>", p counting parameters over all groups; numbers
    /// are 0-dim tensors. The tensors share memory with the optimizer.
    virtual NamedTensors state_dict() const = 0;
    /// Copies; nothing is changed on failure. ArgumentError for another number of groups or an unknown name, ShapeError
    /// for state that does not fit its parameter. Options that are not there keep their values.
    virtual void load_state_dict(const NamedTensors &state) = 0;

    /// "SGD(\n  group 0: 4 parameters, lr=0.1\n)".
    std::string to_string() const;
    virtual std::string describe_group(size_t group) const = 0;
    std::string class_name() const override;
    const Class *registered_class() const override;

  protected:
    Optimizer() noexcept : Object(Kind::Optimizer) {}
    /// Fails unless each is a new leaf of floating dtype, and there is one at all.
    void check_params(const std::vector<Tensor> &params) const;
    /// The gradient, borrowed, or NULL.
    static const THTensor *gradient(const Tensor &p) noexcept {
        const Ref<TensorImpl> &grad = p.impl()->grad;
        return grad ? grad->th : nullptr;
    }
};

WICK_API std::ostream &operator<<(std::ostream &os, const Optimizer &o);

namespace detail {
/// Numbers and tensors of options and states as tensors, and back; `what` begins the text of errors.
WICK_API Tensor to_tensor(const Tensor &t);
WICK_API Tensor to_tensor(double v);
WICK_API Tensor to_tensor(int64_t v);
WICK_API Tensor to_tensor(bool v);
WICK_API Tensor to_tensor(std::span<const double> v);
WICK_API void from_tensor(double &v, const Tensor &t);
WICK_API void from_tensor(int64_t &v, const Tensor &t);
WICK_API void from_tensor(bool &v, const Tensor &t);
WICK_API void from_tensor(std::span<double> v, const Tensor &t);
/// State of a parameter: a copy of t in its sizes and state_dtype.
WICK_API void from_tensor(Tensor &v, const Tensor &t, const Tensor &parameter);

/// A key "<kind>.<index>.<name>" taken apart; NotFoundError for another form.
struct Key {
    std::string_view kind, name;
    size_t index;
};
WICK_API Key parse_key(std::string_view text);
[[noreturn]] WICK_API void no_option(const std::string &optimizer, std::string_view option);
[[noreturn]] WICK_API void no_group(const std::string &optimizer, size_t group, size_t count);
/// ArgumentError for an option below 0 or NaN.
WICK_API void check_not_negative(const char *what, std::initializer_list<std::pair<const char *, double>> options);
/// out = a + alpha b, without a recording or an allocation.
WICK_API void add_scaled(THTensor *out, const THTensor *a, const THTensor *b, double alpha);

/// The dtype of a parameter's state, in which it is updated: its own, float32 for halves.
WICK_API DType state_dtype(const Tensor &p);
/// Zeros in the sizes of p and its state's dtype, if t is undefined.
WICK_API void make_state(Tensor &t, const Tensor &p);
/// So many contiguous tensors in the sizes and state dtype of a parameter.
struct Scratch {
    const Tensor *parameter;
    size_t count;
};
/// One parameter's after the other's. Those of different parameters lie in the same memory, to be used one parameter
/// after the other.
WICK_API std::vector<Tensor> make_scratch(std::span<const Scratch> wanted);
} // namespace detail

/// An optimizer with the options O and, per parameter, the state S; both list their members with WICK_OPTIONS. A
/// derived class says what one parameter's update is; a step gathers all memory before the first of them.
template <class O, class S> class OptimizerOf : public Optimizer {
  public:
    using Options = O;
    struct Group {
        std::vector<Tensor> params;
        O options;
        std::vector<S> state; ///< one per parameter
    };
    /// For reading, and for changing options.
    std::vector<Group> groups;

    size_t group_count() const noexcept override { return groups.size(); }
    const std::vector<Tensor> &params(size_t group) const override { return at(*this, group).params; }
    void add_param_group(std::vector<Tensor> params) override { add_param_group(std::move(params), defaults_); }
    void add_param_group(std::vector<Tensor> params, O options) {
        check_params(params);
        check_options(options);
        size_t n = params.size();
        groups.push_back({std::move(params), std::move(options), std::vector<S>(n)});
    }

    void step() override {
        std::vector<Job> jobs;
        std::vector<detail::Scratch> wanted;
        std::vector<std::vector<Tensor>> numbers;
        size_t most = 0;
        for (const Group &g : groups) {
            most += g.params.size();
            numbers.push_back(this->numbers(g.options));
        }
        jobs.reserve(most), wanted.reserve(most);
        for (size_t k = 0; k < groups.size(); k++) {
            Group &g = groups[k];
            for (size_t i = 0; i < g.params.size(); i++) {
                const Tensor &p = g.params[i];
                if (!gradient(p)) continue;
                Job &job = jobs.emplace_back(g.options, g.state[i], numbers[k]);
                job.fresh = prepare(job.next, p, g.options);
                wanted.push_back({&p, scratch(g.options) + (detail::state_dtype(p) != p.dtype())});
            }
        }
        std::vector<Tensor> scratch = detail::make_scratch(wanted);
        // From here on nothing needs memory.
        std::span<const Tensor> rest = scratch;
        for (size_t i = 0; i < jobs.size(); i++) {
            jobs[i].state = std::move(jobs[i].next);
            run(jobs[i], *wanted[i].parameter, rest.first(wanted[i].count));
            rest = rest.subspan(wanted[i].count);
        }
    }

    Value get(std::string_view option, size_t group = 0) const override {
        std::optional<Value> out;
        for_each_option(at(*this, group).options, [&](std::string_view name, const auto &value) {
            if (name == option) out = box(value);
        });
        if (!out) detail::no_option(class_name(), option);
        return *out;
    }
    using Optimizer::set;
    void set(std::string_view option, const Value &value, size_t group) override {
        Group &g = at(*this, group);
        O next = g.options;
        bool found = false;
        for_each_option(next, [&]<class T>(std::string_view name, T &member) {
            if (name == option) member = unbox<T>(value), found = true;
        });
        if (!found) detail::no_option(class_name(), option);
        check_options(next);
        g.options = std::move(next);
    }

    NamedTensors state_dict() const override {
        NamedTensors out;
        size_t p = 0;
        auto add = [&](std::string key, const auto &fields) {
            for_each_option(fields, [&](std::string_view name, const auto &value) {
                if (Tensor t = detail::to_tensor(value); t.defined()) out.emplace_back(key + std::string(name), t);
            });
        };
        for (size_t g = 0; g < groups.size(); g++) {
            add("group." + std::to_string(g) + ".", groups[g].options);
            for (const S &s : groups[g].state) add("state." + std::to_string(p++) + ".", s);
        }
        return out;
    }
    void load_state_dict(const NamedTensors &state) override {
        std::vector<Group> next = groups;
        std::vector<std::pair<S *, const Tensor *>> states;
        for (Group &g : next) {
            g.state.assign(g.params.size(), S{});
            for (size_t i = 0; i < g.params.size(); i++) states.emplace_back(&g.state[i], &g.params[i]);
        }
        size_t seen = 0;
        for (auto &[text, tensor] : state) {
            detail::Key key = detail::parse_key(text);
            if (key.kind == "group" && key.index < next.size()) {
                seen = std::max(seen, key.index + 1);
                load(next[key.index].options, key.name, tensor);
            } else if (key.kind == "state" && key.index < states.size()) {
                load(*states[key.index].first, key.name, tensor, *states[key.index].second);
            } else {
                throw Error(TH_E_ARG, class_name() + ".load_state_dict: got '" + text + "', want at most " +
                                          std::to_string(next.size()) + " groups and " + std::to_string(states.size()) +
                                          " states");
            }
        }
        if (seen != next.size()) detail::no_group(class_name() + ".load_state_dict", seen, next.size());
        for (const Group &g : next) check_options(g.options);
        groups = std::move(next);
    }

    std::string describe_group(size_t group) const override { return describe_options(at(*this, group).options); }

  protected:
    OptimizerOf(const char *what, O defaults) : defaults_(check_required(what, std::move(defaults))) {}
    /// ArgumentError for values that make no sense.
    virtual void check_options(const O &options) const = 0;

    /// One parameter's update.
    struct Update {
        THTensor *p; ///< what changes; of state_dtype
        const THTensor *grad;
        const O &options;
        S &state;
        bool fresh;                               ///< what prepare() returned
        std::span<const Tensor> numbers, scratch; ///< what numbers() gave; as many tensors as scratch() said
    };
    /// Takes no memory.
    virtual void update(const Update &u) const = 0;
    /// Makes what is missing in a parameter's state; whether there was anything.
    virtual bool prepare(S &state, const Tensor &p, const O &options) const = 0;
    /// Number tensors for TH's functions.
    virtual std::vector<Tensor> numbers(const O &) const { return {}; }
    /// How many tensors like the parameter an update writes intermediate results into.
    virtual size_t scratch(const O &) const { return 0; }

  private:
    struct Job {
        Job(const O &o, S &s, std::span<const Tensor> n) : options(o), state(s), next(s), numbers(n) {}
        const O &options;
        S &state, next;
        std::span<const Tensor> numbers;
        bool fresh = false;
    };
    /// Halves are updated in float32 and rounded once.
    void run(Job &job, const Tensor &p, std::span<const Tensor> scratch) {
        THTensor *target = p.th();
        bool half = detail::state_dtype(p) != p.dtype();
        if (half) {
            target = scratch.back().th();
            check(THTensor_copy(target, p.th()));
            scratch = scratch.first(scratch.size() - 1);
        }
        update({target, gradient(p), job.options, job.state, job.fresh, job.numbers, scratch});
        if (half) check(THTensor_copy(p.th(), target));
    }
    template <class Self> static auto &at(Self &self, size_t group) {
        if (group >= self.groups.size()) detail::no_group(self.class_name(), group, self.groups.size());
        return self.groups[group];
    }
    template <class Fields, class... P>
    void load(Fields &fields, std::string_view key, const Tensor &tensor, const P &...parameter) {
        bool found = false;
        for_each_option(fields, [&]<class T>(std::string_view name, T &member) {
            if (name != key) return;
            found = true;
            if constexpr (std::same_as<T, Tensor>)
                detail::from_tensor(member, tensor, parameter...);
            else
                detail::from_tensor(member, tensor);
        });
        if (!found) detail::no_option(class_name() + ".load_state_dict", key);
    }
    O defaults_;
};

} // namespace wick::optim

#endif
