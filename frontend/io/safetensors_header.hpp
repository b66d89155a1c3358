// SPDX-License-Identifier: BSD-3-Clause
// The JSON header of a safetensors file.
#ifndef WICK_IO_SAFETENSORS_HEADER_HPP
#define WICK_IO_SAFETENSORS_HEADER_HPP

#include "io/file.hpp"
#include "wick/io.hpp"

namespace wick::io {

struct TensorEntry {
    std::string name;
    THDtype dtype = TH_DTYPE_DEFAULT;
    std::vector<int64_t> shape;
    int64_t begin = 0, end = 0; ///< bytes, counted from the end of the header
};

struct Header {
    std::vector<TensorEntry> tensors;
    Metadata metadata;
};

/// Parses and checks: every tensor's bytes fit its dtype and shape, and together they cover `data_bytes` without gap or
/// overlap.
Header parse_header(const FileRef &ref, std::string_view json, int64_t data_bytes);

/// The opposite; no padding. ArgumentError for names that JSON or the format cannot hold.
std::string format_header(const FileRef &ref, const Header &header);

/// A name from a file as part of an error text: cut, printable.
std::string quote(std::string_view text);

} // namespace wick::io
#endif
