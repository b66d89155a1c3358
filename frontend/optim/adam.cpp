// SPDX-License-Identifier: BSD-3-Clause
#include "wick/optim/adam.hpp"
#include "core/call.hpp"
#include <cmath>

namespace wick::optim {

using detail::add_scaled;

template <class O> void AdamOf<O>::check_options(const O &o) const {
    detail::check_not_negative(what_, {{"lr", o.lr}, {"eps", o.eps}, {"weight_decay", o.weight_decay}});
    for (double beta : o.betas)
        if (!(beta >= 0 && beta < 1))
            throw Error(TH_E_ARG, std::string(what_) + ": got betas " + literal(o.betas) + ", want 0 to below 1");
}

template <class O> bool AdamOf<O>::prepare(AdamState &state, const Tensor &p, const O &o) const {
    bool fresh = !state.exp_avg.defined();
    detail::make_state(state.exp_avg, p);
    detail::make_state(state.exp_avg_sq, p);
    if (o.amsgrad) detail::make_state(state.max_exp_avg_sq, p);
    return fresh;
}

template <class O> std::vector<Tensor> AdamOf<O>::numbers(const O &o) const {
    return {Tensor(1 - o.betas[0]), Tensor(o.betas[1]), Tensor(1.0)};
}

template <class O> constexpr bool decoupled = std::same_as<O, AdamWOptions>;

template <class O> size_t AdamOf<O>::scratch(const O &o) const { return o.weight_decay != 0 && !decoupled<O> ? 2 : 1; }

template <class O> void AdamOf<O>::update(const Update &u) const {
    const O &o = u.options;
    THTensor *p = u.p, *root = u.scratch[0].th();
    const THTensor *grad = u.grad;
    if (o.weight_decay != 0 && decoupled<O>) {
        add_scaled(p, p, p, -o.lr * o.weight_decay);
    } else if (o.weight_decay != 0) {
        add_scaled(u.scratch[1].th(), grad, p, o.weight_decay);
        grad = u.scratch[1].th();
    }
    auto [beta1, beta2] = o.betas;
    THTensor *m = u.state.exp_avg.th(), *v = u.state.exp_avg_sq.th();
    overwrite<TH_lerp>(m, m, grad, u.numbers[0]);
    overwrite<TH_mul>(v, v, u.numbers[1]);
    overwrite<TH_addcmul>(v, v, grad, grad, Scalar(1 - beta2));
    if (o.amsgrad) {
        THTensor *largest = u.state.max_exp_avg_sq.th();
        overwrite<TH_maximum>(largest, largest, v);
        v = largest;
    }
    // sqrt(v / c2) + eps = (sqrt(v) + eps sqrt(c2)) / sqrt(c2): one operation on tensors less
    double t = static_cast<double>(++u.state.step);
    double c1 = 1 - std::pow(beta1, t), root_c2 = std::sqrt(1 - std::pow(beta2, t));
    overwrite<TH_sqrt>(root, v);
    add_scaled(root, root, u.numbers[2].th(), o.eps * root_c2);
    overwrite<TH_addcdiv>(p, p, m, root, Scalar(-o.lr * root_c2 / c1));
}

template class AdamOf<AdamOptions>;
template class AdamOf<AdamWOptions>;

Adam::Adam(std::vector<Tensor> params, AdamOptions options) : AdamOf("Adam", options) {
    add_param_group(std::move(params));
}
AdamW::AdamW(std::vector<Tensor> params, AdamWOptions options) : AdamOf("AdamW", options) {
    add_param_group(std::move(params));
}

} // namespace wick::optim
