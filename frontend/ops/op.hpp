// SPDX-License-Identifier: BSD-3-Clause
// What every source in this folder is written with. An op has its row in wick/ops/<stem>.def; here is its function,
// which computes through call<> and records closures for the gradient.
#ifndef WICK_OPS_OP_HPP
#define WICK_OPS_OP_HPP

#include "THNN/THNN.h"
#include "autograd/change.hpp"
#include "wick/ops.hpp"
#include <algorithm>

namespace wick {

inline std::vector<int64_t> sizes_of(const Tensor &x) { return {x.sizes().begin(), x.sizes().end()}; }

/// Numbers per dimension where THNN's geometries have them: at the end of depth, height, width.
template <size_t N> void to_last(int64_t (&out)[3], const PerDim<N> &v) { std::copy_n(v.v, N, out + 3 - N); }

/// The doc of a row whose op is made by a macro, beside its gradient.
#define WICK_DOC(fn, text)                                                                                             \
    namespace docs {                                                                                                   \
    extern const char fn[] = text;                                                                                     \
    }

} // namespace wick
#endif
