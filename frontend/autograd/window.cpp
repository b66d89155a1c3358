// SPDX-License-Identifier: BSD-3-Clause
#include "autograd/window.hpp"
#include "autograd/change.hpp"
#include "wick/ops.hpp"
#include <algorithm>

namespace wick {

namespace {
/// Elements from the first to behind the last.
int64_t extent(const THTensor *t) {
    if (THTensor_numel(t) == 0) return 0;
    int64_t n = 1;
    for (int32_t d = 0; d < THTensor_ndim(t); d++) n += (THTensor_sizes(t)[d] - 1) * THTensor_strides(t)[d];
    return n;
}
} // namespace

Window::Window(const THTensor *base, const THTensor *part) {
    const THTensor *both[] = {base, part};
    const int64_t from[] = {THTensor_offset(base), extent(part) ? THTensor_offset(part) : THTensor_offset(base)};
    const int64_t first = std::min(from[BASE], from[PART]);
    elements_ = 0;
    lists_.reserve(2 * static_cast<size_t>(THTensor_ndim(base) + THTensor_ndim(part)));
    for (Which w : {BASE, PART}) {
        const THTensor *t = both[w];
        dims_[w] = THTensor_ndim(t);
        lists_.insert(lists_.end(), THTensor_sizes(t), THTensor_sizes(t) + dims_[w]);
        lists_.insert(lists_.end(), THTensor_strides(t), THTensor_strides(t) + dims_[w]);
        offsets_[w] = from[w] - first;
        elements_ = std::max(elements_, offsets_[w] + extent(t));
    }
    dense_ = THTensor_is_contiguous(base) && offsets_[BASE] == 0 && elements_ == THTensor_numel(base);
}

std::span<const int64_t> Window::list(Which w, int k) const {
    const size_t n = static_cast<size_t>(dims_[w]), before = w == PART ? 2 * static_cast<size_t>(dims_[BASE]) : 0;
    return {lists_.data() + before + static_cast<size_t>(k) * n, n};
}

Tensor Window::look(const Tensor &flat, Which w) const {
    const int64_t at = THTensor_offset(flat.th()) + offsets_[w];
    return call<THTensor_as_strided>(flat, sizes(w).data(), strides(w).data(), dims_[w], at);
}

bool Window::overlaps(const Tensor &seen) const { return THTensor_overlaps_itself(seen.th()); }

Tensor Window::flat_with(const Tensor &values, Which w) const {
    Tensor flat = zeros({elements_}, values.dtype(), values.device()), seen = look(flat, w);
    if (!overlaps(seen)) {
        seen.copy_(values);
        return flat;
    }
    Tensor positions = reshape(look(arange(0, elements_, 1, kINT64, flat.device()), w), {-1});
    return index_add(flat, 0, positions, reshape(values, {-1}));
}

Tensor Window::mean_of_shared(const Tensor &flat, bool sum) const {
    if (sum || dense_ || !overlaps(look(flat, BASE))) return flat;
    return flat / maximum(flat_with(ones(sizes(BASE), flat.dtype(), flat.device()), BASE), 1);
}

Tensor Window::read(const Tensor &x, bool sum) const {
    Tensor y;
    {
        NoGrad plain;
        if (dense_) {
            Tensor flat = contiguous(x);
            y = look(flat, PART);
            if (flat.impl() == x.impl()) y = as_view(std::move(y), x);
        } else {
            y = clone(look(mean_of_shared(flat_with(x, BASE), sum), PART));
        }
    }
    if (!recording(x)) return y;
    return record("as_strided", y, wrt(x, [w = *this, sum](const Tensor &g) { return w.back(g, sum); }));
}

Tensor Window::back(const Tensor &g, bool sum) const {
    Tensor y;
    {
        NoGrad plain;
        Tensor flat = mean_of_shared(flat_with(g, PART), sum);
        y = dense_ ? call<THTensor_view>(flat, sizes(BASE).data(), dims_[BASE]) : clone(look(flat, BASE));
    }
    if (!recording(g)) return y;
    return record("as_strided_backward", y, wrt(g, [w = *this, sum](const Tensor &gg) { return w.read(gg, sum); }));
}

Tensor Window::replace(const Tensor &x, const Tensor &src) const {
    Tensor y;
    {
        NoGrad plain;
        Tensor flat = dense_ ? clone(x) : mean_of_shared(flat_with(x, BASE), false);
        look(flat, PART).copy_(src);
        y = dense_ ? flat : clone(look(flat, BASE));
    }
    if (recording(x, src)) record_replace(y, x, src);
    return y;
}

void Window::record_replace(const Tensor &y, const Tensor &x, const Tensor &src) const {
    record("as_strided_scatter", y,
           wrt(x, [w = *this](const Tensor &g) { return w.replace(g, zeros(w.sizes(PART), g.dtype(), g.device())); }),
           wrt(src, [w = *this](const Tensor &g) { return w.read(g, true); }));
}

Tensor record_window(const char *name, const Tensor &y, const Tensor &x) {
    return record(name, y, wrt(x, [w = Window(x.th(), y.th())](const Tensor &g) { return w.back(g); }));
}

} // namespace wick
