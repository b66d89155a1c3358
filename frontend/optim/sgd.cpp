// SPDX-License-Identifier: BSD-3-Clause
#include "wick/optim/sgd.hpp"

namespace wick::optim {

using detail::add_scaled;

namespace {

/// p -= lr (grad + weight_decay p)
void descend(THTensor *p, const THTensor *grad, double lr, double weight_decay) {
    if (weight_decay != 0) add_scaled(p, p, p, -lr * weight_decay);
    add_scaled(p, p, grad, -lr);
}

} // namespace

SGD::SGD(std::vector<Tensor> params, SGDOptions options) : OptimizerOf("SGD", options) {
    add_param_group(std::move(params));
}

void SGD::check_options(const SGDOptions &o) const {
    detail::check_not_negative("SGD", {{"lr", o.lr}, {"momentum", o.momentum}, {"weight_decay", o.weight_decay}});
    if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
        throw Error(TH_E_ARG, "SGD: got nesterov with momentum " + literal(o.momentum) + " and dampening " +
                                  literal(o.dampening) + ", want a momentum and no dampening");
}

void SGD::step() {
    for (Group &group : groups)
        for (size_t i = 0; i < group.params.size(); i++) {
            THTensor *p = group.params[i].th();
            const THTensor *grad = gradient(group.params[i]);
            const SGDOptions &o = group.options;
            if (!grad) continue;
            if (o.momentum == 0) {
                descend(p, grad, o.lr, o.weight_decay);
                continue;
            }
            THTensor *buffer = accumulate(p, grad, o, group.state[i]);
            if (o.nesterov) descend(p, grad, o.lr, o.weight_decay);
            add_scaled(p, p, buffer, o.nesterov ? -o.lr * o.momentum : -o.lr);
        }
}

// Weight decay goes wherever the gradient goes: grad + weight_decay p is never formed, which would need memory.
THTensor *SGD::accumulate(const THTensor *p, const THTensor *grad, const SGDOptions &o, SGDState &state) {
    THTensor *buffer = state.momentum_buffer.th();
    double share = 1 - o.dampening;
    if (!buffer) {
        check(THTensor_clone(&buffer, grad));
        state.momentum_buffer = Tensor::adopt(buffer);
        share = 1;
    } else if (o.dampening == 0) {
        add_scaled(buffer, grad, buffer, o.momentum);
    } else {
        check(TH_mul(&buffer, buffer, momentum_(o.momentum)));
        add_scaled(buffer, buffer, grad, share);
    }
    if (o.weight_decay != 0) add_scaled(buffer, buffer, p, share * o.weight_decay);
    return buffer;
}

} // namespace wick::optim
