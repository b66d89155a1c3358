// SPDX-License-Identifier: BSD-3-Clause
// Files and errors in tests of the frontend.
#ifndef WICK_TEST_FILES_HPP
#define WICK_TEST_FILES_HPP

#include "wick/error.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <zlib.h>

namespace test {

/// A directory that goes away with its content.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "wick-test-XXXXXX").string();
        if (::mkdtemp(name.data())) path_ = name;
        EXPECT_FALSE(path_.empty());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string operator/(const std::string &name) const { return (path_ / name).string(); }
    /// Writes a file; returns its path.
    std::string put(const std::string &name, const std::string &bytes) const {
        std::ofstream(*this / name, std::ios::binary) << bytes;
        return *this / name;
    }
    size_t count() const {
        std::filesystem::directory_iterator it(path_);
        return static_cast<size_t>(std::distance(begin(it), end(it)));
    }

  private:
    std::filesystem::path path_;
};

inline std::string bytes_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string gzip(const std::string &bytes) {
    z_stream z{};
    EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

/// f() must throw an Error of that status whose text contains all of `parts`.
template <class F, class... S> void expect_error(THStatus status, F &&f, const S &...parts) {
    try {
        f();
        ADD_FAILURE() << "no error";
    } catch (const wick::Error &e) {
        EXPECT_EQ(e.status(), status) << e.what();
        for (std::string part : {std::string(parts)...})
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what() << "\nwant: " << part;
    }
}

} // namespace test
#endif
