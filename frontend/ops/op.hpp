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

/// A function and that of its gradient.
template <auto Forward, auto Backward> struct Pass {
    static constexpr auto forward = Forward;
    static constexpr auto backward = Backward;
};
/// What differs by the number of spatial dimensions: Stem<2> of THNN_conv2d, say.
#define WICK_KERNELS(Stem, fn, N)                                                                                      \
    template <> struct Stem<N> : Pass<THNN_##fn##N##d, THNN_##fn##N##d_backward> {                                     \
        static constexpr const char *name = #fn #N "d", *back = #fn #N "d_backward";                                   \
    };

/// dims counted from 0; an error for one that x does not have, or that is there twice.
inline std::vector<int32_t> checked_dims(const char *fn, const Tensor &x, Dims dims) {
    const int32_t n = std::max(x.dim(), 1);
    std::vector<int32_t> out;
    for (int32_t d : dims) {
        out.push_back(d < 0 ? d + n : d);
        if (d < -n || d >= n)
            fail(TH_E_INDEX, "%s: got dim %d of %s, want one of its dimensions", fn, d, x.describe().c_str());
        if (std::ranges::count(out, out.back()) > 1) fail(TH_E_ARG, "%s: got dim %d twice, want it once", fn, d);
    }
    return out;
}

/// x in the dtype that a function along dims is to compute in, which refuses first what the function would refuse.
inline Tensor cast_first(const char *fn, const Tensor &x, Dims dims, DType dtype, bool floating) {
    checked_dims(fn, x, dims);
    if (floating && !TH_dtype_is_floating(static_cast<THDtype>(dtype)))
        fail(TH_E_TYPE, "%s: got dtype %s, want a floating one", fn, TH_dtype_name(static_cast<THDtype>(dtype)));
    return to(x, dtype);
}

/// The doc of a row whose op is made by a macro, beside its gradient.
#define WICK_DOC(fn, text)                                                                                             \
    namespace docs {                                                                                                   \
    extern const char fn[] = text;                                                                                     \
    }

} // namespace wick
#endif
