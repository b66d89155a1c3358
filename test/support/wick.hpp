// SPDX-License-Identifier: BSD-3-Clause
/// What the tests of modules and optimizers look at tensors and errors with.
#ifndef WICK_TEST_SUPPORT_WICK_HPP
#define WICK_TEST_SUPPORT_WICK_HPP

#include "wick/tensor.hpp"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace wick::test {

/// All elements, row-major.
inline std::vector<double> values(const Tensor &t) {
    Tensor d = t.detach().to(kFLOAT64).contiguous();
    return {d.data<double>(), d.data<double>() + d.numel()};
}

inline void expect_values(const Tensor &t, const std::vector<double> &want, double tol = 1e-6) {
    std::vector<double> got = values(t);
    ASSERT_EQ(got.size(), want.size()) << t.describe();
    for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], want[i], tol) << "element " << i;
}

inline std::vector<int64_t> sizes(const Tensor &t) { return {t.sizes().begin(), t.sizes().end()}; }

/// "<kind>: <message>" of the Error that f throws, or "".
template <class F> std::string error_of(F f) {
    try {
        f();
        return "";
    } catch (const Error &e) {
        return e.kind() + ": " + e.message();
    }
}

/// A tensor with sizes and these elements.
inline Tensor make_tensor(const std::vector<float> &v, Sizes sizes) { return from_data(v.data(), sizes, kFLOAT32); }

} // namespace wick::test
#endif
