// SPDX-License-Identifier: BSD-3-Clause
// Gradient check by random projection, as HIPS autograd's check_vjp does it: one direction u in input space, one v in
// output space; v . J u from central differences must equal (J^T v) . u from backward. The gradients of that scalar are
// checked in the same way.
#include "autograd/node.hpp"
#include "wick/ops.hpp"
#include <cmath>

namespace wick {

namespace {
using Function = std::function<Tensor(std::span<const Tensor>)>;

std::vector<Tensor> leaves(std::span<const Tensor> inputs) {
    std::vector<Tensor> out;
    for (const Tensor &t : inputs) {
        out.push_back(clone(t.detach()));
        if (t.is_floating_point()) out.back().requires_grad_();
    }
    return out;
}

std::vector<Tensor> differentiable(const std::vector<Tensor> &tensors) {
    std::vector<Tensor> out;
    for (const Tensor &t : tensors)
        if (t.requires_grad()) out.push_back(t);
    return out;
}

double inner(const Tensor &a, const Tensor &b) { return sum(a * b).item<double>(); }

/// v . f(x + step u)
double shifted(const Function &f, const std::vector<Tensor> &x, const std::vector<Tensor> &u, const Tensor &v,
               double step) {
    std::vector<Tensor> moved;
    size_t k = 0;
    for (const Tensor &t : x) moved.push_back(t.requires_grad() ? (t.detach() + u[k++] * step).requires_grad_() : t);
    Tensor y = f(moved);
    return inner(y.detach(), v);
}

void compare(const char *order, double analytic, double numeric, double tol) {
    if (std::abs(analytic - numeric) <= tol * (1 + std::abs(analytic) + std::abs(numeric))) return; // false for NaN
    fail(TH_E_AUTOGRAD,
         "gradcheck: got a %s-order gradient of %.12g along a random direction, want %.12g by differences", order,
         analytic, numeric);
}

void check_once(const char *order, const Function &f, const std::vector<Tensor> &x, double eps, double tol) {
    Tensor y = f(x);
    Tensor v = randn(y.sizes(), kFLOAT64);
    std::vector<Tensor> wrt = differentiable(x), u;
    for (const Tensor &t : wrt) u.push_back(randn(t.sizes(), kFLOAT64));
    double numeric = (shifted(f, x, u, v, eps) - shifted(f, x, u, v, -eps)) / (2 * eps), analytic = 0;
    if (y.requires_grad()) {
        std::vector<Tensor> g = grad({&y, 1}, wrt, {&v, 1}, {}, true);
        for (size_t i = 0; i < g.size(); i++)
            if (g[i].defined()) analytic += inner(g[i], u[i]);
    }
    compare(order, analytic, numeric, tol);
}
} // namespace

void gradcheck(const Function &f, std::span<const Tensor> inputs, bool second, double eps, double tol) {
    for (const Tensor &t : inputs)
        if (t.is_floating_point() && t.dtype() != kFLOAT64)
            fail(TH_E_TYPE, "gradcheck: got an input %s, want float64", t.describe().c_str());
    std::vector<Tensor> x = leaves(inputs);
    if (differentiable(x).empty()) fail(TH_E_ARG, "gradcheck: got no floating input, want at least one");
    check_once("first", f, x, eps, tol);
    if (!second) return;
    Tensor seed = randn(f(x).sizes(), kFLOAT64);
    // The gradient as a function of the inputs: its projection on fixed directions, one number.
    std::vector<Tensor> directions;
    for (const Tensor &t : differentiable(x)) directions.push_back(randn(t.sizes(), kFLOAT64));
    auto gradient = [&](std::span<const Tensor> at) -> Tensor {
        std::vector<Tensor> wrt = differentiable({at.begin(), at.end()});
        Tensor y = f(at), total = zeros({}, kFLOAT64);
        if (!y.requires_grad()) return total;
        std::vector<Tensor> g = grad({&y, 1}, wrt, {&seed, 1}, {.create_graph = true}, true);
        for (size_t i = 0; i < g.size(); i++)
            if (g[i].defined()) total = total + sum(g[i] * directions[i]);
        return total;
    };
    check_once("second", gradient, leaves(inputs), eps, tol);
}

} // namespace wick
