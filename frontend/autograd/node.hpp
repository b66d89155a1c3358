// SPDX-License-Identifier: BSD-3-Clause
// What the tape's sources share beyond the public header.
#ifndef WICK_AUTOGRAD_NODE_HPP
#define WICK_AUTOGRAD_NODE_HPP

#include "core/call.hpp"
#include "wick/autograd.hpp"

namespace wick {

struct Node::Extras {
    struct Hook {
        uint64_t id;
        uint32_t output;
        TensorHook fn;
    };
    std::vector<Hook> hooks;
    std::vector<TensorImpl *> retained; // unowned: a tensor takes itself out when it goes
    std::vector<Tensor> grads;          // pending, of several results
};

/// Waits for a flag, which nobody holds for long.
template <class T> class Locked {
  public:
    Locked(std::atomic<T> &word, T flag) noexcept : word_(word), flag_(flag) {
        while (word_.fetch_or(flag_, std::memory_order_acquire) & flag_) {
        }
    }
    ~Locked() { word_.fetch_and(static_cast<T>(~flag_), std::memory_order_release); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;

  private:
    std::atomic<T> &word_;
    const T flag_;
};

/// The end of a graph's edges: takes gradients to a leaf. The tensor owns it, graphs share it, and it does not own the
/// tensor: a gradient with a history, kept in the tensor's grad, would otherwise keep itself alive.
class Leaf final : public Node {
  public:
    explicit Leaf(TensorImpl *tensor) noexcept : Node("leaf", 0, sizeof(Leaf)), tensor_(tensor) {}
    /// Called when the tensor goes or gets another history.
    void leave(const TensorImpl *tensor) noexcept;
    /// Adds g to the tensor's grad, if there still is a tensor that wants it. `shared`: somebody else may hold g.
    void accumulate(Tensor g, bool create_graph, bool shared);

    std::vector<std::pair<uint64_t, TensorHook>> hooks;

  private:
    std::atomic<TensorImpl *> tensor_;
    std::atomic<uint32_t> lock_{0};
};

/// Nobody else can see g's memory, which it fills.
bool exclusive(const Tensor &g);

/// total += g, or total = g if there is none yet; in place where nobody can notice.
void add_up(Tensor &total, Tensor g, bool create_graph);

/// The node whose apply() the calling thread runs, or nullptr.
Node *&current_node() noexcept;

uint64_t next_hook_id() noexcept;

/// The storage's version.
inline uint64_t version_of(const THTensor *t) { return THStorage_version(THTensor_storage(t)); }

/// The node that made t, or its Leaf; looked up again if t is a view whose root has changed. May be null.
const Ref<Node> &history(TensorImpl *t);

} // namespace wick
#endif
