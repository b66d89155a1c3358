// SPDX-License-Identifier: BSD-3-Clause
// Files as this library reads and writes them. Errors are NotFoundError or IOError, "<function>: <path>: <what
// happened>".
#ifndef WICK_IO_FILE_HPP
#define WICK_IO_FILE_HPP

#include "wick/error.hpp"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct gzFile_s;

namespace wick::io {

/// Who asks for which file: the beginning of every error text.
struct FileRef {
    std::string_view function;
    std::string path;

    Error error(std::string_view what, THStatus status = TH_E_IO) const;
    /// From errno.
    Error system_error(std::string_view what) const;
};

/// A regular file, open for reading.
class InputFile {
  public:
    explicit InputFile(FileRef ref);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;
    const FileRef &ref() const noexcept { return ref_; }
    int64_t size() const noexcept { return size_; }
    int fd() const noexcept { return fd_; }
    /// All of the bytes, or throws.
    void read_at(void *to, int64_t nbytes, int64_t offset) const;

  private:
    FileRef ref_;
    int64_t size_ = 0;
    int fd_;
};

/// A file that appears under its name when it is complete (commit), or not at all.
class AtomicFile {
  public:
    explicit AtomicFile(FileRef ref);
    ~AtomicFile();
    AtomicFile(const AtomicFile &) = delete;
    AtomicFile &operator=(const AtomicFile &) = delete;
    void write(const void *from, int64_t nbytes);
    void commit();

  private:
    FileRef ref_;
    std::string temporary_;
    int fd_;
};

/// A file read from its beginning, decompressed if it is gzip's.
class GzipFile {
  public:
    explicit GzipFile(FileRef ref);
    ~GzipFile();
    GzipFile(const GzipFile &) = delete;
    GzipFile &operator=(const GzipFile &) = delete;
    const FileRef &ref() const noexcept { return ref_; }
    /// The most bytes that the file can turn into: what deflate's best ratio makes of its size.
    int64_t most_bytes() const noexcept;
    /// As many bytes as there are, at most nbytes. Throws for damaged data.
    int64_t read(void *to, int64_t nbytes);
    /// Everything that is left.
    std::string read_all();

  private:
    Error no_memory() const;
    FileRef ref_;
    int64_t stored_ = 0;
    gzFile_s *gz_;
};

} // namespace wick::io
#endif
