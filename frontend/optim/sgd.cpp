// SPDX-License-Identifier: BSD-3-Clause
#include "wick/optim/sgd.hpp"
#include "core/call.hpp"

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

bool SGD::prepare(SGDState &state, const Tensor &p, const SGDOptions &o) const {
    if (o.momentum == 0 || state.momentum_buffer.defined()) return false;
    detail::make_state(state.momentum_buffer, p);
    return true;
}

std::vector<Tensor> SGD::numbers(const SGDOptions &o) const {
    if (o.momentum == 0 || o.dampening == 0) return {};
    return {Tensor(o.momentum)};
}

// Weight decay goes wherever the gradient goes: grad + weight_decay p is never formed, which would need memory.
void SGD::update(const Update &u) const {
    const SGDOptions &o = u.options;
    if (o.momentum == 0) return descend(u.p, u.grad, o.lr, o.weight_decay);
    THTensor *buffer = u.state.momentum_buffer.th();
    double share = 1 - o.dampening;
    if (u.fresh) {
        check(THTensor_copy(buffer, u.grad));
        share = 1;
    } else if (o.dampening == 0) {
        add_scaled(buffer, u.grad, buffer, o.momentum);
    } else {
        overwrite<TH_mul>(buffer, buffer, u.numbers[0]);
        add_scaled(buffer, buffer, u.grad, share);
    }
    if (o.weight_decay != 0) add_scaled(buffer, buffer, u.p, share * o.weight_decay);
    if (o.nesterov) descend(u.p, u.grad, o.lr, o.weight_decay);
    add_scaled(u.p, u.p, buffer, o.nesterov ? -o.lr * o.momentum : -o.lr);
}

} // namespace wick::optim
