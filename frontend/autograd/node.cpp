// SPDX-License-Identifier: BSD-3-Clause
// What an op records: nodes, edges, saved tensors.
#include "autograd/node.hpp"
#include <algorithm>
#include <cstring>

namespace wick {

namespace {
thread_local bool recording_on = true;
thread_local bool into_node = false; // a closure is being moved into its node
std::atomic<uint64_t> sequence_counter{0};
std::atomic<uint64_t> hook_counter{0};

constexpr size_t ALIGNMENT = 16;
constexpr size_t rounded(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

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
// A block holds the node, its edges, a slot per closure, and the closures that are wanted.

struct Node::Slot {
    const detail::ClosureType *type; // null: not wanted, or dropped
    void *f;
};

Node::Node(const char *name, uint32_t results, size_t bytes) noexcept
    : Object(Kind::Node), name_(name), results_(results), bytes_(static_cast<uint32_t>(bytes)) {}

Node::~Node() {
    clear();
    for (const Edge &e : edges()) e.~Edge();
}

Node::Slot *Node::slots() noexcept {
    return reinterpret_cast<Slot *>(reinterpret_cast<char *>(this + 1) + room_ * sizeof(Edge));
}

Ref<Node> Node::allocate(const char *name, uint32_t results, size_t edges, size_t slots, size_t closures) {
    size_t fixed = rounded(sizeof(Node) + edges * sizeof(Edge) + slots * sizeof(Slot)), bytes = fixed + closures;
    Node *node = ::new (Object::operator new(bytes)) Node(name, results, bytes);
    node->room_ = static_cast<uint32_t>(edges);
    node->slots_ = static_cast<uint32_t>(slots);
    node->used_ = static_cast<uint32_t>(fixed);
    for (size_t i = 0; i < slots; i++) ::new (node->slots() + i) Slot{nullptr, nullptr};
    return Ref<Node>::adopt(node);
}

void Node::add_edge(const Tensor &input) {
    ::new (reinterpret_cast<Edge *>(this + 1) + edges_) Edge(input);
    edges_++;
}

void Node::keep(const detail::Input &closure) {
    Slot &slot = slots()[joint_ ? 0 : edges_ - 1];
    void *place = reinterpret_cast<char *>(this) + used_;
    struct Mode {
        bool outer = std::exchange(into_node, true);
        ~Mode() { into_node = outer; }
    } mode;
    closure.type->move(place, closure.f);
    slot = {closure.type, place};
    used_ += static_cast<uint32_t>(rounded(closure.type->size));
}

Ref<Node> Node::make(const char *name, uint32_t results, std::span<const detail::Input> inputs) {
    size_t closures = 0;
    for (const detail::Input &in : inputs)
        if (in.tensor->requires_grad()) closures += rounded(in.type->size);
    Ref<Node> node = allocate(name, results, inputs.size(), inputs.size(), closures);
    for (const detail::Input &in : inputs) {
        node->add_edge(*in.tensor);
        if (node->edges().back()) node->keep(in);
    }
    node->sequence_ = ++sequence_counter; // now: an edge to a view may have made that view's node
    return node;
}

Ref<Node> Node::make(const char *name, uint32_t results, std::span<const Tensor> inputs, detail::Input joint) {
    Ref<Node> node = allocate(name, results, inputs.size(), 1, rounded(joint.type->size));
    for (const Tensor &t : inputs) node->add_edge(t);
    node->joint_ = true;
    node->keep(joint);
    node->sequence_ = ++sequence_counter;
    return node;
}

void Node::apply(std::span<const Tensor> grads, std::span<Tensor> out) {
    for (uint32_t i = 0; i < slots_; i++)
        if (Slot &s = slots()[i]; s.type) s.type->call(s.f, grads, joint_ ? out : out.subspan(i, 1));
}

void Node::clear() noexcept {
    for (uint32_t i = 0; i < slots_; i++)
        if (const detail::ClosureType *type = std::exchange(slots()[i].type, nullptr)) type->destroy(slots()[i].f);
}

Node::Extras &Node::extras() {
    if (!extras_) extras_ = std::make_unique<Extras>();
    return *extras_;
}

void Node::operator delete(Node *node, std::destroying_delete_t) noexcept {
    const size_t bytes = node->bytes_;
    node->~Node();
    Object::operator delete(node, bytes);
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
    Ref<Node> node = history(impl);
    std::span<const int64_t> sizes = input.sizes();
    if (sizes.size() > INLINE) heap_ = new int64_t[sizes.size()];
    ndim_ = length(sizes);
    std::copy(sizes.begin(), sizes.end(), ndim_ > INLINE ? heap_ : inline_);
    dtype = input.dtype();
    output = impl->output;
    target = std::move(node);
}

Edge::~Edge() {
    if (ndim_ > INLINE) delete[] heap_;
}

// ---- saved tensors ----

Saved Saved::output(const Tensor &y, uint32_t index) noexcept {
    Saved s(y);
    s.output_ = true;
    s.index_ = index;
    return s;
}

/// Puts a copy in the place of memory that is about to be overwritten.
static void preserve(TensorImpl *old) {
    Tensor copy = call<THTensor_clone>(Tensor(Ref<TensorImpl>::share(old)));
    std::swap(old->th, copy.impl()->th);
    old->flags &= ~TensorImpl::OVERWRITTEN;
}

Saved::Saved(const Saved &o)
    : th_(THTensor_retain(o.th_)), borrowed_(o.borrowed_), history_(o.history_), version_(o.version_), index_(o.index_),
      output_(o.output_) {
    if (borrowed_ && into_node) own(std::exchange(borrowed_, nullptr));
}

void Saved::own(TensorImpl *t) {
    const uint32_t flags = t->flags;
    if (flags & TensorImpl::OVERWRITTEN) preserve(t);
    if (!output_ && t->requires_grad()) {
        history_ = history(t);
        index_ = t->output;
    }
    version_ = version_of(t->th) + (flags & TensorImpl::RESULT ? 1 : 0);
    th_ = THTensor_retain(t->th);
}

Tensor Saved::get() const {
    if (borrowed_) return Tensor(Ref<TensorImpl>::share(borrowed_));
    if (!th_) return {};
    const uint64_t now = version_of(th_);
    Tensor y = Tensor::adopt(THTensor_retain(th_));
    if (now != version_)
        fail(TH_E_AUTOGRAD,
             "backward: '%s' saved a tensor (%s) that was changed in place afterwards: got version %llu, want version "
             "%llu",
             running(), y.describe().c_str(), static_cast<unsigned long long>(now),
             static_cast<unsigned long long>(version_));
    if (!grad_enabled()) return y;
    if (history_) attach(y, history_, index_);
    if (output_ && current_node()) attach(y, Ref<Node>::share(current_node()), index_);
    return y;
}

} // namespace wick
