// SPDX-License-Identifier: BSD-3-Clause
#include "support/files.hpp"
#include "wick/data.hpp"
#include "wick/ops.hpp"
#include <cmath>

using namespace wick;

namespace {
std::string big_endian(uint32_t v) {
    return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8), static_cast<char>(v)};
}
std::string idx(int type, const std::vector<uint32_t> &sizes, const std::string &data) {
    std::string out{0, 0, static_cast<char>(type), static_cast<char>(sizes.size())};
    for (uint32_t n : sizes) out += big_endian(n);
    return out + data;
}

class Idx : public testing::Test {
  protected:
    Tensor read(const std::string &bytes) { return data::read_idx(folder_.put("a", bytes)); }
    template <class... S> void rejects(const std::string &bytes, const S &...parts) {
        for (const std::string &form : {bytes, test::gzip(bytes)})
            test::expect_error(
                TH_E_IO, [&] { read(form); }, "read_idx: ", folder_ / "a", parts...);
    }
    test::Folder folder_;
};
} // namespace

TEST_F(Idx, EveryType) {
    EXPECT_EQ(read(idx(0x08, {3}, "\x01\x80\xff")).to_string(), tensor<uint8_t>({1, 128, 255}).to_string());
    EXPECT_EQ(read(idx(0x09, {2}, "\x80\x7f")).to_string(), tensor<int8_t>({-128, 127}).to_string());
    EXPECT_EQ(read(idx(0x0B, {2}, "\x80\x01\x01\x02")).to_string(), tensor<int16_t>({-32767, 258}).to_string());
    EXPECT_EQ(read(idx(0x0C, {2}, "\x80\x01\x02\x03\x01\x02\x03\x04")).to_string(),
              tensor<int32_t>({-2147417597, 16909060}).to_string());
    EXPECT_EQ(read(idx(0x0D, {1}, "\x3f\xa0" + std::string(2, '\0'))).item<float>(), 1.25f);
    Tensor d = read(idx(0x0E, {1}, "\xc0\x04" + std::string(6, '\0')));
    EXPECT_EQ(d.dtype(), kFLOAT64);
    EXPECT_EQ(d.item<double>(), -2.5);
}

TEST_F(Idx, ShapesAndCompression) {
    std::string bytes = idx(0x08, {2, 1, 3}, "abcdef");
    for (const std::string &form : {bytes, test::gzip(bytes)}) {
        Tensor t = read(form);
        EXPECT_EQ(t.describe(), "uint8[2, 1, 3]");
        EXPECT_EQ(t.select(0, 1).select(0, 0).select(0, 2).item<int>(), 'f');
    }
    EXPECT_EQ(read(idx(0x08, {}, "x")).describe(), "uint8[]");
    EXPECT_EQ(read(idx(0x0D, {0, 5}, "")).describe(), "float32[0, 5]");
    EXPECT_EQ(read(idx(0x0D, {0xffffffff, 0}, "")).numel(), 0);
}

TEST_F(Idx, Faults) {
    rejects("", "fewer than 4 bytes");
    rejects(std::string("\0\0\x08", 3), "fewer than 4 bytes");
    rejects("PNG!", "50 4e 47 21");
    rejects(idx(0x0A, {1}, "x"), "got the bytes 00 00 0a 01");
    rejects(std::string("\0\1\x08\1", 4), "got the bytes 00 01 08 01");
    rejects(std::string("\0\0\x08\x41", 4), "at most 64 dimensions");
    rejects(std::string("\0\0\x08\2\0\0\0\1\0", 9), "within the header");
    rejects(idx(0x08, {3}, "ab"), "got 2 bytes of data, want 3");
    rejects(idx(0x0C, {2}, "abcdefg"), "got 7 bytes of data, want 8");
    rejects(idx(0x08, {3}, "abcd"), "got more than 3 bytes of data, want 3");
    test::expect_error(
        TH_E_NOTFOUND, [&] { data::read_idx(folder_ / "none"); }, "read_idx: ", "No such file");
}

// A few bytes must not make the reader ask for gigabytes, whether or not the product of the sizes overflows.
TEST_F(Idx, PromisesMoreThanItHolds) {
    rejects(idx(0x08, {0x7fffffff}, "abc"), "more data than the file can hold");
    rejects(idx(0x0E, {0xffffffff, 0xffffffff}, "abc"), "more data than the file can hold");
    rejects(idx(0x08, {0xffffffff, 0xffffffff, 0}, ""), "more data than the file can hold");
    rejects(idx(0x08, std::vector<uint32_t>(64, 0xffffffff), "abc"), "more data than the file can hold");
    THMemoryStats before{sizeof(THMemoryStats), 0, 0, 0, 0, 0, 0}, after = before;
    TH_memory_reset_peak();
    ASSERT_EQ(TH_memory_stats(&before), TH_OK);
    rejects(idx(0x08, {10'000}, "abc"), "got 3 bytes of data, want 10000");
    ASSERT_EQ(TH_memory_stats(&after), TH_OK);
    EXPECT_LT(after.peak - before.allocated, 1 << 20);
}
