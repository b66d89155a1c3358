// SPDX-License-Identifier: BSD-3-Clause
// Somebody's program over an installed wick: a layer of their own learns to halve.
#include <iostream>
#include <wick/data.hpp>
#include <wick/io.hpp>
#include <wick/nn.hpp>
#include <wick/ops.hpp>
#include <wick/optim.hpp>

struct Net : wick::nn::Module {
    wick::nn::Linear line{{.in_features = 1, .out_features = 1}};
    WICK_FIELDS(line)
    wick::Tensor forward(const wick::Tensor &x) override { return line(x); }
};

int main() try {
    wick::Tensor x = wick::linspace(-1, 1, 16).view({16, 1}), y = x * 0.5;
    Net net;
    wick::optim::SGD sgd(net.parameters(), {.lr = 0.5});
    double loss = 1;
    for (int step = 0; step < 100; step++) {
        sgd.zero_grad();
        wick::Tensor error = net(x) - y, squares = wick::mean(error * error);
        squares.backward();
        sgd.step();
        loss = squares.item<double>();
    }
    std::cout << net << "\nloss " << loss << "\n";
    return loss < 1e-6 ? 0 : 1;
} catch (const wick::Error &e) {
    std::cerr << e.what() << "\n";
    return 1;
}
