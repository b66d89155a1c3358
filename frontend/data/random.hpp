// SPDX-License-Identifier: BSD-3-Clause
// TH's generator as this folder uses it.
#ifndef WICK_DATA_RANDOM_HPP
#define WICK_DATA_RANDOM_HPP

#include "core/call.hpp"

namespace wick::data {

inline std::shared_ptr<THGenerator> make_generator(uint64_t seed) {
    THGenerator *g = nullptr;
    check(THGenerator_new(&g, seed));
    return {g, THGenerator_free};
}

inline std::vector<int64_t> permutation(int64_t n, THGenerator *g) {
    Tensor order = call<TH_randperm>(n, g);
    const int64_t *p = order.data<int64_t>();
    return {p, p + n};
}

} // namespace wick::data
#endif
