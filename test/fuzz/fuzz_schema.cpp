// SPDX-License-Identifier: BSD-3-Clause
// Any text as a schema.
#include "fuzz/fuzz.hpp"
#include "wick/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    wick::fuzz::expect_refusal_at_most([&] {
        wick::Schema schema = wick::Schema::parse(text);
        if (schema.name.empty()) std::abort();
        for (const wick::Argument &a : schema.arguments)
            if (a.name.empty() || a.type_text.empty()) std::abort();
    });
    return 0;
}
