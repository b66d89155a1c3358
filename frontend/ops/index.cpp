// SPDX-License-Identifier: BSD-3-Clause
#include "ops/derivative.hpp"
#include <algorithm>

namespace wick {

namespace {
bool recording_any(ListView<Tensor> tensors) {
    return grad_enabled() && std::ranges::any_of(tensors, [](const Tensor &t) { return t.requires_grad(); });
}

/// What index takes from g, in the sizes of a src that may be larger than it: the rest had no part.
Tensor gathered(const Tensor &g, int32_t dim, const Tensor &index, const std::vector<int64_t> &sizes) {
    Tensor out = gather(g, dim, index);
    if (sizes.empty() && out.dim() > 0) return sum(out); // src is a number for all
    for (int32_t d = 0; d < out.dim(); d++) {
        std::vector<int64_t> rest = sizes_of(out);
        if (rest[static_cast<size_t>(d)] == sizes[static_cast<size_t>(d)]) continue;
        rest[static_cast<size_t>(d)] = sizes[static_cast<size_t>(d)] - out.size(d);
        out = cat(std::vector{out, zeros(rest, g.dtype(), g.device())}, d);
    }
    return out;
}
} // namespace

Tensor index_select(const Tensor &x, int32_t dim, const Tensor &index) {
    Tensor y = call<TH_index_select>(x, dim, index);
    if (!recording(x)) return y;
    const Saved i(index);
    return record("index_select", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return index_add(zeros(sizes, g.dtype(), g.device()), dim, i, g);
                  }));
}

Tensor index_add(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src) {
    Tensor y = call<TH_index_add>(x, dim, index, src);
    if (!recording(x, src)) return y;
    const Saved i(index);
    return record("index_add", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(src, [=](const Tensor &g) { return index_select(g, dim, i); }));
}

Tensor gather(const Tensor &x, int32_t dim, const Tensor &index) {
    Tensor y = call<TH_gather>(x, dim, index);
    if (!recording(x)) return y;
    const Saved i(index);
    return record("gather", y, wrt(x, [=, sizes = sizes_of(x)](const Tensor &g) {
                      return scatter_add(zeros(sizes, g.dtype(), g.device()), dim, i, g);
                  }));
}

Tensor scatter(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src) {
    Tensor y = call<TH_scatter>(x, dim, index, src);
    if (!recording(x, src)) return y;
    const Saved i(index);
    return record(
        "scatter", y,
        wrt(x, [=](const Tensor &g) { return scatter(g, dim, i, zeros(i.get().sizes(), g.dtype(), g.device())); }),
        wrt(src, [=, sizes = sizes_of(src)](const Tensor &g) { return gathered(g, dim, i, sizes); }));
}

Tensor scatter_add(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src) {
    Tensor y = call<TH_scatter_add>(x, dim, index, src);
    if (!recording(x, src)) return y;
    const Saved i(index);
    return record("scatter_add", y, wrt(x, [](const Tensor &g) { return g; }),
                  wrt(src, [=, sizes = sizes_of(src)](const Tensor &g) { return gathered(g, dim, i, sizes); }));
}

namespace {
/// TH_scatter_scan. Its gradient is the same recurrence the other way: with q the steps of g's from the end, whose
/// terms are the gradients of the steps, x's is what that ends with, a's is q times the steps, b's is q.
struct Scan {
    Tensor steps, last;

    Scan(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &a, const Tensor &b, bool reverse) {
        Out end;
        steps = call<TH_scatter_scan>(&end.th, x, dim, index, a, b, reverse);
        last = end.take();
        if (!recording(x, a, b)) return;
        const Tensor results[] = {steps, last}, inputs[] = {x, a, b};
        const Saved i(index), factors(a), before = Saved::output(steps);
        auto nothing = [sizes = sizes_of(x), d = x.dtype(), on = x.device()] { return zeros(sizes, d, on); };
        record_joint("scatter_scan", results, inputs, [=](std::span<const Tensor> g, std::span<Tensor> out) {
            Scan back(g[1].defined() ? g[1] : nothing(), dim, i, factors, g[0], !reverse);
            out[0] = back.last, out[1] = back.steps * before, out[2] = back.steps;
        });
    }
};

/// One factor for each entry of index, out of a src that may be larger or a number.
Tensor factors_of(const Tensor &src, const Tensor &index, DType dtype) {
    if (src.dim() == 0) return expand(to(src, dtype), index.sizes());
    Tensor part = src;
    for (int32_t d = 0; d < index.dim(); d++) part = narrow(part, d, 0, index.size(d));
    return part;
}

Tensor scatter_mul(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src) {
    Tensor y = call<TH_scatter_mul>(x, dim, index, src);
    if (!recording(x, src)) return y;
    const Tensor a = factors_of(src, index, x.dtype());
    const Saved i(index);
    const Wide factors(a), start(x); // parts of a product of halves may be larger than the whole
    return record("scatter", y, wrt(x, [=](const Tensor &g) { return scatter_mul(widened(g), dim, i, factors); }),
                  wrt(a, [=](const Tensor &g) { // times what the factors before it and behind it make of x and g
                      return Scan(start, dim, i, factors, {}, false).steps *
                             Scan(widened(g), dim, i, factors, {}, true).steps;
                  }));
}
} // namespace

Tensor scatter(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src, std::string_view reduce) {
    if (reduce == "add") return scatter_add(x, dim, index, src);
    if (reduce == "multiply") return scatter_mul(x, dim, index, src);
    fail(TH_E_ARG, "scatter: got reduce '%.*s', want 'add' or 'multiply'", static_cast<int>(reduce.size()),
         reduce.data());
}

Tensor cat(ListView<Tensor> tensors, int32_t dim) {
    Tensor y = call_list<TH_cat>(tensors, dim);
    if (!recording_any(tensors)) return y;
    std::vector<int64_t> lengths;
    for (const Tensor &t : tensors) lengths.push_back(t.dim() == y.dim() ? t.size(dim) : 0);
    record_joint("cat", {&y, 1}, tensors, [=](std::span<const Tensor> g, std::span<Tensor> out) {
        int64_t start = 0;
        for (size_t i = 0; i < out.size(); i++) {
            if (lengths[i]) out[i] = narrow(g[0], dim, start, lengths[i]);
            start += lengths[i];
        }
    });
    return y;
}

Tensor stack(ListView<Tensor> tensors, int32_t dim) {
    Tensor y = call_list<TH_stack>(tensors, dim);
    if (!recording_any(tensors)) return y;
    record_joint("stack", {&y, 1}, tensors, [=](std::span<const Tensor> g, std::span<Tensor> out) {
        for (size_t i = 0; i < out.size(); i++) out[i] = select(g[0], dim, static_cast<int64_t>(i));
    });
    return y;
}

} // namespace wick
