// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/io.hpp
/// Checkpoints: tensors under names, in safetensors files.
///
/// Format: https://huggingface.co/docs/safetensors. Files are little-endian; so are the machines Wick runs on.
#ifndef WICK_IO_HPP
#define WICK_IO_HPP

#include "wick/tensor.hpp"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wick::io {

using Metadata = std::map<std::string, std::string>;

/// What a file holds; tensors in the order of its header.
struct Checkpoint {
    NamedTensors tensors;
    Metadata metadata;

    /// NotFoundError if there is none of that name.
    WICK_API const Tensor &at(const std::string &name) const;
    /// Those under "<prefix>.<name>", by name; what prefixed() made of them.
    WICK_API NamedTensors part(std::string_view prefix) const;
};

/// Names with "<prefix>." before them, to put several state dicts into one file.
WICK_API NamedTensors prefixed(std::string_view prefix, NamedTensors tensors);

/// Writes a file that readers see either as it was before or complete: a temporary file beside it is written, flushed
/// to disk and renamed. Tensors may have any strides; views that share memory are written each on its own.
/// ArgumentError for a repeated name, for "__metadata__" and for text that is not UTF-8; NotFoundError and IOError from
/// the file system.
WICK_API void save_safetensors(const std::string &path, const NamedTensors &tensors, const Metadata &metadata = {});

struct LoadOptions {
    /// Read into memory of our own. Otherwise tensors view a private mapping of the file (writable; changes stay in
    /// this process), except those which the file does not align for their dtype. Replacing the file by renaming
    /// another over it, as save_safetensors does, leaves the tensors as they are. Whoever writes into the file itself
    /// changes them, and whoever shortens it makes the system end this process with SIGBUS when they are used next:
    /// copy files that others write to in place.
    bool copy = false;
};

/// Reads a file. IOError with the place of the fault for anything but a well-formed file, UnsupportedError for a dtype
/// that Wick lacks. No memory is taken for what the file does not really hold.
WICK_API Checkpoint load_safetensors(const std::string &path, LoadOptions options = {});

} // namespace wick::io
#endif
