// SPDX-License-Identifier: BSD-3-Clause
#include "autograd/node.hpp"
#include <algorithm>
#include <cstring>

namespace wick {

namespace {
thread_local bool recording_on = true;
std::atomic<uint64_t> sequence_counter{0};
std::atomic<uint64_t> hook_counter{0};

uint64_t storage_version(const TensorImpl *impl) { return THStorage_version(THTensor_storage(impl->th)); }

const char *running() {
    const Node *node = current_node();
    return node ? node->name() : "a gradient function";
}
} // namespace

bool grad_enabled() noexcept { return recording_on; }
void set_grad_enabled(bool on) noexcept { recording_on = on; }

Node *&current_node() noexcept {
    thread_local Node *node = nullptr;
    return node;
}

uint64_t next_hook_id() noexcept { return ++hook_counter; }

// ---- nodes ----

Node::Node(const char *name, uint32_t results) noexcept
    : Object(Kind::Node), name_(name), sequence_(++sequence_counter), results_(results) {}

Node::~Node() = default;

Node::Extras &Node::extras() {
    if (!extras_) extras_ = std::make_unique<Extras>();
    return *extras_;
}

void attach(const Tensor &y, Ref<Node> node, uint32_t output) {
    TensorImpl *impl = y.impl();
    impl->node = std::move(node);
    impl->output = output;
}

// ---- edges ----

Edge::Edge(const Tensor &input) {
    if (!input.requires_grad()) return;
    TensorImpl *impl = input.impl();
    std::span<const int64_t> sizes = input.sizes();
    if (sizes.size() > INLINE) heap_ = new int64_t[sizes.size()];
    ndim_ = length(sizes);
    std::copy(sizes.begin(), sizes.end(), ndim_ > INLINE ? heap_ : inline_);
    dtype = input.dtype();
    output = impl->output;
    if (impl->node)
        target = impl->node;
    else
        target = Ref<TensorImpl>::share(impl);
}

Edge::Edge(Edge &&o) noexcept
    : target(std::move(o.target)), output(o.output), dtype(o.dtype), ndim_(std::exchange(o.ndim_, 0)) {
    std::memcpy(inline_, o.inline_, sizeof inline_);
}

Edge::~Edge() {
    if (ndim_ > INLINE) delete[] heap_;
}

// ---- saved tensors ----

Saved::Saved(const Tensor &input) : input_(Ref<TensorImpl>::share(input.impl())) {
    if (!input_) return;
    version_ = input_->flags & TensorImpl::OVERWRITTEN ? input_->version : storage_version(input_.get());
}

Saved Saved::output(const Tensor &y, uint32_t index) {
    Saved s;
    s.output_ = THTensor_retain(y.th());
    s.index_ = index;
    s.version_ = storage_version(y.impl());
    return s;
}

Saved::Saved(const Saved &o) noexcept
    : input_(o.input_), output_(THTensor_retain(o.output_)), index_(o.index_), version_(o.version_) {}

Saved::Saved(Saved &&o) noexcept
    : input_(std::move(o.input_)), output_(std::exchange(o.output_, nullptr)), index_(o.index_), version_(o.version_) {}

Tensor Saved::get() const {
    const THTensor *th = output_ ? output_ : input_ ? input_->th : nullptr;
    if (!th) return {};
    uint64_t now = THStorage_version(THTensor_storage(th));
    if (now != version_)
        fail(TH_E_AUTOGRAD,
             "backward: '%s' saved a tensor (%s) that was changed in place afterwards: got version %llu, want version "
             "%llu",
             running(), Tensor::adopt(THTensor_retain(const_cast<THTensor *>(th))).describe().c_str(),
             static_cast<unsigned long long>(now), static_cast<unsigned long long>(version_));
    if (input_) return Tensor(input_);
    Tensor y = Tensor::adopt(THTensor_retain(output_));
    if (grad_enabled() && current_node()) attach(y, Ref<Node>::share(current_node()), index_);
    return y;
}

// ---- in place ----

void check_in_place(const char *fn, const Tensor &t, bool records) {
    if (!t.defined()) fail(TH_E_ARG, "%s: got an undefined tensor, want a defined one", fn);
    if (!records) return;
    if (t.is_leaf() && t.requires_grad())
        fail(TH_E_AUTOGRAD,
             "%s: got a leaf that requires gradient (%s), want a tensor computed from it, or a NoGrad scope", fn,
             t.describe().c_str());
    if (!t.is_floating_point())
        fail(TH_E_AUTOGRAD, "%s: got %s as the target of values that require gradient, want a floating tensor", fn,
             t.describe().c_str());
    int64_t users = THStorage_refcount(THTensor_storage(t.th()));
    if (users > 1)
        fail(TH_E_AUTOGRAD,
             "%s: got a tensor (%s) that shares its memory with %lld other(s), whose history a recorded in-place "
             "change would falsify; want one of "
             "its own (clone() it first)",
             fn, t.describe().c_str(), static_cast<long long>(users - 1));
}

void move_history(const Tensor &x, const Tensor &y) {
    TensorImpl *impl = x.impl();
    bool retains = impl->flags & TensorImpl::RETAINS_GRAD;
    if (retains) std::erase(impl->node->extras_->retained, impl);
    impl->node = std::move(y.impl()->node);
    impl->output = y.impl()->output;
    if (retains) impl->node->extras().retained.push_back(impl);
}

// ---- tensors ----

TensorImpl::~TensorImpl() {
    if (flags & RETAINS_GRAD && node && node->extras_) std::erase(node->extras_->retained, this);
    THTensor_free(th);
}

bool Tensor::is_leaf() const noexcept { return !impl_ || !impl_->node; }

Ref<Node> Tensor::grad_fn() const noexcept { return impl_ ? impl_->node : nullptr; }

Tensor Tensor::grad() const { return impl_ ? Tensor(impl_->grad) : Tensor(); }

void Tensor::set_grad(Tensor grad) {
    if (!impl_) fail(TH_E_ARG, "Tensor::set_grad: got an undefined tensor, want a defined one");
    if (grad.defined() && (!std::ranges::equal(grad.sizes(), sizes()) || grad.dtype() != dtype()))
        fail(TH_E_SHAPE, "Tensor::set_grad: got %s, want %s", grad.describe().c_str(), describe().c_str());
    impl_->grad = Ref<TensorImpl>::share(grad.impl());
}

Tensor &Tensor::requires_grad_(bool on) {
    if (!impl_) fail(TH_E_ARG, "Tensor::requires_grad_: got an undefined tensor, want a defined one");
    if (on && !is_floating_point())
        fail(TH_E_TYPE, "Tensor::requires_grad_: got %s, want a floating dtype", describe().c_str());
    if (!on && impl_->node)
        fail(TH_E_AUTOGRAD, "Tensor::requires_grad_: got a result of '%s', want a leaf (detach() it)",
             impl_->node->name());
    if (on)
        impl_->flags |= TensorImpl::REQUIRES_GRAD;
    else
        impl_->flags &= ~TensorImpl::REQUIRES_GRAD;
    return *this;
}

void Tensor::retain_grad() {
    if (!requires_grad())
        fail(TH_E_AUTOGRAD, "Tensor::retain_grad: got a tensor that requires no gradient, want one that does");
    if (is_leaf() || impl_->flags & TensorImpl::RETAINS_GRAD) return;
    impl_->node->extras().retained.push_back(impl_.get());
    impl_->flags |= TensorImpl::RETAINS_GRAD;
}

uint64_t Tensor::register_hook(TensorHook hook) {
    if (!requires_grad())
        fail(TH_E_AUTOGRAD, "Tensor::register_hook: got a tensor that requires no gradient, want one that does");
    uint64_t id = next_hook_id();
    if (impl_->node) {
        impl_->node->extras().hooks.push_back({id, impl_->output, std::move(hook)});
    } else {
        if (!impl_->hooks) impl_->hooks = std::make_unique<std::vector<std::pair<uint64_t, TensorHook>>>();
        impl_->hooks->emplace_back(id, std::move(hook));
    }
    return id;
}

void Tensor::remove_hook(uint64_t id) {
    if (!impl_) return;
    if (impl_->node && impl_->node->extras_)
        std::erase_if(impl_->node->extras_->hooks, [&](const auto &h) { return h.id == id; });
    if (impl_->hooks) std::erase_if(*impl_->hooks, [&](const auto &h) { return h.first == id; });
}

} // namespace wick
