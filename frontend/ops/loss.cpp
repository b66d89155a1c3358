// SPDX-License-Identifier: BSD-3-Clause
#include "ops/op.hpp"
#include "ops/options.hpp"
#include <algorithm>

namespace wick {

namespace {
/// A loss over class indices is linear in log_prob: its gradient is the transposed map, and the gradient of that is the
/// loss again.
struct Nll {
    Tensor target, weight;
    int64_t ignore_index;
    double label_smoothing;
    int32_t reduction;

    /// Refuses now what loss() of log-probabilities with these sizes would refuse.
    void check(const Tensor &input) const {
        THTensor **const none = nullptr;
        call_rest<THNN_nll_loss>(none, input, target, weight, ignore_index, label_smoothing, reduction);
    }

    Tensor loss(const Tensor &log_prob) const {
        Out total;
        Tensor y = call<THNN_nll_loss>(reduction == THNN_REDUCTION_MEAN ? &total.th : nullptr, log_prob, target, weight,
                                       ignore_index, label_smoothing, reduction);
        Tensor divisor = total.take();
        if (!recording(log_prob)) return y;
        const Saved at(log_prob), t(target), w(weight);
        return record("nll_loss", y, wrt(log_prob, [=, *this](const Tensor &g) {
                          t.get(), w.get(); // still what they were
                          return transposed(g, at, divisor);
                      }));
    }

    Tensor transposed(const Tensor &g, const Tensor &log_prob, const Tensor &divisor) const {
        Tensor out = call<THNN_nll_loss_backward>(g, log_prob.detach(), target, weight, divisor, ignore_index,
                                                  label_smoothing, reduction);
        if (!recording(g)) return out;
        return record("nll_loss_backward", out, wrt(g, [=, *this](const Tensor &gg) { return loss(gg); }));
    }
};

Nll nll(const char *fn, const Tensor &target, const Tensor &weight, int64_t ignore_index, std::string_view reduction,
        double label_smoothing) {
    if (weight.requires_grad() && grad_enabled())
        fail(TH_E_AUTOGRAD, "%s: got class weights that require gradient, want constant ones", fn);
    return {target, weight, ignore_index, label_smoothing, read_reduction(fn, reduction)};
}

/// Cross-entropy with a distribution over the classes instead of one of them.
Tensor distribution_loss(const Tensor &input, const Tensor &target, const Tensor &weight, int64_t ignore_index,
                         std::string_view reduction, double label_smoothing) {
    const int32_t classes = input.dim() == 1 ? 0 : 1, code = read_reduction("cross_entropy", reduction);
    if (!std::ranges::equal(target.sizes(), input.sizes()))
        fail(TH_E_SHAPE, "cross_entropy: got probabilities %s for an input %s, want equal sizes",
             target.describe().c_str(), input.describe().c_str());
    if (ignore_index >= 0)
        fail(TH_E_ARG, "cross_entropy: got ignore_index %lld with probabilities, want none",
             static_cast<long long>(ignore_index));
    check_part("cross_entropy", "label_smoothing", label_smoothing);
    const int64_t n = input.size(classes);
    if (weight.defined() && (weight.dim() != 1 || weight.size(0) != n))
        fail(TH_E_SHAPE, "cross_entropy: got class weights %s, want [%lld]", weight.describe().c_str(),
             static_cast<long long>(n));
    const Tensor log_prob = log_softmax(input, classes);
    Tensor p =
        label_smoothing == 0 ? target : target * (1 - label_smoothing) + label_smoothing / static_cast<double>(n);
    if (weight.defined()) {
        std::vector<int64_t> along(static_cast<size_t>(input.dim()), 1);
        along[static_cast<size_t>(classes)] = n;
        p = p * reshape(weight, along);
    }
    Tensor losses = -sum(log_prob * p, {classes});
    return code == THNN_REDUCTION_NONE ? losses : code == THNN_REDUCTION_MEAN ? mean(losses) : sum(losses);
}
} // namespace

Tensor nll_loss(const Tensor &log_prob, const Tensor &target, const Tensor &weight, int64_t ignore_index,
                std::string_view reduction) {
    return nll("nll_loss", target, weight, ignore_index, reduction, 0).loss(log_prob);
}

Tensor cross_entropy(const Tensor &input, const Tensor &target, const Tensor &weight, int64_t ignore_index,
                     std::string_view reduction, double label_smoothing) {
    if (target.is_floating_point())
        return distribution_loss(input, target, weight, ignore_index, reduction, label_smoothing);
    const Nll rows = nll("cross_entropy", target, weight, ignore_index, reduction, label_smoothing);
    rows.check(input);
    return rows.loss(log_softmax(input, input.dim() == 1 ? 0 : 1));
}

} // namespace wick
