// SPDX-License-Identifier: BSD-3-Clause
// In-place changes, recorded, and views, through which they reach other tensors.
//
// A view remembers its root, the tensor at the end of the chain of views. A recorded change of a view is a change of
// its root: the root's history becomes as_strided_scatter(root, changed view), its generation goes up, and every view
// whose generation is older finds a new history when it is next asked: as_strided(root). So there are no pointers from
// roots to views.
#ifndef WICK_AUTOGRAD_CHANGE_HPP
#define WICK_AUTOGRAD_CHANGE_HPP

#include "autograd/node.hpp"

namespace wick {

namespace detail {
inline bool requires_grad(const Tensor &t) noexcept { return t.requires_grad(); }
template <class T> bool requires_grad(const T &) noexcept { return false; }
} // namespace detail

/// An in-place change of x, recorded or not. All that can fail comes before the first byte is written: on an error x
/// and its history are what they were.
class Change {
  public:
    Change(const char *fn, const Tensor &x, bool records) : x_(x), records_(records) {
        if (records || !x.defined()) [[unlikely]]
            begin(fn);
    }
    Change(const Change &) = delete;
    Change &operator=(const Change &) = delete;

    /// t, or what stands for its value before the change where it shares memory with x.
    const Tensor &before(const Tensor &t) { return records_ ? snapshot(t) : t; }
    /// x's value before, for ops that overwrite all of it: only its history is of interest, and only if x is no view
    /// (the root's new history has no place for the old window).
    const Tensor &overwritten();

    /// Writes x by write(THTensor *); before that, tape(y) records y, its coming value, if an operand requires
    /// gradient.
    template <class W, class Tape, class... A> void write(const W &write, const Tape &tape, const A &...operands) {
        if (!records_) return write(x_.th());
        Tensor y = result();
        if ((detail::requires_grad(operands) || ...)) tape(y);
        prepare(y);
        write(x_.th());
        commit();
    }

  private:
    Tensor result() const;
    void prepare(const Tensor &y);
    void commit() noexcept;
    void begin(const char *fn);
    const Tensor &snapshot(const Tensor &t);
    TensorImpl *target() const noexcept { return x_.impl()->root ? x_.impl()->root.get() : x_.impl(); }

    enum { OPERANDS = 3 };
    const Tensor &x_;
    bool records_;
    Tensor olds_[OPERANDS];          // what stands for operands before,
    const TensorImpl *of_[OPERANDS]; // and for which
    int32_t n_ = 0;
    Ref<Node> next_; // the target's coming history
};

/// Runs op(change) as an in-place op on x, which records if x or `others` require gradient.
template <class F, class... T> Tensor &in_place(const char *fn, Tensor &x, F op, const T &...others) {
    Change change(fn, x, recording(x, others...));
    op(change);
    return x;
}

/// y = Fn(args), recorded by tape(y) if an argument requires gradient: a new tensor, or (`change`) the coming value of
/// the one that changes; nothing is returned then.
template <auto Fn, class Tape, class... A> Tensor compute(Change *change, const Tape &tape, const A &...args) {
    if (!change) {
        Tensor y = call<Fn>(args...);
        if ((detail::requires_grad(args) || ...) && grad_enabled()) tape(y);
        return y;
    }
    change->write([&](THTensor *into) { call_into<Fn>(into, args...); }, tape, args...);
    return {};
}

/// Records y as what `old`, the value before, has no part in.
void record_forgotten(const char *name, const Tensor &y, const Tensor &old);

/// Overwrites all of x by write(THTensor *), with what depends on nothing recorded.
template <class F> Tensor &overwrite(const char *fn, Tensor &x, F write) {
    return in_place(fn, x, [&](Change &change) {
        const Tensor &old = change.overwritten();
        change.write(
            write, [&](const Tensor &y) { record_forgotten(fn, y, old); }, old);
    });
}

} // namespace wick
#endif
