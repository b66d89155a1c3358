// SPDX-License-Identifier: BSD-3-Clause
// Files that are not what they say: each must end in an error that names the fault.
#include "support/files.hpp"
#include "wick/io.hpp"
#include "wick/tensor.hpp"

using namespace wick;

namespace {

class HostileHeader : public testing::Test {
  protected:
    static std::string file_of(const std::string &header, const std::string &data, int64_t length = -1) {
        int64_t n = length < 0 ? static_cast<int64_t>(header.size()) : length;
        return std::string(reinterpret_cast<char *>(&n), 8) + header + data;
    }
    void rejects(const std::string &header, size_t data_bytes, const std::string &why, THStatus status = TH_E_IO) {
        rejects_file(file_of(header, std::string(data_bytes, '\0')), why, status);
    }
    void rejects_file(const std::string &bytes, const std::string &why, THStatus status = TH_E_IO) {
        std::string path = folder_.put("hostile", bytes);
        for (bool copy : {false, true}) {
            SCOPED_TRACE(why);
            test::expect_error(
                status, [&] { io::load_safetensors(path, {.copy = copy}); }, "load_safetensors", path, why);
        }
    }
    static std::string entry(const std::string &dtype, const std::string &shape, const std::string &offsets) {
        return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
    }
    static std::string one(const std::string &dtype, const std::string &shape, const std::string &offsets) {
        return R"({"x":)" + entry(dtype, shape, offsets) + "}";
    }
    test::Folder folder_;
};

} // namespace

TEST_F(HostileHeader, Length) {
    rejects_file("", "got 0 bytes");
    rejects_file("1234567", "got 7 bytes");
    rejects_file(file_of("{}", "", 3), "header length of 3");
    rejects_file(file_of("{}", "", INT64_MAX), "header length of 9223372036854775807");
    rejects_file(std::string(8, '\xff') + "{}", "header length of 18446744073709551615");
    rejects_file(file_of("", ""), "bad JSON");
}

TEST_F(HostileHeader, LongerThanTheFormatAllows) {
    std::string path = folder_.put("long", file_of("{}", "", 100'000'001));
    std::filesystem::resize_file(path, 100'000'100); // a hole: takes no space
    test::expect_error(
        TH_E_IO, [&] { io::load_safetensors(path); }, "header length of 100000001", "at most 100000000");
}

