// SPDX-License-Identifier: BSD-3-Clause
// The peer of matrix products: BLAS, called directly.
#ifndef WICK_BENCH_SGEMM_HPP
#define WICK_BENCH_SGEMM_HPP

#include <cblas.h>
#include <vector>

namespace bench {

/// One product [m, k] [k, n] with memory of its own.
struct Sgemm {
    int m, n, k;
    std::vector<float> a = std::vector<float>(static_cast<size_t>(m) * static_cast<size_t>(k), 0.5f);
    std::vector<float> b = std::vector<float>(static_cast<size_t>(k) * static_cast<size_t>(n), 0.25f);
    std::vector<float> c = std::vector<float>(static_cast<size_t>(m) * static_cast<size_t>(n));

    void operator()() {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
    }
};

} // namespace bench
#endif
