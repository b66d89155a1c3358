// SPDX-License-Identifier: BSD-3-Clause
// Runs the tape backward on the calling thread, newest node first: a node is always newer than what it was made from,
// so when it is the newest of those waiting, all of its gradients have arrived.
#include "autograd/node.hpp"
#include "wick/ops.hpp"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace wick {

namespace {
constexpr size_t FEW = 8; // inputs that need no allocation

Tensor sum_to(Tensor g, std::span<const int64_t> sizes) {
    std::vector<int32_t> dims;
    int32_t extra = g.dim() - length(sizes);
    for (int32_t d = 0; d < g.dim(); d++) {
        int64_t want = d < extra ? 1 : sizes[static_cast<size_t>(d - extra)];
        if (want == 1 && (d < extra || g.sizes()[static_cast<size_t>(d)] != 1)) dims.push_back(d);
    }
    if (extra < 0 || dims.empty()) return g;
    g = sum(g, dims, true);
    return extra ? reshape(g, sizes) : g;
}

/// Makes g fit the input it is for: undoes broadcasting and promotion.
Tensor fit(Tensor g, const Edge &edge, const char *name) {
    if (!std::ranges::equal(g.sizes(), edge.sizes())) {
        g = sum_to(std::move(g), edge.sizes());
        if (!std::ranges::equal(g.sizes(), edge.sizes()))
            fail(TH_E_INTERNAL, "backward of '%s': got a gradient %s that does not fit its input", name,
                 g.describe().c_str());
    }
    if (g.dtype() != edge.dtype) g = to(g, edge.dtype);
    return g; // moved: a copy would be a second owner of what only this gradient needs
}
} // namespace

class Engine {
  public:
    explicit Engine(BackwardOptions options) : options_(options), mode_(options.create_graph) {
        if (options_.create_graph) options_.retain_graph = true;
    }
    ~Engine() {
        for (Ref<Node> &node : waiting_) forget(*node);
    }

    /// Gradients of these go to captured() instead of any grad.
    void capture(std::span<const Tensor> inputs) {
        captured_.resize(inputs.size());
        for (size_t i = 0; i < inputs.size(); i++) {
            TensorImpl *t = inputs[i].impl();
            const Node *node = history(t).get();
            targets_[{node, t->output}].push_back(i);
        }
        capturing_ = true;
    }
    std::vector<Tensor> &captured() { return captured_; }

    void start(const Tensor &root, Tensor seed) {
        Edge edge(root);
        deliver(edge, fit(std::move(seed), edge, "the root"));
    }

    /// Leaves out nodes that lead to no captured input.
    void prune() {
        std::vector<Node *> stack, found;
        std::unordered_set<Node *> seen;
        auto visit = [&](Node *n) {
            if (seen.insert(n).second) stack.push_back(n);
        };
        for (Ref<Node> &n : waiting_) visit(n.get());
        while (!stack.empty()) {
            Node *n = stack.back();
            stack.pop_back();
            found.push_back(n);
            for (const Edge &e : n->edges())
                if (e && !e.target->is_leaf()) visit(e.target.get());
        }
        std::ranges::sort(found, {}, [](Node *n) { return n->sequence(); });
        for (Node *n : found)
            for (const Edge &e : n->edges())
                if (e && wanted(e)) {
                    needed_.insert(n);
                    break;
                }
    }

    void run() {
        while (!waiting_.empty()) {
            std::ranges::pop_heap(waiting_, older);
            Ref<Node> node = std::move(waiting_.back());
            waiting_.pop_back();
            try {
                step(*node);
            } catch (Error &e) {
                forget(*node);
                e.push_frame({"backward", node->name()});
                throw;
            } catch (...) {
                forget(*node);
                throw;
            }
        }
        for (auto &[leaf, g] : hooked_) {
            apply_hooks(
                leaf->hooks, [](const auto &h) { return h.second; }, g);
            deliver_leaf(*leaf, std::move(g), true);
        }
    }

  private:
    struct Target {
        const Node *node;
        uint32_t output;
        bool operator==(const Target &) const = default;
    };
    struct TargetHash {
        size_t operator()(const Target &t) const { return std::hash<const void *>()(t.node) ^ (size_t{t.output} << 1); }
    };

    static bool older(const Ref<Node> &a, const Ref<Node> &b) { return a->sequence() < b->sequence(); }

