// SPDX-License-Identifier: BSD-3-Clause
#include "io/file.hpp"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace wick::io {

namespace {
constexpr int64_t CHUNK = int64_t{1} << 30; // some systems refuse more than 2 GiB in one call

int open_retrying(const char *path, int flags, mode_t mode = 0) {
    int fd;
    do fd = ::open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

// Opens a regular file for reading and tells its size.
int open_regular(const FileRef &ref, int64_t &size) {
    if (ref.path.find('\0') != std::string::npos) throw ref.error("got a path with a zero byte", TH_E_ARG);
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    int fd = open_retrying(ref.path.c_str(), O_RDONLY | O_NONBLOCK);
    if (fd < 0) throw ref.system_error("cannot open");
    struct stat st;
    if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        ::close(fd);
        throw ref.error("got something that is not a regular file");
    }
    size = st.st_size;
    return fd;
}
} // namespace

Error FileRef::error(std::string_view what, THStatus status) const {
    return Error(status, std::string(function) + ": " + path.c_str() + ": " + std::string(what));
}

Error FileRef::system_error(std::string_view what) const {
    int code = errno;
    return error(std::string(what) + ": " + std::strerror(code),
                 code == ENOENT || code == ENOTDIR ? TH_E_NOTFOUND : TH_E_IO);
}

InputFile::InputFile(FileRef ref) : ref_(std::move(ref)), fd_(open_regular(ref_, size_)) {}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read_at(void *to, int64_t nbytes, int64_t offset) const {
    for (auto *p = static_cast<char *>(to); nbytes > 0;) {
        ssize_t n = ::pread(fd_, p, static_cast<size_t>(std::min(nbytes, CHUNK)), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw ref_.system_error("cannot read");
        if (n == 0)
            throw ref_.error("got the end of the file at byte " + std::to_string(offset) + ", want " +
                             std::to_string(nbytes) + " more bytes");
        p += n, offset += n, nbytes -= n;
    }
}

AtomicFile::AtomicFile(FileRef ref) : ref_(std::move(ref)) {
    static std::atomic<unsigned> count{0};
    if (ref_.path.find('\0') != std::string::npos) throw ref_.error("got a path with a zero byte", TH_E_ARG);
    temporary_ = ref_.path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(count++);
    fd_ = open_retrying(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd_ < 0) throw ref_.system_error("cannot create");
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void *from, int64_t nbytes) {
    for (auto *p = static_cast<const char *>(from); nbytes > 0;) {
        ssize_t n = ::write(fd_, p, static_cast<size_t>(std::min(nbytes, CHUNK)));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw ref_.system_error("cannot write");
        p += n, nbytes -= n;
    }
}

void AtomicFile::commit() {
    // Some file systems have no fsync to offer (EINVAL); the rename still makes the file appear at once.
    if (::fsync(fd_) != 0 && errno != EINVAL) throw ref_.system_error("cannot flush");
    if (::close(std::exchange(fd_, -1)) != 0) throw ref_.system_error("cannot close");
    if (::rename(temporary_.c_str(), ref_.path.c_str()) != 0) throw ref_.system_error("cannot rename");
    temporary_.clear();
    size_t slash = ref_.path.rfind('/');
    std::string folder = slash == std::string::npos ? "." : ref_.path.substr(0, slash + 1);
    if (int fd = open_retrying(folder.c_str(), O_RDONLY | O_DIRECTORY); fd >= 0) {
        ::fsync(fd); // makes the rename durable where the file system can; the file is complete either way
        ::close(fd);
    }
}

GzipFile::GzipFile(FileRef ref) : ref_(std::move(ref)) {
    int fd = open_regular(ref_, stored_);
    gz_ = ::gzdopen(fd, "rb");
    if (!gz_) {
        ::close(fd);
        throw no_memory();
    }
    ::gzbuffer(gz_, 1 << 18);
}

Error GzipFile::no_memory() const { return ref_.error("no memory to read it", TH_E_MEMORY); }

GzipFile::~GzipFile() { ::gzclose_r(gz_); }

int64_t GzipFile::most_bytes() const noexcept {
    // zlib.net/zlib_tech.html: "the limit is a factor of 1032".
    int64_t most;
    return __builtin_mul_overflow(stored_, int64_t{1032}, &most) ? INT64_MAX : most;
}

int64_t GzipFile::read(void *to, int64_t nbytes) {
    int64_t got = 0;
    while (got < nbytes) {
        int n = ::gzread(gz_, static_cast<char *>(to) + got, static_cast<unsigned>(std::min(nbytes - got, CHUNK)));
        int code = Z_OK;
        const char *text = ::gzerror(gz_, &code);
        if (code == Z_MEM_ERROR) throw no_memory();
        if (n < 0 || (code != Z_OK && code != Z_STREAM_END))
            throw code == Z_ERRNO ? ref_.system_error("cannot read")
                                  : ref_.error(std::string("got damaged gzip data: ") + text);
        if (n == 0) break;
        got += n;
    }
    return got;
}

std::string GzipFile::read_all() {
    std::string text;
    size_t used = 0;
    for (;;) {
        if (used == text.size()) text.resize(std::max<size_t>(size_t{1} << 16, text.size() * 2));
        auto room = static_cast<int64_t>(text.size() - used);
        int64_t n = read(text.data() + used, room);
        used += static_cast<size_t>(n);
        if (n < room) break;
    }
    text.resize(used);
    return text;
}

} // namespace wick::io
