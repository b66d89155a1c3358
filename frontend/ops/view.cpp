// SPDX-License-Identifier: BSD-3-Clause
// Views and what is close to them. The gradient of most is the view that leads back.
#include "expr/sizes.h"
#include "ops/op.hpp"

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
Tensor positions(Sizes sizes) { return reshape(arange(0, th_size_product(sizes.data(), length(sizes))), sizes); }

/// The gradient of any view that picks elements: adds each of g to the element it came from. `picked` holds the view of
/// positions().
Tensor add_back(const Tensor &g, const Tensor &picked, const std::vector<int64_t> &sizes) {
    int64_t n = th_size_product(sizes.data(), length(sizes));
    return reshape(index_add(zeros({n}, g.dtype()), 0, reshape(picked, {-1}), reshape(g, {-1})), sizes);
}
} // namespace

WICK_OP(view, "view(Tensor(a) x, int[] sizes) -> Tensor(a)",
        "The same elements in other sizes, without copying; one size may be -1.")
Tensor view(const Tensor &x, Sizes sizes) { return sized<THTensor_view>("view", x, sizes); }

WICK_OP(reshape, "reshape(Tensor(a) x, int[] sizes) -> Tensor(a)",
        "A view in other sizes, or a copy where strides do not allow one.")
Tensor reshape(const Tensor &x, Sizes sizes) { return sized<THTensor_reshape>("reshape", x, sizes); }

WICK_OP(flatten, "flatten(Tensor(a) x, int start_dim=0, int end_dim=-1) -> Tensor(a)",
        "Merges dimensions start_dim to end_dim.")
Tensor flatten(const Tensor &x, int32_t start_dim, int32_t end_dim) {
    return record_reshape("flatten", call<THTensor_flatten>(x, start_dim, end_dim), x);
}

WICK_OP(squeeze, "squeeze(Tensor(a) x, int? dim=None) -> Tensor(a)",
        "Removes dimensions of size 1, or only dim if it is one.")
Tensor squeeze(const Tensor &x, std::optional<int32_t> dim) {
    return record_reshape("squeeze", dim ? call<THTensor_squeeze_dim>(x, *dim) : call<THTensor_squeeze>(x), x);
}

WICK_OP(unsqueeze, "unsqueeze(Tensor(a) x, int dim) -> Tensor(a)", "Inserts a dimension of size 1 before dim.")
Tensor unsqueeze(const Tensor &x, int32_t dim) {
    return record_reshape("unsqueeze", call<THTensor_unsqueeze>(x, dim), x);
}

WICK_OP(transpose, "transpose(Tensor(a) x, int dim0, int dim1) -> Tensor(a)", "Swaps two dimensions.")
Tensor transpose(const Tensor &x, int32_t dim0, int32_t dim1) {
    Tensor y = call<THTensor_transpose>(x, dim0, dim1);
    if (!recording(x)) return y;
    return record("transpose", y, wrt(x, [=](const Tensor &g) { return transpose(g, dim0, dim1); }));
}

WICK_OP(t, "t(Tensor(a) x) -> Tensor(a)", "The transpose of a matrix; vectors and scalars stay.")
Tensor t(const Tensor &x) {
    if (x.dim() > 2) fail(TH_E_SHAPE, "t: got %s, want at most 2 dimensions", x.describe().c_str());
    return x.dim() == 2 ? transpose(x, 0, 1) : x;
}

WICK_OP(permute, "permute(Tensor(a) x, int[] dims) -> Tensor(a)", "Reorders all dimensions.")
Tensor permute(const Tensor &x, Dims dims) {
    Tensor y = call<THTensor_permute>(x, dims.data(), length(dims));
    if (!recording(x)) return y;
    std::vector<int32_t> back(dims.size());
    for (size_t i = 0; i < dims.size(); i++)
        back[static_cast<size_t>(dims[i] < 0 ? dims[i] + x.dim() : dims[i])] = static_cast<int32_t>(i);
    return record("permute", y, wrt(x, [=](const Tensor &g) { return permute(g, back); }));
}

WICK_OP(expand, "expand(Tensor(a) x, int[] sizes) -> Tensor(a)", "Broadcasts to sizes; -1 keeps one.")
Tensor expand(const Tensor &x, Sizes sizes) {
    Tensor y = call<THTensor_expand>(x, sizes.data(), length(sizes));
    if (!recording(x)) return y;
    return record("expand", y, wrt(x, [](const Tensor &g) { return g; })); // the engine sums over what was stretched
}

WICK_OP(narrow, "narrow(Tensor(a) x, int dim, int start, int length) -> Tensor(a)",
        "`length` entries from `start` along dim.")
Tensor narrow(const Tensor &x, int32_t dim, int64_t start, int64_t length) {
    Tensor y = call<THTensor_narrow>(x, dim, start, length);
    if (!recording(x)) return y;
    return record("narrow", y,
                  wrt(x, [=, sizes = sizes_of(x), at = start < 0 ? start + x.size(dim) : start](const Tensor &g) {
                      std::vector<int64_t> before = sizes, after = sizes;
                      size_t d = static_cast<size_t>(dim < 0 ? dim + static_cast<int32_t>(sizes.size()) : dim);
                      before[d] = at;
                      after[d] -= at + length;
                      return cat(std::vector{zeros(before, g.dtype()), g, zeros(after, g.dtype())}, dim);
                  }));
}

