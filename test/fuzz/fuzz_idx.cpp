// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an IDX file.
#include "fuzz/fuzz.hpp"
#include "wick/data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wick::fuzz::MemoryFile file(data, size);
    wick::fuzz::expect_refusal_at_most([&] { wick::data::read_idx(file.path()).to_string(); });
    return 0;
}
