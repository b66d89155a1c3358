// SPDX-License-Identifier: BSD-3-Clause
// Tensors as text, in the manner of NumPy: nested brackets, long dimensions cut to three entries at each end.
#include "core/call.hpp"
#include <ostream>

namespace wick {

namespace {
constexpr int64_t EDGE = 3,
                  WHOLE = 1000; // elements at each end of a cut dimension; tensors up to this size are not cut

void element(std::string &out, const Scalar &s) {
    char buf[40];
    if (s.kind == TH_SCALAR_BOOL) {
        out += s.v.i ? "true" : "false";
        return;
    }
    if (s.kind == TH_SCALAR_INT)
        std::snprintf(buf, sizeof buf, "%lld", static_cast<long long>(s.v.i));
    else
        std::snprintf(buf, sizeof buf, "%.6g", s.v.d);
    out += buf;
}

void nested(std::string &out, const Tensor &t, std::vector<int64_t> &index, bool cut) {
    size_t depth = index.size();
    if (depth == t.sizes().size()) {
        THScalar s;
        check(THTensor_get(&s, t.th(), index.data()));
        return element(out, Scalar(s));
    }
    bool innermost = depth + 1 == t.sizes().size();
    int64_t n = t.sizes()[depth];
    std::string gap = innermost ? ", " : ",\n" + std::string(depth + 1, ' ');
    out += '[';
    for (int64_t i = 0; i < n; i++) {
        if (i) out += gap;
        if (cut && n > 2 * EDGE && i == EDGE) {
            out += "...";
            i = n - EDGE - 1;
            continue;
        }
        index.push_back(i);
        nested(out, t, index, cut);
        index.pop_back();
    }
    out += ']';
}
} // namespace

std::string Tensor::to_string() const {
    if (!defined()) return "undefined";
    std::string out;
    std::vector<int64_t> index;
    nested(out, *this, index, numel() > WHOLE);
    return out + " " + describe();
}

std::ostream &operator<<(std::ostream &os, const Tensor &t) { return os << t.to_string(); }

} // namespace wick
