// SPDX-License-Identifier: BSD-3-Clause
#include "expr/sizes.h"
#include "ops/derivative.hpp"
#include <algorithm>

namespace wick {

namespace {
/// Which of x's dimensions were reduced (none given: all).
std::vector<int32_t> reduced(const Tensor &x, Dims dims) {
    std::vector<int32_t> out;
    if (x.dim() == 0) return out;
    if (dims.empty())
        for (int32_t d = 0; d < x.dim(); d++) out.push_back(d);
    for (int32_t d : dims) out.push_back(d < 0 ? d + x.dim() : d);
    std::ranges::sort(out);
    return out;
}

/// Gives a reduced tensor its dimensions back, as size 1, so that it broadcasts against x; those in front come by
/// broadcasting itself.
Tensor restored(Tensor t, const std::vector<int32_t> &dims, bool keepdim) {
    int32_t front = 0;
    for (int32_t d : dims) {
        if (keepdim) break;
        if (d == front)
            front++;
        else
            t = unsqueeze(t, d - front);
    }
    return t;
}

int64_t count(const Tensor &x, const std::vector<int32_t> &dims) {
    int64_t n = 1;
    for (int32_t d : dims)
        if (x.dim() > 0) n = th_size_mul(n, x.size(d));
    return n;
}

template <auto Fn> Tensor reduce(const Tensor &x, Dims dims, bool keepdim) {
    return call<Fn>(x, dims.data(), length(dims), static_cast<int32_t>(keepdim));
}

/// For each element of [..., n] the product of the others, by multiplication alone, which keeps zeros and whose own
/// gradient does not cancel: in a tree of products by pairs, every node hands each child what its sibling holds times
/// what it was handed.
Tensor others_in_rows(const Tensor &rows) {
    std::vector<Tensor> level{rows};
    while (level.back().size(-1) > 1) {
        Tensor &last = level.back();
        std::vector<int64_t> sizes = sizes_of(last);
        if (sizes.back() % 2) last = cat(std::vector{last, ones_like(narrow(last, -1, 0, 1))}, -1);
        sizes.back() = (sizes.back() + 1) / 2;
        sizes.push_back(2);
        last = reshape(last, sizes);
        level.push_back(select(last, -1, 0) * select(last, -1, 1));
    }
    Tensor others = ones_like(level.back());
    for (size_t i = level.size() - 1; i-- > 0;) {
        Tensor siblings = stack(std::vector{select(level[i], -1, 1), select(level[i], -1, 0)}, -1);
        int64_t n = i > 0 ? level[i - 1].size(-2) : rows.size(-1);
        others = narrow(flatten(unsqueeze(others, -1) * siblings, -2), -1, 0, n);
    }
    return others;
}

/// The product of all elements but one's own, along dims.
Tensor others_product(const Tensor &x, const std::vector<int32_t> &dims) {
    std::vector<int32_t> order;
    for (int32_t d = 0; d < x.dim(); d++)
        if (!std::ranges::count(dims, d)) order.push_back(d);
    size_t kept = order.size();
    order.insert(order.end(), dims.begin(), dims.end());
    Tensor last = permute(x, order);
    std::vector<int64_t> permuted = sizes_of(last),
                         flat(permuted.begin(), permuted.begin() + static_cast<std::ptrdiff_t>(kept));
    flat.push_back(count(x, dims));
    // In float64, as the product itself is: parts of it may be larger than the whole.
    Tensor others = others_in_rows(reshape(last, flat).to(kFLOAT64));
    std::vector<int32_t> back(order.size());
    for (size_t i = 0; i < order.size(); i++) back[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    return permute(reshape(others, permuted), back);
}

/// Whether quotients by elements of y's factors are as exact as y: it is normal, not 0, and finite.
bool divisible(const Tensor &y) { return all(logical_and(isfinite(y), isfinite(8 / y))).item<bool>(); }

/// x along dim at the indices that argmax or argmin gave.
ValuesIndices at(const Tensor &x, const Tensor &indices, int32_t dim, bool keepdim) {
    if (x.dim() == 0) return {clone(x), indices};
    Tensor values = gather(x, dim, keepdim ? indices : unsqueeze(indices, dim));
    return {keepdim ? values : squeeze(values, dim), indices};
}

/// The gradient of the largest and smallest values: shared evenly among the elements that are the result.
Tensor to_extremes(const Tensor &g, const Tensor &x, const Tensor &y, const std::vector<int32_t> &dims, bool keepdim) {
    Tensor hit = logical_or(eq(x, restored(y, dims, keepdim)), isnan(x));
    return where(hit, restored(widened(g), dims, keepdim) / sum(hit, dims, true), 0);
}

template <auto Fn> Tensor extreme(const char *name, const Tensor &x, Dims dims, bool keepdim) {
    Tensor y = reduce<Fn>(x, dims, keepdim);
    if (!recording(x)) return y;
    const Saved sx(x), sy = Saved::output(y);
    return record(name, y,
                  wrt(x, [=, d = reduced(x, dims)](const Tensor &g) { return to_extremes(g, sx, sy, d, keepdim); }));
}
} // namespace

Tensor sum(const Tensor &x, Dims dims, bool keepdim, DType dtype) {
    if (dtype != DType::none) return sum(cast_first("sum", x, dims, dtype, false), dims, keepdim).to(dtype);
    Tensor y = reduce<TH_sum>(x, dims, keepdim);
    if (!recording(x)) return y;
    if (dims.empty())
        return record("sum", y, wrt(x, [sizes = sizes_of(x)](const Tensor &g) { return expand(g, sizes); }));
    return record("sum", y, wrt(x, [d = reduced(x, dims), keepdim, sizes = sizes_of(x)](const Tensor &g) {
                      return expand(restored(g, d, keepdim), sizes);
                  }));
}

Tensor mean(const Tensor &x, Dims dims, bool keepdim, DType dtype) {
    if (dtype != DType::none) return mean(cast_first("mean", x, dims, dtype, true), dims, keepdim).to(dtype);
    Tensor y = reduce<TH_mean>(x, dims, keepdim);
    if (!recording(x)) return y;
    return record(
        "mean", y,
        wrt(x, [d = reduced(x, dims), keepdim, sizes = sizes_of(x), n = count(x, reduced(x, dims))](const Tensor &g) {
            return expand(restored((widened(g) / n).to(g.dtype()), d, keepdim), sizes);
        }));
}

Tensor prod(const Tensor &x, Dims dims, bool keepdim, DType dtype) {
    if (dtype != DType::none) return prod(cast_first("prod", x, dims, dtype, false), dims, keepdim).to(dtype);
    Tensor y = reduce<TH_prod>(x, dims, keepdim);
    if (!recording(x)) return y;
    const Saved sx(x), sy = Saved::output(y);
    return record("prod", y, wrt(x, [=, d = reduced(x, dims)](const Tensor &g) -> Tensor {
                      Tensor at = sx, whole = sy, gw = restored(widened(g), d, keepdim);
                      if (at.numel() == 0) return zeros_like(at);
                      if (!recording(g, at) && divisible(whole))
                          return gw * (restored(widened(whole), d, keepdim) / widened(at));
                      return gw * others_product(at, d);
                  }));
}

Tensor amax(const Tensor &x, Dims dims, bool keepdim) { return extreme<TH_max>("amax", x, dims, keepdim); }
Tensor max(const Tensor &x) { return extreme<TH_max>("max", x, {}, false); }
Tensor max(const Tensor &a, const Tensor &b) { return maximum(a, b); }
ValuesIndices max(const Tensor &x, int32_t dim, bool keepdim) { return at(x, argmax(x, dim, keepdim), dim, keepdim); }

Tensor amin(const Tensor &x, Dims dims, bool keepdim) { return extreme<TH_min>("amin", x, dims, keepdim); }
Tensor min(const Tensor &x) { return extreme<TH_min>("min", x, {}, false); }
Tensor min(const Tensor &a, const Tensor &b) { return minimum(a, b); }
ValuesIndices min(const Tensor &x, int32_t dim, bool keepdim) { return at(x, argmin(x, dim, keepdim), dim, keepdim); }

Tensor any(const Tensor &x, Dims dims, bool keepdim) { return reduce<TH_any>(x, dims, keepdim); }

Tensor all(const Tensor &x, Dims dims, bool keepdim) { return reduce<TH_all>(x, dims, keepdim); }

Tensor var(const Tensor &x, Dims dims, double correction, bool keepdim) {
    Tensor y = call<TH_var>(x, dims.data(), length(dims), static_cast<int32_t>(keepdim), correction);
    if (!recording(x)) return y;
    const Wide sx(x);
    return record("var", y, wrt(x, [=, d = reduced(x, dims)](const Tensor &g) {
                      Tensor at = sx;
                      double divisor = std::max(static_cast<double>(count(at, d)) - correction, 0.0);
                      return restored(widened(g), d, keepdim) * centered(at, d) * (2 / divisor);
                  }));
}

Tensor argmax(const Tensor &x, std::optional<int32_t> dim, bool keepdim) {
    return call<TH_argmax>(x, dim.value_or(TH_DIM_ALL), static_cast<int32_t>(keepdim));
}

Tensor argmin(const Tensor &x, std::optional<int32_t> dim, bool keepdim) {
    return call<TH_argmin>(x, dim.value_or(TH_DIM_ALL), static_cast<int32_t>(keepdim));
}

} // namespace wick
