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

/// The node whose apply() the calling thread runs, or nullptr.
Node *&current_node() noexcept;

uint64_t next_hook_id() noexcept;

/// Throws if `t` cannot be changed in place by an op that records (or not).
void check_in_place(const char *fn, const Tensor &t, bool records);

/// Gives x the node that made y, a tensor over the same memory.
void move_history(const Tensor &x, const Tensor &y);

/// Runs op(old, into) as an in-place op on x: `old` stands for x's value before. `others` are the further inputs.
template <class F, class... T> Tensor &in_place(const char *fn, Tensor &x, F op, const T &...others) {
    check_in_place(fn, x, recording(x, others...));
    Tensor old = Tensor::adopt(THTensor_retain(x.th()));
    TensorImpl *was = old.impl(), *is = x.impl();
    was->node = is->node;
    was->output = is->output;
    was->flags = (is->flags & TensorImpl::REQUIRES_GRAD) | TensorImpl::OVERWRITTEN;
    was->version = x.version();
    Tensor y = op(std::as_const(old), x.th());
    if (y.impl()->node) move_history(x, y);
    return x;
}

/// `t`, or what stands for its value before if it is the tensor being changed.
inline const Tensor &before(const Tensor &t, const Tensor &x, const Tensor &old) {
    return t.impl() == x.impl() ? old : t;
}

} // namespace wick
#endif
