// SPDX-License-Identifier: BSD-3-Clause
// The peer of matrix products: BLAS, called directly, on memory from the same allocator.
#ifndef WICK_BENCH_SGEMM_HPP
#define WICK_BENCH_SGEMM_HPP

#include "wick/tensor.hpp"
#include <cblas.h>

namespace bench {

/// One product [m, k] [k, n].
struct Sgemm {
    int m, n, k;
    wick::Tensor a = wick::randn({m, k}), b = wick::randn({k, n}), c = wick::zeros({m, n});

    void operator()() {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data<float>(), k, b.data<float>(), n, 0,
                    c.data<float>(), n);
    }
};

} // namespace bench
#endif