    static std::span<Tensor> pending(Node &n) {
        return n.results_ == 1 ? std::span(&n.grad_, 1) : std::span(n.extras().grads);
    }

    /// Lets go of a node that this engine has claimed, if it still has it.
    void forget(Node &n) noexcept {
        if (n.owner_.load(std::memory_order_relaxed) != this) return;
        n.grad_ = {};
        if (n.extras_) n.extras_->grads.clear();
        n.owner_.store(nullptr, std::memory_order_release);
    }

    void deliver(const Edge &edge, Tensor g) {
        Node *node = edge.target.get();
        if (node->is_leaf()) {
            Leaf &leaf = static_cast<Leaf &>(*node);
            return leaf.hooks.empty() ? deliver_leaf(leaf, std::move(g), false) : wait(leaf, std::move(g));
        }
        if (node->owner_.load(std::memory_order_acquire) != this) claim(node);
        add_up(pending(*node)[edge.output], std::move(g), options_.create_graph);
    }

    /// Makes the node this engine's, to collect its gradients until they are all there. From the moment that it has an
    /// owner it stands in waiting_, so that whatever fails afterwards, the engine's end frees it.
    void claim(Node *node) {
        waiting_.push_back(Ref<Node>::share(node));
        const void *nobody = nullptr;
        if (!node->owner_.compare_exchange_strong(nobody, this)) {
            waiting_.pop_back();
            fail(TH_E_AUTOGRAD,
                 "backward: got a graph that another backward is running through (at '%s'), want one at a time",
                 node->name());
        }
        std::ranges::push_heap(waiting_, older);
        if (node->results_ != 1) node->extras().grads.assign(node->results_, {});
    }

    /// Hooks of a leaf see its whole gradient: it waits until all paths have been walked.
    void wait(Leaf &leaf, Tensor g) {
        auto [place, is_new] = hooked_at_.try_emplace(&leaf, hooked_.size());
        if (is_new) hooked_.emplace_back(Ref<Leaf>::share(&leaf), Tensor());
        add_up(hooked_[place->second].second, std::move(g), options_.create_graph);
    }

    void deliver_leaf(Leaf &leaf, Tensor g, bool shared) {
        if (capturing_)
            capture_one({&leaf, 0}, g);
        else
            leaf.accumulate(std::move(g), options_.create_graph, shared);
    }

    /// Runs the functions in a list of hooks, as it is now: they may change it.
    template <class H, class F> static void apply_hooks(const std::vector<H> &hooks, F function, Tensor &g) {
        std::vector<TensorHook> now;
        for (const H &h : hooks)
            if (TensorHook f = function(h)) now.push_back(std::move(f));
        for (const TensorHook &hook : now) {
            Tensor changed = hook(g);
            if (!changed.defined()) continue;
            if (!std::ranges::equal(changed.sizes(), g.sizes()) || changed.dtype() != g.dtype())
                fail(TH_E_SHAPE, "backward: a hook returned %s, want %s", changed.describe().c_str(),
                     g.describe().c_str());
            g = std::move(changed);
        }
    }

    void capture_one(const Target &target, const Tensor &g) {
        auto found = targets_.find(target);
        if (found == targets_.end()) return;
        for (size_t i : found->second) add_up(captured_[i], g, options_.create_graph);
    }

    void step(Node &node) {
        std::span<Tensor> grads = pending(node);
        if (node.extras_) arrived(node, grads);
        if (capturing_) {
            for (uint32_t i = 0; i < node.results_; i++)
                if (grads[i].defined()) capture_one({&node, i}, grads[i]);
            if (!needed_.count(&node)) return forget(node);
        }
        if (node.cleared_)
            fail(TH_E_AUTOGRAD,
                 "backward: got a graph whose saved tensors ('%s') an earlier backward freed, want retain_graph there",
                 node.name());
        std::span<const Edge> edges = node.edges();
        Tensor few[FEW];
        std::vector<Tensor> many(edges.size() > FEW ? edges.size() : 0);
        std::span<Tensor> out = many.empty() ? std::span(few, edges.size()) : std::span(many);
        Node *outer = std::exchange(current_node(), &node);
        struct Restore {
            Node *outer;
            ~Restore() { current_node() = outer; }
        } restore{outer};
        node.apply(grads, out);
        forget(node);
        if (!options_.retain_graph) {
            node.clear();
            node.cleared_ = true;
        }
        for (size_t i = 0; i < edges.size(); i++)
            if (edges[i] && out[i].defined() && wanted(edges[i]))
                deliver(edges[i], fit(std::move(out[i]), edges[i], node.name()));
    }

