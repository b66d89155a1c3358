// SPDX-License-Identifier: BSD-3-Clause
// How the elements of one tensor (part) lie among those of another (base) over the same memory, and the linear maps
// between dense tensors of their sizes that follow from it. Each map is differentiable by its transpose, so gradients
// of views exist in every order, whatever the strides.
#ifndef WICK_AUTOGRAD_WINDOW_HPP
#define WICK_AUTOGRAD_WINDOW_HPP

#include "wick/tensor.hpp"

namespace wick {

class Window {
  public:
    Window(const THTensor *base, const THTensor *part);

    /// What part would show if base held x. Elements outside of base are 0; where elements of base share memory, their
    /// mean counts (`sum`: their sum).
    Tensor read(const Tensor &x, bool sum = false) const;
    /// The transpose: each of g is added to where it came from.
    Tensor back(const Tensor &g, bool sum = false) const;
    /// What base would show if it held x and src were written into part, which must not overlap itself.
    Tensor replace(const Tensor &x, const Tensor &src) const;
    /// Records y, over base's memory, as replace(x, src).
    void record_replace(const Tensor &y, const Tensor &x, const Tensor &src) const;

  private:
    enum Which { BASE, PART };
    std::span<const int64_t> sizes(Which w) const { return list(w, 0); }
    std::span<const int64_t> strides(Which w) const { return list(w, 1); }
    std::span<const int64_t> list(Which w, int k) const;
    /// w's elements of a tensor of `elements_`, which begins where the first of both does.
    Tensor look(const Tensor &flat, Which w) const;
    bool overlaps(const Tensor &seen) const;
    Tensor flat_with(const Tensor &values, Which w) const;
    Tensor mean_of_shared(const Tensor &flat, bool sum) const;

    std::vector<int64_t> lists_; // sizes and strides of both
    int32_t dims_[2];
    int64_t offsets_[2], elements_;
    bool dense_; // base is contiguous and part lies inside
};

/// Records y, which lies over x's memory, as a function of x.
Tensor record_window(const char *name, const Tensor &y, const Tensor &x);

} // namespace wick
#endif
