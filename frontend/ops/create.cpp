// SPDX-License-Identifier: BSD-3-Clause
// New tensors. Those over memory that is there already (from_data, from_blob) are core/tensor.cpp's.
#include "ops/op.hpp"

namespace wick {

DType get_default_dtype() { return static_cast<DType>(TH_default_dtype()); }
void set_default_dtype(DType dtype) { check(TH_set_default_dtype(static_cast<THDtype>(dtype))); }

static DType or_default(DType dtype) { return dtype == DType::none ? get_default_dtype() : dtype; }

Tensor empty(Sizes sizes, DType dtype) {
    THTensor *out = nullptr;
    check(THTensor_new(&out, static_cast<THDtype>(or_default(dtype)), sizes.data(), length(sizes)));
    return Tensor::adopt(out);
}
Tensor full(Sizes sizes, const Scalar &value, DType dtype) {
    return call<TH_full>(sizes.data(), length(sizes), value, dtype);
}
Tensor zeros(Sizes sizes, DType dtype) { return full(sizes, 0, or_default(dtype)); }
Tensor ones(Sizes sizes, DType dtype) { return full(sizes, 1, or_default(dtype)); }
static DType or_own(DType dtype, const Tensor &x) { return dtype == DType::none ? x.dtype() : dtype; }
Tensor zeros_like(const Tensor &x, DType dtype) { return zeros(x.sizes(), or_own(dtype, x)); }
Tensor ones_like(const Tensor &x, DType dtype) { return ones(x.sizes(), or_own(dtype, x)); }
Tensor empty_like(const Tensor &x, DType dtype) { return empty(x.sizes(), or_own(dtype, x)); }
Tensor arange(const Scalar &end, DType dtype) { return arange(0, end, 1, dtype); }
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, DType dtype) {
    return call<TH_arange>(start, end, step, dtype);
}
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, DType dtype) {
    return call<TH_linspace>(start, end, steps, dtype);
}
Tensor eye(int64_t n, DType dtype) { return eye(n, n, dtype); }
Tensor eye(int64_t n, int64_t m, DType dtype) { return call<TH_eye>(n, m, dtype); }

} // namespace wick
