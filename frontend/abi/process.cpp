// SPDX-License-Identifier: BSD-3-Clause
#include "THNN/conv.h"
#include "abi/guard.hpp"
#include <cstring>

namespace wick::abi {

constexpr uint32_t VERSION_MAJOR = 0, VERSION_MINOR = 1;
static const char anchor = 0; // its address is this copy of the library

struct Feature {
    const char *name;
    int32_t (*revision)();
};
static constexpr Feature features[] = {
    {"dlpack", [] { return 1; }},
    {"onednn", [] { return std::strcmp(THNN_conv_backend(), "onednn") == 0 ? 1 : 0; }},
};

// The host's hooks, for as long as TH may call them.
static wick_hooks hooks;

} // namespace wick::abi

using namespace wick::abi;

uint32_t wick_abi_version(void) { return VERSION_MAJOR << 16 | VERSION_MINOR; }

int32_t wick_feature(const char *name) {
    for (const Feature &f : features)
        if (name && std::strcmp(f.name, name) == 0) return f.revision();
    return 0;
}

uint64_t wick_instance(void) { return reinterpret_cast<uint64_t>(&anchor); }

int32_t wick_threads(void) { return TH_num_threads(); }

int32_t wick_set_threads(int32_t n) {
    return guard("wick_set_threads", [&] { wick::check(TH_set_num_threads(n)); });
}

int32_t wick_set_hooks(const wick_hooks *h) {
    return guard("wick_set_hooks", [&] {
        if (!h) return wick::check(TH_memory_set_hooks(nullptr));
        if (h->struct_size < sizeof *h)
            wick::fail(TH_E_ABI, "wick_set_hooks: got struct_size %u, want at least %zu", h->struct_size, sizeof *h);
        need("wick_set_hooks", "alloc", h->alloc);
        need("wick_set_hooks", "dealloc", h->dealloc);
        THMemoryHooks th = {};
        th.struct_size = sizeof th;
        th.alloc = [](void *, int64_t nbytes, int64_t alignment) {
            return hooks.alloc(hooks.user, TH_CPU, nbytes, alignment);
        };
        th.dealloc = [](void *, void *p, int64_t nbytes) { hooks.dealloc(hooks.user, TH_CPU, p, nbytes); };
        if (h->pressure)
            th.pressure = [](void *, int64_t nbytes) { return hooks.pressure(hooks.user, TH_CPU, nbytes); };
        wick::check(TH_memory_set_hooks(nullptr)); // an error while blocks of the present source are in use
        hooks = *h;
        wick::check(TH_memory_set_hooks(&th));
    });
}

int64_t wick_memory_trim(void) { return TH_memory_trim(); }
void wick_memory_set_cache_limit(int64_t nbytes) { TH_memory_set_cache_limit(nbytes); }
