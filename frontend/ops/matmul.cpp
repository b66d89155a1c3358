// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"

namespace wick {

namespace {
Tensor swapped(const Tensor &x) { return transpose(x, -2, -1); }

/// x as a matrix: leading dimensions merged.
Tensor rows(const Tensor &x) { return flatten(x, 0, -2); }
} // namespace

Tensor dot(const Tensor &a, const Tensor &b) {
    Tensor y = call<TH_dot>(a, b);
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    return record("dot", y, wrt(a, [=](const Tensor &g) { return g * sb; }),
                  wrt(b, [=](const Tensor &g) { return g * sa; }));
}

Tensor mv(const Tensor &a, const Tensor &x) {
    Tensor y = call<TH_mv>(a, x);
    if (!recording(a, x)) return y;
    const Saved sa(a), sx(x);
    return record("mv", y, wrt(a, [=](const Tensor &g) { return unsqueeze(g, 1) * sx; }),
                  wrt(x, [=](const Tensor &g) { return mv(t(sa), g); }));
}

Tensor mm(const Tensor &a, const Tensor &b) {
    Tensor y = call<TH_mm>(a, b);
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    return record("mm", y, wrt(a, [=](const Tensor &g) { return mm(g, t(sb)); }),
                  wrt(b, [=](const Tensor &g) { return mm(t(sa), g); }));
}

Tensor bmm(const Tensor &a, const Tensor &b) {
    Tensor y = call<TH_bmm>(a, b);
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    return record("bmm", y, wrt(a, [=](const Tensor &g) { return bmm(g, swapped(sb)); }),
                  wrt(b, [=](const Tensor &g) { return bmm(swapped(sa), g); }));
}

Tensor matmul(const Tensor &a, const Tensor &b) {
    Tensor y = call<TH_matmul>(a, b);
    if (!recording(a, b)) return y;
    const Saved sa(a), sb(b);
    // Vectors count as a row (a) or a column (b); the result's gradient gets the dimension back that the product
    // dropped.
    bool row = a.dim() == 1, column = b.dim() == 1;
    auto matrix = [=](const Tensor &g) {
        Tensor m = column ? unsqueeze(g, -1) : g;
        return row ? unsqueeze(m, -2) : m;
    };
    return record("matmul", y,
                  wrt(a,
                      [=](const Tensor &g) {
                          Tensor other = sb;
                          Tensor ga = matmul(matrix(g), swapped(column ? unsqueeze(other, -1) : other));
                          return row ? squeeze(ga, -2) : ga;
                      }),
                  wrt(b, [=](const Tensor &g) {
                      Tensor other = sa, gm = matrix(g);
                      if (row) other = unsqueeze(other, 0);
                      // One product instead of a batch of them and a sum, where b has no batch.
                      bool fold = sb.get().dim() <= 2 && other.dim() > 2;
                      Tensor gb = fold ? mm(t(rows(other)), rows(gm)) : matmul(swapped(other), gm);
                      return column ? squeeze(gb, -1) : gb;
                  }));
}

Tensor addmm(const Tensor &c, const Tensor &a, const Tensor &b, const Scalar &beta, const Scalar &alpha) {
    Tensor y = call<TH_addmm>(c, a, b, beta, alpha);
    if (!recording(c, a, b)) return y;
    const Saved sa(a), sb(b);
    auto scaled = [](const Tensor &g, const Scalar &s) { return s.to_double() == 1 ? g : g * Tensor(s); };
    return record("addmm", y, wrt(c, [=](const Tensor &g) { return scaled(g, beta); }),
                  wrt(a, [=](const Tensor &g) { return scaled(mm(g, t(sb)), alpha); }),
                  wrt(b, [=](const Tensor &g) { return scaled(mm(t(sa), g), alpha); }));
}

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias) {
    if (x.dim() != 2 || weight.dim() == 1) {
        const int64_t out = weight.dim() == 2 ? weight.size(0) : 1;
        if (bias.defined() && bias.dim() > 0 && bias.size(-1) != out && bias.size(-1) != 1)
            fail(TH_E_SHAPE, "linear: got bias %s for weight %s, want one number for each output",
                 bias.describe().c_str(), weight.describe().c_str());
        Tensor y = x.dim() == 1 && weight.dim() == 2 ? mv(weight, x) : matmul(x, t(weight));
        return bias.defined() ? y + bias : y;
    }
    Tensor transposed = call<THTensor_transpose>(weight, 0, 1);
    Tensor y = bias.defined() ? call<TH_addmm>(bias, x, transposed, Scalar(1), Scalar(1)) : call<TH_mm>(x, transposed);
    if (!recording(x, weight, bias)) return y;
    const Saved sx(x), sw(weight);
    return record("linear", y, wrt(x, [=](const Tensor &g) { return mm(g, sw); }),
                  wrt(weight, [=](const Tensor &g) { return mm(t(g), sx); }),
                  wrt(bias, [](const Tensor &g) { return sum(g, {0}); }));
}

} // namespace wick
