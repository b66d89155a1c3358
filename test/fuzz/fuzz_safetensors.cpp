// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a checkpoint: refused, or read so that what was read can be written and read again as the same.
#include "fuzz/fuzz.hpp"
#include "wick/io.hpp"
#include <cstring>

using namespace wick;

static bool same(const Tensor &a, const Tensor &b) {
    if (a.describe() != b.describe()) return false;
    auto bytes = static_cast<size_t>(a.numel() * TH_dtype_size(static_cast<THDtype>(a.dtype())));
    return bytes == 0 || std::memcmp(THTensor_data(a.th()), THTensor_data(b.th()), bytes) == 0;
}

static void check_round_trip(const io::Checkpoint &read) {
    static const std::string path = "/dev/shm/wick-fuzz-" + std::to_string(getpid());
    io::save_safetensors(path, read.tensors, read.metadata);
    io::Checkpoint again = io::load_safetensors(path, {.copy = true});
    unlink(path.c_str());
    if (again.metadata != read.metadata || again.tensors.size() != read.tensors.size()) std::abort();
    for (const auto &[name, tensor] : read.tensors)
        if (!same(tensor, again.at(name))) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz::MemoryFile file(data, size);
    for (bool copy : {true, false})
        fuzz::expect_refusal_at_most([&] { check_round_trip(io::load_safetensors(file.path(), {.copy = copy})); });
    return 0;
}
