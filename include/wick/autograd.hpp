// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/autograd.hpp
/// The tape: what an op records, and the engine that runs it backward.
///
/// An op computes its result, asks whether anybody wants gradients, and records one closure per input:
///
///     Tensor mul(const Tensor &a, const Tensor &b) {
///         Tensor y = call<TH_mul>(a, b);
///         if (!recording(a, b)) return y;
///         return record("mul", y, wrt(a, [b = Saved(b)](const Tensor &g) { return g * b; }),
///                                 wrt(b, [a = Saved(a)](const Tensor &g) { return g * a; }));
///     }
///
/// Closures of inputs that need no gradient are dropped at once with what they saved. A closure's result is summed over
/// broadcast dimensions and cast to its input's dtype by the engine. Closures use differentiable ops, which makes
/// double backward work.
#ifndef WICK_AUTOGRAD_HPP
#define WICK_AUTOGRAD_HPP

#include "wick/tensor.hpp"
#include <array>
#include <optional>
#include <tuple>

namespace wick {

/// True while the calling thread records (the default).
WICK_API bool grad_enabled() noexcept;
WICK_API void set_grad_enabled(bool on) noexcept;

/// Turns recording off (or on) for a scope.
class GradMode {
  public:
    explicit GradMode(bool on) : previous_(grad_enabled()) { set_grad_enabled(on); }
    ~GradMode() { set_grad_enabled(previous_); }
    GradMode(const GradMode &) = delete;
    GradMode &operator=(const GradMode &) = delete;

  private:
    bool previous_;
};
struct NoGrad : GradMode {
    NoGrad() : GradMode(false) {}
};

/// Whether an op on these inputs must record.
inline bool recording(const Tensor &a) noexcept { return a.requires_grad() && grad_enabled(); }
template <class... T> bool recording(const Tensor &a, const T &...rest) noexcept {
    return (a.requires_grad() || (rest.requires_grad() || ...)) && grad_enabled();
}

/// A tensor kept for backward. Reading it after its storage changed in place throws AutogradError naming the op.
class WICK_API Saved {
  public:
    explicit Saved(const Tensor &input);
    /// An op's own result: kept without its history, which would be a cycle; reading gives the history back.
    static Saved output(const Tensor &y, uint32_t index = 0);
    Saved(const Saved &o) noexcept;
    Saved(Saved &&o) noexcept;
    Saved &operator=(const Saved &) = delete;
    ~Saved() { THTensor_free(output_); }
    Tensor get() const;
    operator Tensor() const { return get(); }

  private:
    Saved() = default;
    Ref<TensorImpl> input_;
    THTensor *output_ = nullptr;
    uint32_t index_ = 0;
    uint64_t version_ = 0;
};

/// Where a gradient goes: a leaf tensor, or a result of another node.
class WICK_API Edge {
  public:
    Edge() = default;
    /// Empty if input needs no gradient.
    explicit Edge(const Tensor &input);
    Edge(Edge &&o) noexcept;
    Edge &operator=(Edge &&) = delete;
    ~Edge();
    explicit operator bool() const noexcept { return static_cast<bool>(target); }
    std::span<const int64_t> sizes() const noexcept {
        return {ndim_ > INLINE ? heap_ : inline_, static_cast<size_t>(ndim_)};
    }

    Ref<Object> target; ///< TensorImpl (a leaf) or Node
    uint32_t output = 0;
    DType dtype = DType::none; ///< the input's

  private:
    enum : int32_t { INLINE = 4 };
    int32_t ndim_ = 0;
    union {
        int64_t inline_[INLINE];
        int64_t *heap_;
    };
};

/// One recorded op.
class WICK_API Node : public Object {
  public:
    /// `name` is kept, not copied.
    Node(const char *name, uint32_t results) noexcept;
    const char *name() const noexcept { return name_; }
    uint64_t sequence() const noexcept { return sequence_; }
    virtual std::span<const Edge> edges() const noexcept = 0;

    /// From the gradients of the op's results (undefined: zero) to those of its inputs. `out[i]` is wanted only if
    /// edges()[i]; left undefined, it is zero.
    virtual void apply(std::span<const Tensor> grads, std::span<Tensor> out) = 0;
    /// Drops what was saved.
    virtual void clear() noexcept = 0;

  protected:
    ~Node() override;

