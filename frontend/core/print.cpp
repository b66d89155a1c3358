// SPDX-License-Identifier: BSD-3-Clause
// Tensors as text, in the manner of NumPy: nested brackets, long dimensions of large tensors cut to three entries at
// each end. Where many dimensions would still show too much, the outer ones show their first entry only.
#include "core/call.hpp"
#include <cmath>
#include <ostream>

namespace wick {

namespace {
constexpr int64_t EDGE = 3, // elements at each end of a cut dimension
    WHOLE = 1000,           // tensors up to this size are not cut
    MOST = 10000;           // elements that are shown at all

void element(std::string &out, const Scalar &s) {
    char buf[40];
    if (s.kind == TH_SCALAR_BOOL) {
        out += s.v.i ? "true" : "false";
        return;
    }
    if (s.kind == TH_SCALAR_INT)
        std::snprintf(buf, sizeof buf, "%lld", static_cast<long long>(s.v.i));
    else // the sign of NaN says nothing
        std::snprintf(buf, sizeof buf, "%.6g", std::isnan(s.v.d) ? std::abs(s.v.d) : s.v.d);
    out += buf;
}

/// Which entries of a dimension are shown.
struct Shown {
    int64_t head, tail;
};

std::vector<Shown> choose(const Tensor &t) {
    std::span<const int64_t> sizes = t.sizes();
    std::vector<Shown> out(sizes.size());
    int64_t room = MOST; // for entries of what encloses
    for (size_t d = sizes.size(); d-- > 0;) {
        bool cut = t.numel() > WHOLE && sizes[d] > 2 * EDGE;
        out[d] = cut ? Shown{EDGE, EDGE} : Shown{sizes[d], 0};
        int64_t entries = out[d].head + out[d].tail;
        if (entries > room)
            out[d] = {1, 0};
        else
            room /= entries;
    }
    return out;
}

// As deep as tensors have dimensions.
void nested(std::string &out, const Tensor &t, const std::vector<Shown> &shown, std::vector<int64_t> &index) {
    size_t depth = index.size();
    if (depth == shown.size()) {
        THScalar s;
        check(THTensor_get(&s, t.th(), index.data()));
        return element(out, Scalar(s));
    }
    auto [head, tail] = shown[depth];
    int64_t n = t.sizes()[depth];
    std::string gap = depth + 1 == shown.size() ? ", " : ",\n" + std::string(depth + 1, ' ');
    out += '[';
    for (int64_t i = 0; i < n; i++) {
        if (i) out += gap;
        if (i == head) {
            out += "...";
            i = n - tail - 1;
            continue;
        }
        index.push_back(i);
        nested(out, t, shown, index);
        index.pop_back();
    }
    out += ']';
}
} // namespace

std::string Tensor::to_string() const {
    if (!defined()) return "undefined";
    std::string out;
    std::vector<int64_t> index;
    if (numel() == 0)
        out = "[]";
    else
        // of a large tensor on a device only what is shown is fetched
        nested(out, numel() > WHOLE ? *this : detach().to(Device()), choose(*this), index);
    return out + " " + describe();
}

std::ostream &operator<<(std::ostream &os, const Tensor &t) { return os << t.to_string(); }

} // namespace wick
