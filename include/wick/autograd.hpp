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
#include <new>
#include <type_traits>

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
///
/// Where it is made it only borrows the tensor; what is copied into a node, with the closure that names it, owns what
/// it needs. So closures that nobody wants, and tensors that no closure names, cost nothing. It keeps the tensor's
/// memory and its history of this moment, never the Tensor itself, which may get another history or own a gradient: a
/// cycle.
class WICK_API Saved {
  public:
    explicit Saved(const Tensor &input) noexcept : borrowed_(input.impl()) {}
    /// An op's own result: kept without its history, which would be a cycle; reading gives the history back.
    static Saved output(const Tensor &y, uint32_t index = 0) noexcept;
    Saved(const Saved &o);
    Saved &operator=(const Saved &) = delete;
    ~Saved() { THTensor_free(th_); }
    Tensor get() const;
    operator Tensor() const { return get(); }

  private:
    void own(TensorImpl *t);

    THTensor *th_ = nullptr;         // owned
    TensorImpl *borrowed_ = nullptr; // or the tensor
    Ref<Node> history_;              // of an input that requires gradient
    uint64_t version_ = 0;
    uint32_t index_ = 0;
    bool output_ = false;
};

/// Where a gradient goes: a result of a node, or a leaf.
class WICK_API Edge {
  public:
    /// Empty if input needs no gradient.
    explicit Edge(const Tensor &input);
    Edge(const Edge &) = delete;
    Edge &operator=(const Edge &) = delete;
    ~Edge();
    explicit operator bool() const noexcept { return static_cast<bool>(target); }
    std::span<const int64_t> sizes() const noexcept {
        return {ndim_ > INLINE ? heap_ : inline_, static_cast<size_t>(ndim_)};
    }

    Ref<Node> target;
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

namespace detail {
/// What the tape knows of a closure: all that is compiled per op.
struct ClosureType {
    size_t size;
    void (*move)(void *to, void *from);
    void (*call)(void *f, std::span<const Tensor> grads, std::span<Tensor> out);
    void (*destroy)(void *f) noexcept;
};
template <class F> void move_closure(void *to, void *from) { ::new (to) F(std::move(*static_cast<F *>(from))); }
template <class F> void destroy_closure(void *f) noexcept { static_cast<F *>(f)->~F(); }
template <class F> void call_one(void *f, std::span<const Tensor> g, std::span<Tensor> out) {
    out[0] = (*static_cast<F *>(f))(g[0]);
}
template <class F> void call_joint(void *f, std::span<const Tensor> g, std::span<Tensor> out) {
    (*static_cast<F *>(f))(g, out);
}
template <class F, auto Call>
inline constexpr ClosureType closure_type{sizeof(F), move_closure<F>, Call, destroy_closure<F>};

/// An input and the function that gives its gradient, waiting for a node.
struct Input {
    const Tensor *tensor;
    void *f;
    const ClosureType *type;
};
} // namespace detail

/// One recorded op: the edges to its inputs and the closures that compute their gradients, in one block of memory.
class WICK_API Node : public Object {
  public:
    const char *name() const noexcept { return name_; }
    uint64_t sequence() const noexcept { return sequence_; }
    bool is_leaf() const noexcept { return results_ == 0; }
    std::span<const Edge> edges() const noexcept { return {reinterpret_cast<const Edge *>(this + 1), edges_}; }

    /// From the gradients of the op's results (undefined: zero) to those of its inputs. `out[i]` is wanted only if
    /// edges()[i]; left undefined, it is zero.
    void apply(std::span<const Tensor> grads, std::span<Tensor> out);
    /// Drops what was saved.
    void clear() noexcept;
    static void operator delete(Node *node, std::destroying_delete_t) noexcept;
    using Object::operator delete; // for a constructor that fails

    /// `name` is kept, not copied. One closure per input; those of inputs that need no gradient are left where they
    /// are. With `joint`, one for all inputs.
    static Ref<Node> make(const char *name, uint32_t results, std::span<const detail::Input> inputs);
    static Ref<Node> make(const char *name, uint32_t results, std::span<const Tensor> inputs, detail::Input joint);

  protected:
    Node(const char *name, uint32_t results, size_t bytes) noexcept;
    ~Node() override;

  private:
    friend class Engine;
    friend class Tensor;
    friend struct TensorImpl;
    friend class Change;
    friend void refresh(TensorImpl *view);
    struct Extras; // what few nodes have: hooks, retained gradients, several results
    struct Slot;   // a closure's place
    Extras &extras();
    static Ref<Node> allocate(const char *name, uint32_t results, size_t edges, size_t slots, size_t closures);
    Slot *slots() noexcept;
    void add_edge(const Tensor &input);
    void keep(const detail::Input &closure);

    const char *const name_;
    uint64_t sequence_ = 0;
    const uint32_t results_; // of a leaf: none
    uint32_t bytes_;         // of the whole block
    uint32_t edges_ = 0, room_ = 0, slots_ = 0, used_ = 0;
    bool joint_ = false, cleared_ = false;
    std::atomic<const void *> owner_{nullptr}; // the engine that holds pending gradients for it
    Tensor grad_;                              // pending, of a single result
    std::unique_ptr<Extras> extras_;
};

/// An input and the function that gives its gradient. The function must be a temporary: it is moved into the node.
template <class F> struct Wrt {
    const Tensor &input;
    F &f;
};
template <class F>
requires(!std::is_reference_v<F> && !std::is_const_v<F>) Wrt<F> wrt(const Tensor &input, F &&f) { return {input, f}; }

/// y, made a view of x, whose memory it shares: recorded in-place changes of one then reach the other's history.
/// `sibling`: one of several that one call makes; those cannot be changed in place while recording.
inline Tensor as_view(Tensor y, const Tensor &x, bool sibling = false) {
    TensorImpl *view = y.impl(), *base = x.impl();
    view->root = base->root ? base->root : Ref<TensorImpl>::share(base);
    view->generation.store(view->root->generation, std::memory_order_relaxed);
    const uint32_t inherited =
        base->flags.load(std::memory_order_relaxed) & (TensorImpl::UNRECORDED | TensorImpl::SIBLING);
    view->flags.store(inherited | (grad_enabled() ? 0u : TensorImpl::UNRECORDED) | (sibling ? TensorImpl::SIBLING : 0u),
                      std::memory_order_relaxed);
    return y;
}

/// Makes y the result of `node`.
WICK_API void attach(const Tensor &y, Ref<Node> node, uint32_t output = 0);

/// Records y = op(inputs), one closure per input. `name` is kept, not copied.
template <class... F> const Tensor &record(const char *name, const Tensor &y, Wrt<F>... inputs) {
    const detail::Input list[] = {{&inputs.input, &inputs.f, &detail::closure_type<F, detail::call_one<F>>}...};
    attach(y, Node::make(name, 1, list));
    return y;
}

/// Records an op whose gradients are computed together, or that has several results: f(span of grads, span of out).
template <class F>
void record_joint(const char *name, std::span<const Tensor> results, std::span<const Tensor> inputs, F f) {
    Ref<Node> node = Node::make(name, static_cast<uint32_t>(results.size()), inputs,
                                {nullptr, &f, &detail::closure_type<F, detail::call_joint<F>>});
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
