// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a table of numbers. The first byte chooses the options.
#include "fuzz/fuzz.hpp"
#include "wick/data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    wick::fuzz::MemoryFile file(data + 1, size - 1);
    wick::data::CsvOptions options{.delimiter = data[0] & 1 ? ';' : ',', .header = (data[0] & 2) != 0};
    wick::fuzz::expect_refusal_at_most([&] {
        wick::data::Csv csv = wick::data::read_csv(file.path(), options);
        if (options.header && csv.columns.size() != static_cast<size_t>(csv.values.size(1))) std::abort();
    });
    return 0;
}
