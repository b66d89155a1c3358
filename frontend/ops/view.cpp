// SPDX-License-Identifier: BSD-3-Clause
// Views and what is close to them. The gradient of most is the view that leads back.
#include "expr/sizes.h"
#include "ops/op.hpp"
#include <algorithm>

namespace wick {

namespace {
/// Records a view whose gradient takes x's sizes back.
Tensor record_reshape(const char *name, const Tensor &y, const Tensor &x) {
    if (!recording(x)) return y;
    return record(name, y, wrt(x, [sizes = sizes_of(x)](const Tensor &g) { return reshape(g, sizes); }));
}

template <auto Fn> Tensor sized(const char *name, const Tensor &x, Sizes sizes) {
    return record_reshape(name, call<Fn>(x, sizes.data(), length(sizes)), x);
}

/// Positions 0 ... numel-1 in the shape of x.
Tensor positions(Sizes sizes, Device device) {
    return reshape(arange(0, th_size_product(sizes.data(), length(sizes)), 1, kINT64, device), sizes);
}

/// The gradient of any view that picks elements: adds each of g to the element it came from. `picked` holds the view of
/// positions().
Tensor add_back(const Tensor &g, const Tensor &picked, const std::vector<int64_t> &sizes) {
    int64_t n = th_size_product(sizes.data(), length(sizes));
    return reshape(index_add(zeros({n}, g.dtype(), g.device()), 0, reshape(picked, {-1}), reshape(g, {-1})), sizes);
}
} // namespace

Tensor view(const Tensor &x, Sizes sizes) { return sized<THTensor_view>("view", x, sizes); }

Tensor reshape(const Tensor &x, Sizes sizes) { return sized<THTensor_reshape>("reshape", x, sizes); }

Tensor flatten(const Tensor &x, int32_t start_dim, int32_t end_dim) {
    return record_reshape("flatten", call<THTensor_flatten>(x, start_dim, end_dim), x);
}

Tensor squeeze(const Tensor &x, std::optional<int32_t> dim) {
    return record_reshape("squeeze", dim ? call<THTensor_squeeze_dim>(x, *dim) : call<THTensor_squeeze>(x), x);
}

Tensor squeeze(const Tensor &x, Dims dims) {
    std::vector<int32_t> last_first;
    for (int32_t d : dims) {
        int32_t at = d < 0 ? d + x.dim() : d;
        if (x.dim() == 0 && (d == 0 || d == -1)) continue;
        if (at < 0 || at >= x.dim())
            fail(TH_E_INDEX, "squeeze: got dim %d of %s, want one of its dimensions", d, x.describe().c_str());
        if (std::ranges::count(last_first, at)) fail(TH_E_ARG, "squeeze: got dim %d twice, want it once", d);
        last_first.push_back(at);
    }
    std::ranges::sort(last_first, std::greater());
    Tensor y = x;
    for (int32_t d : last_first) y = call<THTensor_squeeze_dim>(y, d);
    return record_reshape("squeeze", last_first.empty() ? call<THTensor_alias>(x) : y, x);
}

Tensor unsqueeze(const Tensor &x, int32_t dim) {
    return record_reshape("unsqueeze", call<THTensor_unsqueeze>(x, dim), x);
}

Tensor transpose(const Tensor &x, int32_t dim0, int32_t dim1) {
    Tensor y = call<THTensor_transpose>(x, dim0, dim1);
    if (!recording(x)) return y;
    return record("transpose", y, wrt(x, [=](const Tensor &g) { return transpose(g, dim0, dim1); }));
}

Tensor t(const Tensor &x) {
    if (x.dim() > 2) fail(TH_E_SHAPE, "t: got %s, want at most 2 dimensions", x.describe().c_str());
    return x.dim() == 2 ? transpose(x, 0, 1) : x;
}

Tensor mT(const Tensor &x) {
    if (x.dim() < 2) fail(TH_E_SHAPE, "mT: got %s, want at least 2 dimensions", x.describe().c_str());
    return transpose(x, -2, -1);
}

Tensor permute(const Tensor &x, Dims dims) {
    Tensor y = call<THTensor_permute>(x, dims.data(), length(dims));
    if (!recording(x)) return y;
    std::vector<int32_t> back(dims.size());
    for (size_t i = 0; i < dims.size(); i++)
        back[static_cast<size_t>(dims[i] < 0 ? dims[i] + x.dim() : dims[i])] = static_cast<int32_t>(i);
    return record("permute", y, wrt(x, [=](const Tensor &g) { return permute(g, back); }));
}

Tensor expand(const Tensor &x, Sizes sizes) {
    Tensor y = call<THTensor_expand>(x, sizes.data(), length(sizes));
    if (!recording(x)) return y;
    return record("expand", y, wrt(x, [](const Tensor &g) { return g; })); // the engine sums over what was stretched
}

Tensor narrow(const Tensor &x, int32_t dim, int64_t start, int64_t length) {
    Tensor y = call<THTensor_narrow>(x, dim, start, length);
    if (!recording(x)) return y;
    return record(
        "narrow", y, wrt(x, [=, sizes = sizes_of(x), at = start < 0 ? start + x.size(dim) : start](const Tensor &g) {
            std::vector<int64_t> before = sizes, after = sizes;
            size_t d = static_cast<size_t>(dim < 0 ? dim + static_cast<int32_t>(sizes.size()) : dim);
            before[d] = at;
            after[d] -= at + length;
            return cat(std::vector{zeros(before, g.dtype(), g.device()), g, zeros(after, g.dtype(), g.device())}, dim);
        }));
}

Tensor select(const Tensor &x, int32_t dim, int64_t index) {
    if (recording(x)) return squeeze(narrow(x, dim, index, 1), dim);
    return call<THTensor_select>(x, dim, index);
}

Tensor slice(const Tensor &x, int32_t dim, int64_t start, int64_t end, int64_t step) {
    Tensor y = call<THTensor_slice>(x, dim, start, end, step);
    if (!recording(x)) return y;
    return record("slice", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, slice(positions(sizes, g.device()), dim, start, end, step), sizes);
                  }));
}

