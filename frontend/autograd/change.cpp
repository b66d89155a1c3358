// SPDX-License-Identifier: BSD-3-Clause
#include "autograd/change.hpp"
#include "autograd/window.hpp"
#include "wick/ops.hpp"

namespace wick {

namespace {
const char *why_not(const TensorImpl *view) {
    return view->flags & TensorImpl::SIBLING ? "an op made together with others" : "was made while recording was off";
}

bool is_leaf_with_grad(const TensorImpl *t) { return t->requires_grad() && !t->stale() && t->node->is_leaf(); }
} // namespace

void refresh(TensorImpl *view) {
    Tensor y = Tensor::adopt(THTensor_retain(view->th));
    if (view->flags & (TensorImpl::UNRECORDED | TensorImpl::SIBLING))
        fail(TH_E_AUTOGRAD,
             "autograd: got a view (%s) that %s, and its base changed in place since, recorded: want a view made anew",
             y.describe().c_str(), why_not(view));
    Locked lock(view->flags, uint32_t{TensorImpl::LOCKED});
    if (!view->stale()) return;
    TensorImpl *root = view->root.get();
    const uint32_t now = root->generation;
    record_window("as_strided", y, Tensor(Ref<TensorImpl>::share(root)));
    if (view->flags & TensorImpl::RETAINS_GRAD) {
        y.impl()->node->extras().retained.push_back(view);
        if (view->node && view->node->extras_) std::erase(view->node->extras_->retained, view);
    }
    view->node = y.impl()->node;
    view->output = 0;
    view->generation.store(now, std::memory_order_release);
}

const Ref<Node> &history(TensorImpl *t) {
    if (t->stale()) refresh(t);
    return t->node;
}

void Change::begin(const char *fn) {
    if (!x_.defined()) fail(TH_E_ARG, "%s: got an undefined tensor, want a defined one", fn);
    if (!x_.is_floating_point()) { // integers have no gradient
        records_ = false;
        return;
    }
    const TensorImpl *x = x_.impl();
    if (x->root && x->flags & (TensorImpl::UNRECORDED | TensorImpl::SIBLING))
        fail(TH_E_AUTOGRAD, "%s: got a view (%s) that %s, want one whose base can have the change recorded", fn,
             x_.describe().c_str(), why_not(x));
    if (is_leaf_with_grad(target()))
        fail(TH_E_AUTOGRAD,
             "%s: got a %sleaf that requires gradient (%s), want a tensor computed from it, or a NoGrad scope", fn,
             x->root ? "view of a " : "", x_.describe().c_str());
}

const Tensor &Change::snapshot(const Tensor &t) {
    if (!t.defined() || THTensor_storage(t.th()) != THTensor_storage(x_.th())) return t;
    for (int32_t i = 0; i < n_; i++)
        if (of_[i] == t.impl()) return olds_[i];
    if (n_ == OPERANDS) fail(TH_E_INTERNAL, "autograd: got an in-place op with too many operands");
    Tensor &old = olds_[n_];
    old = Tensor::adopt(THTensor_retain(t.th()));
    of_[n_++] = t.impl();
    if (t.requires_grad()) attach(old, history(t.impl()), t.impl()->output);
    old.impl()->flags = TensorImpl::OVERWRITTEN;
    return old;
}

const Tensor &Change::overwritten() {
    static const Tensor none;
    return x_.impl()->root ? none : before(x_);
}

Tensor Change::result() const {
    Tensor y = Tensor::adopt(THTensor_retain(x_.th()));
    y.impl()->flags = TensorImpl::RESULT;
    return y;
}

void Change::prepare(const Tensor &y) {
    TensorImpl *t = target();
    if (t == x_.impl()) {
        next_ = y.impl()->node;
    } else {
        Tensor root(Ref<TensorImpl>::share(t)), after = Tensor::adopt(THTensor_retain(t->th));
        Window(t->th, x_.th()).record_replace(after, root, y);
        next_ = after.impl()->node;
    }
    if (t->flags & TensorImpl::RETAINS_GRAD) next_->extras().retained.push_back(t);
}

void Change::commit() noexcept {
    TensorImpl *t = target();
    if (t->node && t->node->is_leaf())
        static_cast<Leaf *>(t->node.get())->leave(t);
    else if (t->flags & TensorImpl::RETAINS_GRAD)
        std::erase(t->node->extras_->retained, t);
    t->node = std::move(next_);
    t->output = 0;
    t->flags &= ~TensorImpl::FROZEN;
    t->generation++;
}

void record_forgotten(const char *name, const Tensor &y, const Tensor &old) {
    record(name, y, wrt(old, [](const Tensor &g) { return zeros_like(g); }));
}

} // namespace wick