WICK_OP(select, "select(Tensor(a) x, int dim, int index) -> Tensor(a)",
        "The entry at one index along dim, which disappears.")
Tensor select(const Tensor &x, int32_t dim, int64_t index) {
    if (recording(x)) return squeeze(narrow(x, dim, index, 1), dim);
    return call<THTensor_select>(x, dim, index);
}

WICK_OP(slice, "slice(Tensor(a) x, int dim, int start, int end, int step=1) -> Tensor(a)",
        "Entries start, start + step, ... below end, clamped as Python slices are.")
Tensor slice(const Tensor &x, int32_t dim, int64_t start, int64_t end, int64_t step) {
    Tensor y = call<THTensor_slice>(x, dim, start, end, step);
    if (!recording(x)) return y;
    return record("slice", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, slice(positions(sizes), dim, start, end, step), sizes);
                  }));
}

WICK_OP(unfold, "unfold(Tensor(a) x, int dim, int size, int step) -> Tensor(a)",
        "Windows of `size`, `step` apart, along dim, as a last dimension.")
Tensor unfold(const Tensor &x, int32_t dim, int64_t size, int64_t step) {
    Tensor y = call<THTensor_unfold>(x, dim, size, step);
    if (!recording(x)) return y;
    return record("unfold", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, unfold(positions(sizes), dim, size, step), sizes);
                  }));
}

WICK_OP(diagonal, "diagonal(Tensor(a) x, int offset=0, int dim0=0, int dim1=1) -> Tensor(a)",
        "The diagonal of two dimensions, as a last dimension.")
Tensor diagonal(const Tensor &x, int64_t offset, int32_t dim0, int32_t dim1) {
    Tensor y = call<THTensor_diagonal>(x, offset, dim0, dim1);
    if (!recording(x)) return y;
    return record("diagonal", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return add_back(g, diagonal(positions(sizes), offset, dim0, dim1), sizes);
                  }));
}

namespace {
/// What passes the gradient on as it is (the engine casts it).
Tensor record_same(const char *name, const Tensor &y, const Tensor &x) {
    if (!recording(x)) return y;
    return record(name, y, wrt(x, [](const Tensor &g) { return g; }));
}
} // namespace

WICK_OP(clone, "clone(Tensor x) -> Tensor", "A contiguous copy.")
Tensor clone(const Tensor &x) { return record_same("clone", call<THTensor_clone>(x), x); }

WICK_OP(contiguous, "contiguous(Tensor(a) x) -> Tensor(a)", "x itself if it is contiguous, else a contiguous copy.")
Tensor contiguous(const Tensor &x) { return x.is_contiguous() ? x : clone(x); }

WICK_OP(to, "to(Tensor(a) x, dtype dtype) -> Tensor(a)", "x itself if it has that dtype, else a copy cast to it.")
Tensor to(const Tensor &x, DType dtype) {
    if (x.dtype() == dtype && !THTensor_is_number(x.th())) return x;
    Tensor y = call<THTensor_to>(x, dtype);
    return y.is_floating_point() ? record_same("to", y, x) : y;
}

static Tensor detach(const Tensor &x) { return x.detach(); }
WICK_OP(detach, "detach(Tensor(a) x) -> Tensor(a)", "The same data without history.")

Tensor Tensor::to(DType dtype) const { return wick::to(*this, dtype); }
Tensor Tensor::clone() const { return wick::clone(*this); }
Tensor Tensor::contiguous() const { return wick::contiguous(*this); }
Tensor Tensor::view(Sizes sizes) const { return wick::view(*this, sizes); }
Tensor Tensor::reshape(Sizes sizes) const { return wick::reshape(*this, sizes); }
Tensor Tensor::flatten(int32_t start_dim, int32_t end_dim) const { return wick::flatten(*this, start_dim, end_dim); }
Tensor Tensor::t() const { return wick::t(*this); }
Tensor Tensor::transpose(int32_t dim0, int32_t dim1) const { return wick::transpose(*this, dim0, dim1); }
Tensor Tensor::permute(Dims dims) const { return wick::permute(*this, dims); }
Tensor Tensor::expand(Sizes sizes) const { return wick::expand(*this, sizes); }
Tensor Tensor::squeeze() const { return wick::squeeze(*this); }
Tensor Tensor::squeeze(int32_t dim) const { return wick::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int32_t dim) const { return wick::unsqueeze(*this, dim); }
Tensor Tensor::select(int32_t dim, int64_t index) const { return wick::select(*this, dim, index); }
Tensor Tensor::narrow(int32_t dim, int64_t start, int64_t n) const { return wick::narrow(*this, dim, start, n); }
Tensor Tensor::slice(int32_t dim, int64_t start, int64_t end, int64_t step) const {
    return wick::slice(*this, dim, start, end, step);
}

WICK_OPS(view)

} // namespace wick
