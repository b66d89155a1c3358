// SPDX-License-Identifier: BSD-3-Clause
// Views and what is close to them. The gradient of those that show all elements is the view that leads back; of the
// others, what Window says.
#include "autograd/window.hpp"
#include "expr/sizes.h"
#include "ops/op.hpp"
#include <algorithm>

namespace wick {

namespace {
/// y, which shows x's elements in other sizes, or is a copy of them.
Tensor reshaped(const char *name, Tensor y, const Tensor &x) {
    if (THTensor_storage(y.th()) == THTensor_storage(x.th())) y = as_view(std::move(y), x);
    if (!recording(x)) return y;
    return record(name, y, wrt(x, [sizes = sizes_of(x)](const Tensor &g) { return reshape(g, sizes); }));
}

template <auto Fn> Tensor sized(const char *name, const Tensor &x, Sizes sizes) {
    return reshaped(name, call<Fn>(x, sizes.data(), length(sizes)), x);
}

/// y, which shows some of x's elements.
Tensor window(const char *name, Tensor y, const Tensor &x) {
    y = as_view(std::move(y), x);
    return recording(x) ? record_window(name, y, x) : y;
}

Tensor strided(const char *fn, const Tensor &x, Sizes sizes, Sizes strides, std::optional<int64_t> offset) {
    if (sizes.size() != strides.size())
        fail(TH_E_ARG, "%s: got %zu sizes and %zu strides, want equal numbers", fn, sizes.size(), strides.size());
    const int64_t at = offset ? *offset : x.defined() ? THTensor_offset(x.th()) : 0;
    return call<THTensor_as_strided>(x, sizes.data(), strides.data(), length(sizes), at);
}
} // namespace

Tensor view(const Tensor &x, Sizes sizes) { return sized<THTensor_view>("view", x, sizes); }

Tensor reshape(const Tensor &x, Sizes sizes) { return sized<THTensor_reshape>("reshape", x, sizes); }

Tensor flatten(const Tensor &x, int32_t start_dim, int32_t end_dim) {
    return reshaped("flatten", call<THTensor_flatten>(x, start_dim, end_dim), x);
}

Tensor squeeze(const Tensor &x, std::optional<int32_t> dim) {
    return reshaped("squeeze", dim ? call<THTensor_squeeze_dim>(x, *dim) : call<THTensor_squeeze>(x), x);
}

Tensor squeeze(const Tensor &x, Dims dims) {
    std::vector<int32_t> last_first = checked_dims("squeeze", x, dims);
    std::ranges::sort(last_first, std::greater());
    if (x.dim() == 0) last_first.clear();
    Tensor y = x;
    for (int32_t d : last_first) y = call<THTensor_squeeze_dim>(y, d);
    return reshaped("squeeze", last_first.empty() ? call<THTensor_alias>(x) : y, x);
}

Tensor unsqueeze(const Tensor &x, int32_t dim) { return reshaped("unsqueeze", call<THTensor_unsqueeze>(x, dim), x); }

Tensor transpose(const Tensor &x, int32_t dim0, int32_t dim1) {
    Tensor y = as_view(call<THTensor_transpose>(x, dim0, dim1), x);
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
    Tensor y = as_view(call<THTensor_permute>(x, dims.data(), length(dims)), x);
    if (!recording(x)) return y;
    std::vector<int32_t> back(dims.size());
    for (size_t i = 0; i < dims.size(); i++)
        back[static_cast<size_t>(dims[i] < 0 ? dims[i] + x.dim() : dims[i])] = static_cast<int32_t>(i);
    return record("permute", y, wrt(x, [=](const Tensor &g) { return permute(g, back); }));
}

Tensor expand(const Tensor &x, Sizes sizes) {
    Tensor y = as_view(call<THTensor_expand>(x, sizes.data(), length(sizes)), x);
    if (!recording(x)) return y;
    return record("expand", y, wrt(x, [](const Tensor &g) { return g; })); // the engine sums over what was stretched
}

Tensor narrow(const Tensor &x, int32_t dim, int64_t start, int64_t length) {
    return window("narrow", call<THTensor_narrow>(x, dim, start, length), x);
}

Tensor select(const Tensor &x, int32_t dim, int64_t index) {
    return window("select", call<THTensor_select>(x, dim, index), x);
}

Tensor slice(const Tensor &x, int32_t dim, int64_t start, int64_t end, int64_t step) {
    return window("slice", call<THTensor_slice>(x, dim, start, end, step), x);
}

Tensor unfold(const Tensor &x, int32_t dim, int64_t size, int64_t step) {
    return window("unfold", call<THTensor_unfold>(x, dim, size, step), x);
}

Tensor diagonal(const Tensor &x, int64_t offset, int32_t dim0, int32_t dim1) {
    return window("diagonal", call<THTensor_diagonal>(x, offset, dim0, dim1), x);
}

Tensor as_strided(const Tensor &x, Sizes sizes, Sizes strides, std::optional<int64_t> offset) {
    return window("as_strided", strided("as_strided", x, sizes, strides, offset), x);
}

Tensor as_strided_scatter(const Tensor &x, const Tensor &src, Sizes sizes, Sizes strides,
                          std::optional<int64_t> offset) {
    const char *fn = "as_strided_scatter";
    Tensor part = strided(fn, x, sizes, strides, offset);
    if (!src.defined() || !std::ranges::equal(src.sizes(), part.sizes()))
        fail(TH_E_SHAPE, "%s: got src %s, want the sizes of the window, %s", fn, src.describe().c_str(),
             part.describe().c_str());
    if (THTensor_overlaps_itself(part.th()))
        fail(TH_E_ARG, "%s: got sizes and strides by which elements share memory, want each its own", fn);
    return Window(x.th(), part.th()).replace(x, src);
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