  private:
    friend class Engine;
    friend class Tensor;
    friend struct TensorImpl;
    friend void move_history(const Tensor &x, const Tensor &y);
    struct Extras; // what few nodes have: hooks, retained gradients, several results
    Extras &extras();

    const char *const name_;
    const uint64_t sequence_;
    const uint32_t results_;
    bool cleared_ = false;
    std::atomic<const void *> owner_{nullptr}; // the engine that holds pending gradients for it
    Tensor grad_;                              // pending, of a single result
    std::unique_ptr<Extras> extras_;
};

/// An input and the function that gives its gradient.
template <class F> struct Wrt {
    const Tensor &input;
    F f;
};
template <class F> Wrt<F> wrt(const Tensor &input, F f) { return {input, std::move(f)}; }

/// Makes y the result of `node`.
WICK_API void attach(const Tensor &y, Ref<Node> node, uint32_t output = 0);

namespace detail {
template <class... F> class EachNode final : public Node {
  public:
    EachNode(const char *name, Wrt<F> &&...w)
        : Node(name, 1), edges_{Edge(w.input)...}, f_{std::optional<F>(std::move(w.f))...} {
        drop(std::index_sequence_for<F...>{});
    }
    std::span<const Edge> edges() const noexcept override { return edges_; }
    void apply(std::span<const Tensor> g, std::span<Tensor> out) override {
        each(g[0], out, std::index_sequence_for<F...>{});
    }
    void clear() noexcept override {
        std::apply([](auto &...f) { (f.reset(), ...); }, f_);
    }

  private:
    template <size_t... I> void drop(std::index_sequence<I...>) {
        ((edges_[I] ? void() : std::get<I>(f_).reset()), ...);
    }
    template <size_t... I> void each(const Tensor &g, std::span<Tensor> out, std::index_sequence<I...>) {
        ((std::get<I>(f_) ? void(out[I] = (*std::get<I>(f_))(g)) : void()), ...);
    }
    std::array<Edge, sizeof...(F)> edges_;
    std::tuple<std::optional<F>...> f_;
};

template <class F> class JointNode final : public Node {
  public:
    JointNode(const char *name, uint32_t results, std::span<const Tensor> inputs, F f)
        : Node(name, results), f_(std::move(f)) {
        edges_.reserve(inputs.size());
        for (const Tensor &t : inputs) edges_.emplace_back(t);
    }
    std::span<const Edge> edges() const noexcept override { return edges_; }
    void apply(std::span<const Tensor> g, std::span<Tensor> out) override { (*f_)(g, out); }
    void clear() noexcept override { f_.reset(); }

  private:
    std::vector<Edge> edges_;
    std::optional<F> f_;
};
} // namespace detail

/// Records y = op(inputs), one closure per input. `name` is kept, not copied.
template <class... F> Tensor record(const char *name, const Tensor &y, Wrt<F>... inputs) {
    attach(y, make<detail::EachNode<F...>>(name, std::move(inputs)...));
    return y;
}

/// Records an op whose gradients are computed together, or that has several results: f(span of grads, span of out).
template <class F>
void record_joint(const char *name, std::span<const Tensor> results, std::span<const Tensor> inputs, F f) {
    Ref<Node> node = make<detail::JointNode<F>>(name, static_cast<uint32_t>(results.size()), inputs, std::move(f));
    for (size_t i = 0; i < results.size(); i++) attach(results[i], node, static_cast<uint32_t>(i));
}

/// Runs backward from several roots; undefined seeds are ones for single-element roots. Gradients add up in the leaves'
/// grad.
WICK_API void backward(std::span<const Tensor> roots, std::span<const Tensor> seeds = {}, BackwardOptions options = {});

/// The gradients of roots with respect to inputs (leaves or not), without touching any grad. An input that no root
/// depends on is an error, or an undefined result with allow_unused.
WICK_API std::vector<Tensor> grad(std::span<const Tensor> roots, std::span<const Tensor> inputs,
                                  std::span<const Tensor> seeds = {}, BackwardOptions options = {},
                                  bool allow_unused = false);

/// Compares analytic gradients (and, with second, those of the gradients) of f at float64 inputs with central
/// differences, by one random projection. Throws AutogradError with both numbers when they differ by more than tol
/// relative to their size.
WICK_API void gradcheck(const std::function<Tensor(std::span<const Tensor>)> &f, std::span<const Tensor> inputs,
                        bool second = true, double eps = 1e-6, double tol = 1e-5);

} // namespace wick
#endif
