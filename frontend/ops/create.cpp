// SPDX-License-Identifier: BSD-3-Clause
// New tensors. Those over memory that is there already (from_data, from_blob) are core/tensor.cpp's.
#include "ops/op.hpp"

namespace wick {

DType get_default_dtype() { return static_cast<DType>(TH_default_dtype()); }
void set_default_dtype(DType dtype) { check(TH_set_default_dtype(static_cast<THDtype>(dtype))); }

static DType or_default(DType dtype) { return dtype == DType::none ? get_default_dtype() : dtype; }

Tensor empty(Sizes sizes, DType dtype, Device device) {
    THTensor *out = nullptr;
    check(THTensor_new_on(&out, static_cast<THDtype>(or_default(dtype)), sizes.data(), length(sizes), device.code));
    return Tensor::adopt(out);
}
Tensor full(Sizes sizes, const Scalar &value, DType dtype, Device device) {
    return call_on<TH_full>(device, sizes.data(), length(sizes), value, dtype);
}
static Tensor filled(const Sizes &sizes, int value, DType dtype, Device device) {
    return call_on<TH_full>(device, sizes.data(), length(sizes), Scalar(value), or_default(dtype));
}
Tensor zeros(Sizes sizes, DType dtype, Device device) { return filled(sizes, 0, dtype, device); }
Tensor ones(Sizes sizes, DType dtype, Device device) { return filled(sizes, 1, dtype, device); }
static DType or_own(DType dtype, const Tensor &x) { return dtype == DType::none ? x.dtype() : dtype; }
Tensor zeros_like(const Tensor &x, DType dtype, std::optional<Device> device) {
    return zeros(x.sizes(), or_own(dtype, x), device.value_or(x.device()));
}
Tensor ones_like(const Tensor &x, DType dtype, std::optional<Device> device) {
    return ones(x.sizes(), or_own(dtype, x), device.value_or(x.device()));
}
Tensor empty_like(const Tensor &x, DType dtype, std::optional<Device> device) {
    return empty(x.sizes(), or_own(dtype, x), device.value_or(x.device()));
}
Tensor arange(const Scalar &end, DType dtype, Device device) { return arange(0, end, 1, dtype, device); }
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, DType dtype, Device device) {
    return call_on<TH_arange>(device, start, end, step, dtype);
}
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, DType dtype, Device device) {
    return call_on<TH_linspace>(device, start, end, steps, dtype);
}
Tensor eye(int64_t n, DType dtype, Device device) { return eye(n, n, dtype, device); }
Tensor eye(int64_t n, int64_t m, DType dtype, Device device) { return call_on<TH_eye>(device, n, m, dtype); }

} // namespace wick
