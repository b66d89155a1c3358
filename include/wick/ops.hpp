// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/ops.hpp
/// Differentiable functions on tensors. What each computes, and its arguments, stand in the registry
/// (find_op("name")->doc) and in the TH and THNN headers of the same name.
#ifndef WICK_OPS_HPP
#define WICK_OPS_HPP

#include "wick/tensor.hpp"

namespace wick {

/// Every row of TH/ops/unary.def and TH/ops/binary.def, and its in-place form.
#define TH_UNARY(name, ...)                                                                                            \
    WICK_API Tensor name(const Tensor &x);                                                                             \
    WICK_API Tensor &name##_(Tensor &x);
#include "TH/ops/unary.def"
#undef TH_UNARY
#define TH_BINARY(name, ...)                                                                                           \
    WICK_API Tensor name(const Tensor &a, const Tensor &b);                                                            \
    WICK_API Tensor &name##_(Tensor &a, const Tensor &b);
#include "TH/ops/binary.def"
#undef TH_BINARY

WICK_API Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
WICK_API Tensor sub(const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
WICK_API Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b);
/// An undefined bound is none.
WICK_API Tensor clamp(const Tensor &x, const Tensor &min = {}, const Tensor &max = {});
WICK_API Tensor addcmul(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value = 1);
WICK_API Tensor addcdiv(const Tensor &x, const Tensor &a, const Tensor &b, const Scalar &value = 1);
WICK_API Tensor lerp(const Tensor &a, const Tensor &b, const Tensor &weight);

inline Tensor operator+(const Tensor &a, const Tensor &b) { return add(a, b); }
inline Tensor operator-(const Tensor &a, const Tensor &b) { return sub(a, b); }
inline Tensor operator*(const Tensor &a, const Tensor &b) { return mul(a, b); }
inline Tensor operator/(const Tensor &a, const Tensor &b) { return div(a, b); }
inline Tensor operator-(const Tensor &x) { return neg(x); }
/// Comparisons are elementwise, as NumPy's.
inline Tensor operator==(const Tensor &a, const Tensor &b) { return eq(a, b); }
inline Tensor operator!=(const Tensor &a, const Tensor &b) { return ne(a, b); }
inline Tensor operator<(const Tensor &a, const Tensor &b) { return lt(a, b); }
inline Tensor operator<=(const Tensor &a, const Tensor &b) { return le(a, b); }
inline Tensor operator>(const Tensor &a, const Tensor &b) { return gt(a, b); }
inline Tensor operator>=(const Tensor &a, const Tensor &b) { return ge(a, b); }

// ---- reductions; no dims: over all ----
WICK_API Tensor sum(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor prod(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor mean(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor max(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor min(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor any(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor all(const Tensor &x, Dims dims = {}, bool keepdim = false);
WICK_API Tensor var(const Tensor &x, Dims dims = {}, double correction = 1, bool keepdim = false);
WICK_API Tensor argmax(const Tensor &x, std::optional<int32_t> dim = {}, bool keepdim = false);
WICK_API Tensor argmin(const Tensor &x, std::optional<int32_t> dim = {}, bool keepdim = false);

// ---- linear algebra ----
WICK_API Tensor dot(const Tensor &a, const Tensor &b);
WICK_API Tensor mv(const Tensor &a, const Tensor &x);
WICK_API Tensor mm(const Tensor &a, const Tensor &b);
WICK_API Tensor bmm(const Tensor &a, const Tensor &b);
WICK_API Tensor matmul(const Tensor &a, const Tensor &b);
WICK_API Tensor addmm(const Tensor &c, const Tensor &a, const Tensor &b, const Scalar &beta = 1,
                      const Scalar &alpha = 1);
/// x weight^T + bias, weight [out, in]; leading dimensions of x are kept.
WICK_API Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {});

// ---- indexing and joining ----
WICK_API Tensor index_select(const Tensor &x, int32_t dim, const Tensor &index);
WICK_API Tensor gather(const Tensor &x, int32_t dim, const Tensor &index);
WICK_API Tensor scatter(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src);
WICK_API Tensor scatter_add(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src);
WICK_API Tensor index_add(const Tensor &x, int32_t dim, const Tensor &index, const Tensor &src);
WICK_API Tensor cat(ListView<Tensor> tensors, int32_t dim = 0);
WICK_API Tensor stack(ListView<Tensor> tensors, int32_t dim = 0);

// ---- views (also methods of Tensor) ----
WICK_API Tensor view(const Tensor &x, Sizes sizes);
WICK_API Tensor reshape(const Tensor &x, Sizes sizes);
WICK_API Tensor flatten(const Tensor &x, int32_t start_dim = 0, int32_t end_dim = -1);
WICK_API Tensor t(const Tensor &x);
WICK_API Tensor transpose(const Tensor &x, int32_t dim0, int32_t dim1);
WICK_API Tensor permute(const Tensor &x, Dims dims);
WICK_API Tensor expand(const Tensor &x, Sizes sizes);
WICK_API Tensor squeeze(const Tensor &x, std::optional<int32_t> dim = {});
WICK_API Tensor unsqueeze(const Tensor &x, int32_t dim);
WICK_API Tensor select(const Tensor &x, int32_t dim, int64_t index);
WICK_API Tensor narrow(const Tensor &x, int32_t dim, int64_t start, int64_t length);
WICK_API Tensor slice(const Tensor &x, int32_t dim, int64_t start, int64_t end, int64_t step = 1);
WICK_API Tensor unfold(const Tensor &x, int32_t dim, int64_t size, int64_t step);
WICK_API Tensor diagonal(const Tensor &x, int64_t offset = 0, int32_t dim0 = 0, int32_t dim1 = 1);
WICK_API Tensor contiguous(const Tensor &x);
WICK_API Tensor clone(const Tensor &x);
WICK_API Tensor to(const Tensor &x, DType dtype);

// ---- neural networks (THNN) ----
WICK_API Tensor relu(const Tensor &x);
WICK_API Tensor leaky_relu(const Tensor &x, double negative_slope = 0.01);
/// approximate: "none" or "tanh".
WICK_API Tensor gelu(const Tensor &x, std::string_view approximate = "none");
WICK_API Tensor silu(const Tensor &x);
WICK_API Tensor elu(const Tensor &x, double alpha = 1);
WICK_API Tensor softplus(const Tensor &x, double beta = 1);
WICK_API Tensor softmax(const Tensor &x, int32_t dim);
WICK_API Tensor log_softmax(const Tensor &x, int32_t dim);
/// reduction: "none", "mean" or "sum".
WICK_API Tensor nll_loss(const Tensor &log_prob, const Tensor &target, const Tensor &weight = {},
                         int64_t ignore_index = -100, std::string_view reduction = "mean");
WICK_API Tensor cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight = {},
                              int64_t ignore_index = -100, std::string_view reduction = "mean",
                              double label_smoothing = 0);
WICK_API Tensor conv2d(const Tensor &x, const Tensor &weight, const Tensor &bias = {}, Sizes stride = {1, 1},
                       Sizes padding = {0, 0}, Sizes dilation = {1, 1}, int64_t groups = 1);
/// An empty stride is the kernel size.
WICK_API Tensor max_pool2d(const Tensor &x, Sizes kernel_size, Sizes stride = {}, Sizes padding = {0, 0},
                           Sizes dilation = {1, 1}, bool ceil_mode = false);
WICK_API Tensor avg_pool2d(const Tensor &x, Sizes kernel_size, Sizes stride = {}, Sizes padding = {0, 0},
                           bool ceil_mode = false, bool count_include_pad = true);
WICK_API Tensor batch_norm(const Tensor &x, const Tensor &running_mean, const Tensor &running_var, const Tensor &weight,
                           const Tensor &bias, bool training, double momentum = 0.1, double eps = 1e-5);
WICK_API Tensor dropout(const Tensor &x, double p = 0.5, bool training = true);

} // namespace wick
#endif
