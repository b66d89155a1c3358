// SPDX-License-Identifier: BSD-3-Clause
// A whole step of training, against the matrix products in it.
#include "bench.hpp"
#include "sgemm.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"

using namespace wick;

namespace {

void mlp_products(benchmark::State &state) {
    // forward of both layers; backward to the weight and the input of the second, and to the weight of the first
    bench::Sgemm products[] = {{32, 32, 64}, {32, 10, 32}, {10, 32, 32}, {32, 32, 10}, {32, 64, 32}};
    for (auto _ : state)
        for (bench::Sgemm &product : products) product();
}
WICK_BENCH("cblas_sgemm_mlp", mlp_products);

void mlp_step(benchmark::State &state) {
    Tensor x = randn({32, 64}), target = randint(0, 10, {32});
    nn::Sequential net(nn::Linear({.in_features = 64, .out_features = 32}), nn::ReLU(),
                       nn::Linear({.in_features = 32, .out_features = 10}));
    optim::SGD sgd(net.parameters(), {.lr = 1e-3, .momentum = 0.9});
    for (auto _ : state) {
        sgd.zero_grad();
        cross_entropy(net(x), target).backward();
        sgd.step();
    }
}
WICK_BENCH("mlp_step", mlp_step);

const bench::Rows rows{
    {"training step, MLP 64-32-10, batch 32, SGD", "mlp_step", "cblas_sgemm_mlp", 0, 25'000},
};

} // namespace