TEST_F(HostileHeader, Json) {
    rejects("[]", 0, "got an array, want an object");
    rejects("null", 0, "got null");
    rejects("1", 0, "got 1");
    rejects("{", 0, "bad JSON");
    rejects("{} {}", 0, "bad JSON");
    rejects(std::string("{}\0", 3), 0, "bad JSON");
    rejects(R"({"x":1})", 0, "got 1 for 'x', want an object");
    rejects(R"({"x":[]})", 0, "got an array for 'x'");
    rejects("{\"\xff\":{}}", 0, "bad JSON");
    rejects("{\"\xc0\xaf\":{}}", 0, "bad JSON"); // an overlong encoding
    rejects(R"({"\ud800":{}})", 0, "bad JSON");
    rejects(std::string(1'000'000, '['), 0, "got an array");
    std::string deep;
    for (int i = 0; i < 100'000; i++) deep += "{\"a\":";
    rejects(deep, 0, "tensor 'a': got the key 'a'");
    rejects(R"({"a":{"shape":)" + deep, 0, "got an object for shape, want an array");
}

TEST_F(HostileHeader, Metadata) {
    rejects(R"({"__metadata__":1})", 0, "for '__metadata__'");
    rejects(R"({"__metadata__":{"a":1}})", 0, "got 1 for 'a' in __metadata__, want a string");
    rejects(R"({"__metadata__":{"a":{"b":"c"}}})", 0, "got an object");
    rejects(R"({"__metadata__":{"a":"b","a":"c"}})", 0, "key 'a' twice");
    rejects(R"({"__metadata__":{},"__metadata__":{}})", 0, "key '__metadata__' twice");
}

TEST_F(HostileHeader, Entries) {
    rejects(R"({"x":{}})", 0, "'x': got no dtype, shape or data_offsets");
    rejects(R"({"x":{"dtype":"F32","shape":[]}})", 4, "got no dtype, shape or data_offsets");
    rejects(R"({"x":{"dtype":1}})", 0, "got 1 for dtype, want a string");
    rejects(R"({"x":{"shape":"a"}})", 0, "got a string for shape, want an array");
    rejects(R"({"x":{"shape":[[1]]}})", 0, "got an array in shape");
    rejects(R"({"x":{"dtype":"F32","dtype":"F32"}})", 0, "key 'dtype' twice");
    rejects(R"({"x":{"colour":1}})", 0, "the key 'colour'");
    std::string e = entry("U8", "[1]", "[0,1]");
    rejects("{\"x\":" + e + ",\"x\":" + e + "}", 1, "key 'x' twice");
}

TEST_F(HostileHeader, Dtypes) {
    rejects(one("F8_E4M3", "[1]", "[0,1]"), 1, "'x': got dtype 'F8_E4M3'", TH_E_UNSUPPORTED);
    rejects(one("f32", "[1]", "[0,4]"), 4, "'f32'", TH_E_UNSUPPORTED);
    rejects(one("U64", "[1]", "[0,8]"), 8, "'U64'", TH_E_UNSUPPORTED);
    rejects(one(std::string(1000, 'Z'), "[1]", "[0,1]"), 1, std::string(60, 'Z') + "...", TH_E_UNSUPPORTED);
    rejects_file(file_of(one("BOOL", "[3]", "[0,3]"), "\x01\x02\x01"), "got the byte 2 as bool 1");
}

TEST_F(HostileHeader, Shapes) {
    rejects(one("F32", "[-1]", "[0,4]"), 4, "got -1 in shape");
    rejects(one("F32", "[1.5]", "[0,4]"), 4, "got '1.5' in shape");
    rejects(one("F32", "[9223372036854775808]", "[0,4]"), 4, "got 9223372036854775808");
    rejects(one("F32", "[99999999999999999999999]", "[0,4]"), 4, "99999999999999999999999");
    rejects(one("F32", "[4294967296,4294967296]", "[0,0]"), 0, "want a shape of fewer elements");
    rejects(one("F64", "[2305843009213693952]", "[0,0]"), 0, "want a shape of fewer elements"); // 2^61 * 8 = 2^64
    rejects(one("F32", "[0,9223372036854775807]", "[0,0]"), 0, "want a shape of fewer elements");
    rejects(one("F32", "[2]", "[0,4]"), 4, "want 8 bytes");
    std::string ones = "[1";
    for (int i = 0; i < 64; i++) ones += ",1";
    rejects(one("U8", ones + "]", "[0,1]"), 1, "more than 64 dimensions");
}

TEST_F(HostileHeader, Offsets) {
    rejects(one("U8", "[1]", "[0]"), 1, "got 1 data_offsets, want two");
    rejects(one("U8", "[1]", "[0,1,1]"), 1, "more than two data_offsets");
    rejects(one("U8", "[1]", "[-1,0]"), 1, "got -1 in data_offsets");
    rejects(one("U8", "[1]", "[1,2]"), 2, "begin at 0");
    rejects(one("U8", "[4]", "[0,4]"), 3, "within 3 bytes");
    rejects(one("U8", "[1]", "[0,9223372036854775807]"), 1, "within 1 bytes");
    rejects(one("U8", "[0]", "[0,0]"), 1, "got 1 bytes of data, want 0");
    rejects("{}", 5, "got 5 bytes of data, want 0");
    auto two = [](const std::string &a, const std::string &b) { return "{\"a\":" + a + ",\"b\":" + b + "}"; };
    rejects(two(entry("U8", "[4]", "[0,4]"), entry("U8", "[4]", "[2,6]")), 6,
            "'b': got data_offsets [2, 6], want them to begin at 4");
    rejects(two(entry("U8", "[2]", "[0,2]"), entry("U8", "[2]", "[4,6]")), 6, "want them to begin at 2");
    rejects(two(entry("U8", "[2]", "[0,2]"), entry("U8", "[2]", "[0,2]")), 2, "want them to begin at 2");
}

TEST_F(HostileHeader, OddButLegal) {
    io::Checkpoint got =
        io::load_safetensors(folder_.put("a", file_of(one("F32", "[0,1152921504606846976]", "[0,0]") + "   ", "")));
    EXPECT_EQ(got.at("x").numel(), 0);
    got = io::load_safetensors(folder_.put(
        "b",
        file_of(R"({"b":)" + entry("U8", "[1]", "[1,2]") + R"(,"a":)" + entry("I8", "[]", "[0,1]") + "}", "\xff\x07")));
    EXPECT_EQ(got.tensors[0].first, "b");
    EXPECT_EQ(got.at("b").item<int>(), 7);
    EXPECT_EQ(got.at("a").item<int>(), -1);
}

// Every shorter version of a good file, and versions with one bit changed in the header, is refused or read:
// never a crash.
TEST_F(HostileHeader, CutsAndFlips) {
    io::save_safetensors(folder_ / "good", {{"w", ones({2, 3})}, {"b", zeros({2}, kINT64)}}, {{"k", "v"}});
    std::string good = test::bytes_of(folder_ / "good");
    auto survives = [&](const std::string &bytes) {
        try {
            io::load_safetensors(folder_.put("bad", bytes), {.copy = true});
            return true;
        } catch (const Error &) {
            return false;
        }
    };
    for (size_t n = 0; n < good.size(); n++) EXPECT_FALSE(survives(good.substr(0, n))) << n;
    for (size_t i = 0; i < good.size() - 40; i++) {
        std::string bad = good;
        for (int bit = 0; bit < 8; bit += 3) {
            bad[i] = static_cast<char>(good[i] ^ 1 << bit);
            survives(bad);
        }
    }
}