    bool wanted(const Edge &e) const {
        if (!capturing_) return true;
        return targets_.count({e.target.get(), e.output}) || needed_.count(e.target.get());
    }

    /// All gradients of the node's results are here: hooks see them, tensors that retain them take them.
    static void arrived(Node &node, std::span<Tensor> grads) {
        for (uint32_t i = 0; i < grads.size(); i++)
            if (grads[i].defined())
                apply_hooks(
                    node.extras_->hooks,
                    [i](const Node::Extras::Hook &h) { return h.output == i ? h.fn : TensorHook(); }, grads[i]);
        for (TensorImpl *t : node.extras_->retained) {
            const Tensor &g = grads[t->output];
            if (!g.defined()) continue;
            Tensor total = t->grad ? Tensor(t->grad) + g : clone(g);
            t->grad = Ref<TensorImpl>::share(total.impl());
        }
    }

    BackwardOptions options_;
    GradMode mode_;
    std::vector<Ref<Node>> waiting_; // a heap
    bool capturing_ = false;
    std::unordered_map<Target, std::vector<size_t>, TargetHash> targets_;
    std::unordered_set<Node *> needed_;
    std::vector<Tensor> captured_;
    std::vector<std::pair<Ref<Leaf>, Tensor>> hooked_; // leaves with hooks, and the sum of their gradients so far
    std::unordered_map<Leaf *, size_t> hooked_at_;
};

namespace {
void start_all(Engine &engine, const char *fn, std::span<const Tensor> roots, std::span<const Tensor> seeds) {
    if (!seeds.empty() && seeds.size() != roots.size())
        fail(TH_E_ARG, "%s: got %zu seeds for %zu roots, want one each or none", fn, seeds.size(), roots.size());
    for (size_t i = 0; i < roots.size(); i++) {
        const Tensor &root = roots[i];
        if (!root.requires_grad())
            fail(TH_E_AUTOGRAD, "%s: got a root (%s) that requires no gradient, want one computed from tensors that do",
                 fn, root.describe().c_str());
        Tensor seed = i < seeds.size() ? seeds[i] : Tensor();
        if (!seed.defined() && root.numel() != 1)
            fail(TH_E_SHAPE, "%s: got a root %s without a seed, want a single element or a seed of its sizes", fn,
                 root.describe().c_str());
        if (!seed.defined()) seed = ones_like(root);
        if (!std::ranges::equal(seed.sizes(), root.sizes()))
            fail(TH_E_SHAPE, "%s: got a seed %s for a root %s, want equal sizes", fn, seed.describe().c_str(),
                 root.describe().c_str());
        engine.start(root, std::move(seed));
    }
}
} // namespace

void backward(std::span<const Tensor> roots, std::span<const Tensor> seeds, BackwardOptions options) {
    Engine engine(options);
    start_all(engine, "backward", roots, seeds);
    engine.run();
}

void Tensor::backward(const Tensor &grad, BackwardOptions options) const {
    wick::backward({this, 1}, grad.defined() ? std::span(&grad, 1) : std::span<const Tensor>(), options);
}

std::vector<Tensor> grad(std::span<const Tensor> roots, std::span<const Tensor> inputs, std::span<const Tensor> seeds,
                         BackwardOptions options, bool allow_unused) {
    for (const Tensor &t : inputs)
        if (!t.requires_grad())
            fail(TH_E_AUTOGRAD, "grad: got an input (%s) that requires no gradient", t.describe().c_str());
    Engine engine(options);
    engine.capture(inputs);
    start_all(engine, "grad", roots, seeds);
    engine.prune();
    engine.run();
    if (!allow_unused)
        for (size_t i = 0; i < inputs.size(); i++)
            if (!engine.captured()[i].defined())
                fail(TH_E_AUTOGRAD,
                     "grad: got an input (number %zu, %s) that no root depends on, want allow_unused for that", i,
                     inputs[i].describe().c_str());
    return std::move(engine.captured());
}

} // namespace wick
