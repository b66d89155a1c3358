// SPDX-License-Identifier: BSD-3-Clause
#include "io/file.hpp"
#include "wick/data.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wick::data {

namespace {
constexpr struct {
    uint8_t code;
    DType dtype;
} TYPES[] = {{0x08, kUINT8}, {0x09, kINT8}, {0x0B, kINT16}, {0x0C, kINT32}, {0x0D, kFLOAT32}, {0x0E, kFLOAT64}};

template <class U, U (*SWAP)(U)> void swap_all(void *data, int64_t n) {
    for (auto *p = static_cast<unsigned char *>(data), *end = p + n * static_cast<int64_t>(sizeof(U)); p != end;
         p += sizeof(U)) {
        U v;
        std::memcpy(&v, p, sizeof v);
        v = SWAP(v);
        std::memcpy(p, &v, sizeof v);
    }
}
uint16_t swap16(uint16_t v) { return __builtin_bswap16(v); }
uint32_t swap32(uint32_t v) { return __builtin_bswap32(v); }
uint64_t swap64(uint64_t v) { return __builtin_bswap64(v); }

void from_big_endian(void *data, int64_t n, int64_t element_size) {
    if (element_size == 2) swap_all<uint16_t, swap16>(data, n);
    if (element_size == 4) swap_all<uint32_t, swap32>(data, n);
    if (element_size == 8) swap_all<uint64_t, swap64>(data, n);
}

struct IdxHeader {
    DType dtype;
    std::vector<int64_t> sizes;
    int64_t nbytes;
};

// Bytes 0, 0, type, number of dimensions; then the sizes, 32 bits each, most significant byte first.
IdxHeader read_header(io::GzipFile &file) {
    const io::FileRef &ref = file.ref();
    uint8_t magic[4];
    if (file.read(magic, 4) != 4) throw ref.error("got fewer than 4 bytes, want an IDX header");
    auto row = std::find_if(std::begin(TYPES), std::end(TYPES), [&](const auto &t) { return t.code == magic[2]; });
    if (magic[0] != 0 || magic[1] != 0 || row == std::end(TYPES) || magic[3] > TH_MAX_DIM) {
        char got[64];
        std::snprintf(got, sizeof got, "got the bytes %02x %02x %02x %02x", magic[0], magic[1], magic[2], magic[3]);
        throw ref.error(std::string(got) + ", want 00 00, a type (08, 09, 0b to 0e) and at most 64 dimensions");
    }
    IdxHeader header{row->dtype, {}, TH_dtype_size(static_cast<THDtype>(row->dtype))};
    bool overflow = false, none = false;
    for (int d = 0; d < magic[3]; d++) {
        uint32_t size;
        if (file.read(&size, 4) != 4)
            throw ref.error("got an end within the header, want " + std::to_string(magic[3]) + " sizes");
        size = __builtin_bswap32(size);
        header.sizes.push_back(size);
        none = none || size == 0;
        overflow = overflow || __builtin_mul_overflow(header.nbytes, std::max<int64_t>(size, 1), &header.nbytes);
    }
    if (none && !overflow) header.nbytes = 0;
    if (overflow || header.nbytes > file.most_bytes())
        throw ref.error("got a header that promises more data than the file can hold");
    return header;
}
} // namespace

Tensor read_idx(const std::string &path) {
    io::GzipFile file({"read_idx", path});
    const io::FileRef &ref = file.ref();
    IdxHeader header = read_header(file);
    Tensor out = empty(header.sizes, header.dtype);
    void *data = THTensor_data(out.th());
    int64_t got = file.read(data, header.nbytes);
    char more;
    if (got < header.nbytes || file.read(&more, 1) != 0)
        throw ref.error("got " + (got < header.nbytes ? std::to_string(got) : "more than " + std::to_string(got)) +
                        " bytes of data, want " + std::to_string(header.nbytes));
    from_big_endian(data, out.numel(), TH_dtype_size(static_cast<THDtype>(header.dtype)));
    return out;
}

} // namespace wick::data
