// SPDX-License-Identifier: BSD-3-Clause
/// What the fuzzers share. Each is one source that defines LLVMFuzzerTestOneInput: with libFuzzer (preset `fuzz`) it
/// looks for inputs by itself, in other builds replay.cpp runs it over the committed seeds, as an ordinary test.
#ifndef WICK_TEST_FUZZ_HPP
#define WICK_TEST_FUZZ_HPP

#include "wick/error.hpp"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace wick::fuzz {

/// A file in memory that holds the input, under a path.
class MemoryFile {
  public:
    MemoryFile(const uint8_t *data, size_t size) : fd_(memfd_create("input", 0)) {
        if (fd_ < 0 || write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

  private:
    int fd_;
};

/// Runs f, which may refuse its input with an Error, but not with one that means a fault of the library.
template <class F> void expect_refusal_at_most(F f) {
    try {
        f();
    } catch (const Error &e) {
        if (e.status() != TH_E_INTERNAL && e.message().find(": got ") != std::string::npos) return;
        if (e.status() == TH_E_MEMORY || e.status() == TH_E_IO || e.status() == TH_E_NOTFOUND) return;
        std::fprintf(stderr, "%s: %s\n", e.kind().c_str(), e.what());
        std::abort();
    }
}

} // namespace wick::fuzz
#endif
