// SPDX-License-Identifier: BSD-3-Clause
#include "wick/optim/adam.hpp"
#include <cmath>

namespace wick::optim {

using detail::add_scaled;

namespace {

void init(Tensor &state, const THTensor *like) {
    if (state.defined()) return;
    Scalar zero(0);
    THTensor *t = nullptr;
    check(TH_full(&t, THTensor_sizes(like), THTensor_ndim(like), &zero, THTensor_dtype(like)));
    state = Tensor::adopt(t);
}

} // namespace

template <class O> void AdamOf<O>::check_options(const O &o) const {
    detail::check_not_negative(what_, {{"lr", o.lr}, {"eps", o.eps}, {"weight_decay", o.weight_decay}});
    for (double beta : o.betas)
        if (!(beta >= 0 && beta < 1))
            throw Error(TH_E_ARG, std::string(what_) + ": got betas " + literal(o.betas) + ", want 0 to below 1");
}

template <class O> void AdamOf<O>::step() {
    for (auto &group : this->groups)
        for (size_t i = 0; i < group.params.size(); i++)
            if (const THTensor *grad = this->gradient(group.params[i]))
                update(group.params[i].th(), grad, group.options, group.state[i]);
}

template <class O> void AdamOf<O>::update(THTensor *p, const THTensor *grad, const O &o, AdamState &state) {
    constexpr bool decoupled = std::same_as<O, AdamWOptions>;
    init(state.exp_avg, p);
    init(state.exp_avg_sq, p);
    if (o.amsgrad) init(state.max_exp_avg_sq, p);
    Tensor decayed;
    if (o.weight_decay != 0 && decoupled) {
        add_scaled(p, p, p, -o.lr * o.weight_decay);
    } else if (o.weight_decay != 0) {
        THTensor *sum = nullptr;
        Scalar decay(o.weight_decay);
        check(TH_add(&sum, grad, p, &decay));
        decayed = Tensor::adopt(sum);
        grad = sum;
    }
    auto [beta1, beta2] = o.betas;
    THTensor *m = state.exp_avg.th(), *v = state.exp_avg_sq.th();
    Scalar square_share(1 - beta2);
    check(TH_lerp(&m, m, grad, one_minus_beta1_(1 - beta1)));
    check(TH_mul(&v, v, beta2_(beta2)));
    check(TH_addcmul(&v, v, grad, grad, &square_share));
    if (o.amsgrad) {
        THTensor *largest = state.max_exp_avg_sq.th();
        check(TH_maximum(&largest, largest, v));
        v = largest;
    }
    // sqrt(v / c2) + eps = (sqrt(v) + eps sqrt(c2)) / sqrt(c2): one operation on tensors less
    double t = static_cast<double>(++state.step);
    double c1 = 1 - std::pow(beta1, t), root_c2 = std::sqrt(1 - std::pow(beta2, t));
    THTensor *root = nullptr;
    check(TH_sqrt(&root, v));
    Tensor denominator = Tensor::adopt(root);
    add_scaled(root, root, one_(1), o.eps * root_c2);
    Scalar rate(-o.lr * root_c2 / c1);
    check(TH_addcdiv(&p, p, m, root, &rate));
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
