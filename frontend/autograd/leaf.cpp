// SPDX-License-Identifier: BSD-3-Clause
// Where gradients end: leaves, and what a tensor tells about its gradient.
#include "autograd/node.hpp"
#include "wick/ops.hpp"
#include <algorithm>

namespace wick {

bool exclusive(const Tensor &g) {
    const TensorImpl *impl = g.impl();
    const THTensor *t = impl->th;
    const THStorage *storage = THTensor_storage(t);
    int64_t users = 1;
    if (const TensorImpl *root = impl->root.get()) { // a view of what nobody else holds
        if (root->refs() != 1 || THTensor_refcount(root->th) != 1) return false;
        users = 2;
    }
    return impl->refs() == 1 && THTensor_refcount(t) == 1 && THStorage_refcount(storage) == users &&
           THTensor_is_contiguous(t) && !THStorage_is_readonly(storage) &&
           THTensor_numel(t) * TH_dtype_size(THTensor_dtype(t)) == THStorage_nbytes(storage);
}

void add_up(Tensor &total, Tensor g, bool create_graph) {
    if (!total.defined())
        total = std::move(g);
    else if (!create_graph && exclusive(total) && total.dtype() == g.dtype() &&
             std::ranges::equal(total.sizes(), g.sizes()))
        total.add_(g);
    else
        total = total + g;
}

void Leaf::leave(const TensorImpl *tensor) noexcept {
    if (tensor_.load(std::memory_order_relaxed) != tensor) return; // one that a Saved gave back
    Locked lock(lock_, 1u);
    tensor_.store(nullptr, std::memory_order_relaxed);
}

void Leaf::accumulate(Tensor g, bool create_graph, bool shared) {
    if (shared || !exclusive(g)) g = clone(g);
    g.impl()->root = nullptr; // only the history of g is of interest
    g.impl()->flags &= ~TensorImpl::UNRECORDED;
    Ref<TensorImpl> old; // goes after the lock: it may own what owns the tensor
    Locked lock(lock_, 1u);
    TensorImpl *t = tensor_.load(std::memory_order_relaxed);
    if (!t || t->flags & TensorImpl::FROZEN) return;
    if (!t->grad) {
        t->grad = Ref<TensorImpl>::share(g.impl());
    } else if (create_graph || THTensor_overlaps_itself(t->grad->th)) {
        Tensor total = Tensor(t->grad) + g;
        old = std::exchange(t->grad, Ref<TensorImpl>::share(total.impl()));
    } else {
        Tensor(t->grad).add_(g);
    }
}

TensorImpl::~TensorImpl() {
    if (node && node->is_leaf()) static_cast<Leaf *>(node.get())->leave(this);
    if (flags & RETAINS_GRAD && node && node->extras_) std::erase(node->extras_->retained, this);
    THTensor_free(th);
}

bool TensorImpl::view_requires_grad() const noexcept {
    const TensorImpl *t = stale() ? root.get() : this;
    return t->node && !(t->flags.load(std::memory_order_relaxed) & FROZEN);
}

bool Tensor::is_leaf() const noexcept {
    return !impl_ || (!impl_->stale() && (!impl_->node || impl_->node->is_leaf()));
}

Ref<Node> Tensor::grad_fn() const { return is_leaf() ? nullptr : history(impl_.get()); }

Tensor Tensor::grad() const { return impl_ ? Tensor(impl_->grad) : Tensor(); }

void Tensor::set_grad(Tensor grad) {
    if (!impl_) fail(TH_E_ARG, "Tensor::set_grad: got an undefined tensor, want a defined one");
    if (grad.defined() && (!std::ranges::equal(grad.sizes(), sizes()) || grad.dtype() != dtype()))
        fail(TH_E_SHAPE, "Tensor::set_grad: got %s, want %s", grad.describe().c_str(), describe().c_str());
    if (grad.impl() == impl_.get() || impl_->flags & TensorImpl::USED_AS_GRAD)
        for (const TensorImpl *t = grad.impl(); t; t = t->grad.get())
            if (t == impl_.get())
                fail(
                    TH_E_ARG,
                    "Tensor::set_grad: got the tensor itself or one whose gradient leads back to it (%s), want another",
                    grad.describe().c_str());
    if (grad.defined()) grad.impl()->flags |= TensorImpl::USED_AS_GRAD;
    impl_->grad = Ref<TensorImpl>::share(grad.impl());
}

Tensor &Tensor::requires_grad_(bool on) {
    if (!impl_) fail(TH_E_ARG, "Tensor::requires_grad_: got an undefined tensor, want a defined one");
    if (on && !is_floating_point())
        fail(TH_E_TYPE, "Tensor::requires_grad_: got %s, want a floating dtype", describe().c_str());
    if (!is_leaf()) {
        if (on) return *this;
        fail(TH_E_AUTOGRAD, "Tensor::requires_grad_: got a result of '%s', want a leaf (detach() it)",
             grad_fn()->name());
    }
    if (!on) {
        if (impl_->node) impl_->flags |= TensorImpl::FROZEN;
        return *this;
    }
    if (!impl_->node) impl_->node = make<Leaf>(impl_.get());
    impl_->root = nullptr; // a view that becomes a leaf has a history of its own
    impl_->flags &= ~TensorImpl::FROZEN;
    return *this;
}

void Tensor::retain_grad() {
    if (!requires_grad())
        fail(TH_E_AUTOGRAD, "Tensor::retain_grad: got a tensor that requires no gradient, want one that does");
    if (is_leaf() || impl_->flags & TensorImpl::RETAINS_GRAD) return;
    history(impl_.get())->extras().retained.push_back(impl_.get());
    impl_->flags |= TensorImpl::RETAINS_GRAD;
}

uint64_t Tensor::register_hook(TensorHook hook) {
    if (!requires_grad())
        fail(TH_E_AUTOGRAD, "Tensor::register_hook: got a tensor that requires no gradient, want one that does");
    const Ref<Node> &node = history(impl_.get());
    uint64_t id = next_hook_id();
    if (node->is_leaf())
        static_cast<Leaf *>(node.get())->hooks.emplace_back(id, std::move(hook));
    else
        node->extras().hooks.push_back({id, impl_->output, std::move(hook)});
    return id;
}

void Tensor::remove_hook(uint64_t id) {
    if (!impl_ || !impl_->node) return;
    Node *node = impl_->node.get();
    if (node->is_leaf())
        std::erase_if(static_cast<Leaf *>(node)->hooks, [&](const auto &h) { return h.first == id; });
    else if (node->extras_)
        std::erase_if(node->extras_->hooks, [&](const auto &h) { return h.id == id; });
}

} // namespace wick