Tensor unfold(const Tensor &x, int32_t dim, int64_t size, int64_t step) {
    Tensor y = call<THTensor_unfold>(x, dim, size, step);
    if (!recording(x)) return y;
    return record("unfold", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, unfold(positions(sizes, g.device()), dim, size, step), sizes);
                  }));
}

Tensor diagonal(const Tensor &x, int64_t offset, int32_t dim0, int32_t dim1) {
    Tensor y = call<THTensor_diagonal>(x, offset, dim0, dim1);
    if (!recording(x)) return y;
    return record("diagonal", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, diagonal(positions(sizes, g.device()), offset, dim0, dim1), sizes);
                  }));
}

namespace {
/// What passes the gradient on as it is (the engine casts it).
Tensor record_same(const char *name, const Tensor &y, const Tensor &x) {
    if (!recording(x)) return y;
    return record(name, y, wrt(x, [](const Tensor &g) { return g; }));
}
} // namespace

Tensor clone(const Tensor &x) { return record_same("clone", call<THTensor_clone>(x), x); }

Tensor contiguous(const Tensor &x) { return x.is_contiguous() ? x : clone(x); }

Tensor to(const Tensor &x, DType dtype, std::optional<Device> device) {
    if (device) return to(to(x, dtype), *device);
    if (x.dtype() == dtype && !THTensor_is_number(x.th())) return x;
    Tensor y = call<THTensor_to>(x, dtype);
    return y.is_floating_point() ? record_same("to", y, x) : y;
}

Tensor to(const Tensor &x, Device device) {
    if (x.device() == device && !THTensor_is_number(x.th())) return x;
    THTensor *out = nullptr;
    check(THTensor_to_device(&out, x.th(), device.code));
    Tensor y = Tensor::adopt(out);
    if (!recording(x)) return y;
    return record("to", y, wrt(x, [from = x.device()](const Tensor &g) { return to(g, from); }));
}

Tensor detach(const Tensor &x) { return call<THTensor_alias>(x); }

} // namespace wick
