// SPDX-License-Identifier: BSD-3-Clause
// Must not compile, and say why: see CMakeLists.txt.
#include "wick/nn.hpp"

struct Net : wick::nn::Module {
    wick::Tensor weight = wick::ones({2});
    WICK_FIELDS(weight)
};

int main() { return static_cast<int>(Net().parameters().size()); }
