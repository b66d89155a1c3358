// SPDX-License-Identifier: BSD-3-Clause
// What every source in this folder is written with. An op has its row in wick/ops/<stem>.def; here is its function,
// which computes through call<> and records closures for the gradient.
#ifndef WICK_OPS_OP_HPP
#define WICK_OPS_OP_HPP

#include "THNN/THNN.h"
#include "autograd/node.hpp"
#include "wick/ops.hpp"

namespace wick {

inline std::vector<int64_t> sizes_of(const Tensor &x) { return {x.sizes().begin(), x.sizes().end()}; }

/// A height and a width from one value or two.
inline void to_pair(int64_t out[2], const char *fn, const char *name, Sizes v) {
    if (v.size() != 1 && v.size() != 2) fail(TH_E_ARG, "%s: got %zu values for %s, want 1 or 2", fn, v.size(), name);
    out[0] = v[0];
    out[1] = v[v.size() - 1];
}

/// The doc of a row whose op is made by a macro, beside its gradient.
#define WICK_DOC(fn, text)                                                                                             \
    namespace docs {                                                                                                   \
    extern const char fn[] = text;                                                                                     \
    }

} // namespace wick
#endif
