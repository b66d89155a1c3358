// SPDX-License-Identifier: BSD-3-Clause
#include "wick/nn/init.hpp"
#include "core/call.hpp"
#include "expr/sizes.h"
#include <cmath>

namespace wick::nn::init {

namespace {
THGenerator *const COMMON = nullptr; // TH's default one

double kaiming_std(const Tensor &t, double a, std::string_view mode, std::string_view nonlinearity) {
    if (mode != "fan_in" && mode != "fan_out")
        throw Error(TH_E_ARG, "kaiming init: got mode '" + std::string(mode) + "', want 'fan_in' or 'fan_out'");
    Fans n = fans(t);
    return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(mode == "fan_in" ? n.in : n.out));
}

double xavier_std(const Tensor &t, double gain) {
    Fans n = fans(t);
    return gain * std::sqrt(2.0 / static_cast<double>(n.in + n.out));
}

/// A uniform distribution around 0 with standard deviation s spans +-s sqrt(3).
const Tensor &uniform_of_std(const Tensor &t, double std) {
    double bound = std::sqrt(3.0) * std;
    return t.numel() ? uniform_(t, -bound, bound) : t;
}

} // namespace

const Tensor &uniform_(const Tensor &t, double low, double high) {
    change<TH_uniform>(t.th(), low, high, COMMON);
    return t;
}

const Tensor &normal_(const Tensor &t, double mean, double std) {
    change<TH_normal>(t.th(), mean, std, COMMON);
    return t;
}

const Tensor &constant_(const Tensor &t, const Scalar &value) {
    change<TH_fill>(t.th(), value);
    return t;
}

const Tensor &zeros_(const Tensor &t) { return constant_(t, 0); }
const Tensor &ones_(const Tensor &t) { return constant_(t, 1); }

Fans fans(const Tensor &weight) {
    if (weight.dim() < 2) throw Error(TH_E_SHAPE, "init: got " + weight.describe() + ", want at least 2 dimensions");
    int64_t kernel = th_size_product(weight.sizes().data() + 2, weight.dim() - 2);
    return {th_size_mul(weight.size(1), kernel), th_size_mul(weight.size(0), kernel)};
}

double calculate_gain(std::string_view nonlinearity, double a) {
    if (nonlinearity == "linear" || nonlinearity == "sigmoid") return 1;
    if (nonlinearity == "tanh") return 5.0 / 3;
    if (nonlinearity == "relu") return std::sqrt(2.0);
    if (nonlinearity == "leaky_relu") return std::sqrt(2.0 / (1 + a * a));
    throw Error(TH_E_ARG, "calculate_gain: got '" + std::string(nonlinearity) +
                              "', want linear, sigmoid, tanh, relu or leaky_relu");
}

const Tensor &xavier_uniform_(const Tensor &t, double gain) { return uniform_of_std(t, xavier_std(t, gain)); }
const Tensor &xavier_normal_(const Tensor &t, double gain) { return normal_(t, 0, xavier_std(t, gain)); }

const Tensor &kaiming_uniform_(const Tensor &t, double a, std::string_view mode, std::string_view nonlinearity) {
    return uniform_of_std(t, kaiming_std(t, a, mode, nonlinearity));
}

const Tensor &kaiming_normal_(const Tensor &t, double a, std::string_view mode, std::string_view nonlinearity) {
    double std = kaiming_std(t, a, mode, nonlinearity);
    return t.numel() ? normal_(t, 0, std) : t;
}

} // namespace wick::nn::init
