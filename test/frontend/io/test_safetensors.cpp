// SPDX-License-Identifier: BSD-3-Clause
// Writing and reading whole files. Hostile headers are in test_safetensors_header.cpp.
#include "support/files.hpp"
#include "wick/io.hpp"
#include "wick/ops.hpp"
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

using namespace wick;
using io::load_safetensors, io::save_safetensors;

namespace {

template <class T> Tensor of(Sizes sizes, const std::vector<T> &values) {
    return from_data(values.data(), sizes, dtype_of<T>());
}

// The tensors of tools/gen/safetensors_golden.py.
NamedTensors golden_tensors() {
    const uint8_t bools[] = {1, 0, 1, 0, 0, 1};
    return {{"bool", from_data(bools, {2, 3}, kBOOL)},
            {"u8", of<uint8_t>({3}, {0, 1, 255})},
            {"i8", of<int8_t>({3}, {-128, 0, 127})},
            {"i16", of<int16_t>({2, 1}, {-32768, 32767})},
            {"i32", of<int32_t>({2}, {INT32_MIN, INT32_MAX})},
            {"i64", of<int64_t>({2}, {INT64_MIN, INT64_MAX})},
            {"f16", of<float>({3}, {0.5f, -2.0f, 65504.0f}).to(kFLOAT16)},
            {"f32", (arange(0, 24, 1, kFLOAT32) / 8).view({2, 3, 4})},
            {"f64", of<double>({3}, {1e300, -1e-300, INFINITY})},
            {"scalar", full({}, 2.5, kFLOAT64)},
            {"empty", zeros({0, 3})},
            {"layer.0.weight", ones({1, 2})}};
}
const io::Metadata golden_metadata{{"maker", "python"}, {"note", "größe"}};

void expect_same(const Tensor &got, const Tensor &want, const std::string &name) {
    ASSERT_EQ(got.dtype(), want.dtype()) << name;
    ASSERT_EQ(std::vector(got.sizes().begin(), got.sizes().end()),
              std::vector(want.sizes().begin(), want.sizes().end()))
        << name;
    Tensor w = want.contiguous();
    size_t bytes = static_cast<size_t>(w.numel() * TH_dtype_size(static_cast<THDtype>(w.dtype())));
    ASSERT_TRUE(got.is_contiguous());
    EXPECT_TRUE(bytes == 0 || std::memcmp(THTensor_data(got.th()), THTensor_data(w.th()), bytes) == 0) << name;
}

void expect_same(const io::Checkpoint &got, const NamedTensors &want) {
    ASSERT_EQ(got.tensors.size(), want.size());
    for (auto &[name, t] : want) expect_same(got.at(name), t, name);
}

bool is_aligned(const Tensor &t) {
    return reinterpret_cast<uintptr_t>(THTensor_data(t.th())) %
               static_cast<uintptr_t>(TH_dtype_size(static_cast<THDtype>(t.dtype()))) ==
           0;
}

} // namespace

TEST(Safetensors, ReadsWhatPythonWrote) {
    for (bool copy : {false, true}) {
        io::Checkpoint got = load_safetensors(GOLDEN "/python.safetensors", {.copy = copy});
        expect_same(got, golden_tensors());
        EXPECT_EQ(got.metadata, golden_metadata);
    }
}

TEST(Safetensors, RoundTripKeepsOrderAndMetadata) {
    test::Folder folder;
    NamedTensors tensors = golden_tensors();
    tensors.emplace_back("bf16", randn({5}).to(kBFLOAT16));
    save_safetensors(folder / "a", tensors, golden_metadata);
    for (bool copy : {false, true}) {
        io::Checkpoint got = load_safetensors(folder / "a", {.copy = copy});
        expect_same(got, tensors);
        for (size_t i = 0; i < tensors.size(); i++) EXPECT_EQ(got.tensors[i].first, tensors[i].first);
        for (auto &[name, t] : got.tensors) EXPECT_TRUE(is_aligned(t)) << name;
        EXPECT_EQ(got.metadata, golden_metadata);
    }
    if (const char *keep = std::getenv("WICK_KEEP_SAFETENSORS")) { // for tools/gen/safetensors_golden.py --check
        tensors.pop_back();
        save_safetensors(keep, tensors, golden_metadata);
    }
}

TEST(Safetensors, EmptyFilesAndOddNames) {
    test::Folder folder;
    save_safetensors(folder / "none", {});
    EXPECT_TRUE(load_safetensors(folder / "none").tensors.empty());
    save_safetensors(folder / "odd", {{"", ones({1})}, {"a\"\\\n\x01ü", ones({2})}}, {{"", "\t"}});
    io::Checkpoint got = load_safetensors(folder / "odd");
    EXPECT_EQ(got.at("").numel(), 1);
    EXPECT_EQ(got.at("a\"\\\n\x01ü").numel(), 2);
    EXPECT_EQ(got.metadata, (io::Metadata{{"", "\t"}}));
    test::expect_error(
        TH_E_NOTFOUND, [&] { got.at("b"); }, "'b'");
}

TEST(Safetensors, WritesViewsAsTheyLook) {
    test::Folder folder;
    Tensor x = arange(0, 12, 1, kFLOAT32).view({3, 4});
    save_safetensors(folder / "v", {{"t", x.t()},
                                    {"e", x.select(0, 1).expand({2, 4})},
                                    {"n", x.narrow(1, 1, 2)},
                                    {"g", (x * 1).requires_grad_()}});
    io::Checkpoint got = load_safetensors(folder / "v");
    expect_same(got, {{"t", x.t()}, {"e", x.select(0, 1).expand({2, 4})}, {"n", x.narrow(1, 1, 2)}, {"g", x}});
    EXPECT_FALSE(got.at("g").requires_grad());
}

TEST(Safetensors, MappingIsPrivateAndOutlivesTheFile) {
    test::Folder folder;
    save_safetensors(folder / "m", {{"x", arange(0, 100, 1, kFLOAT32)}});
    std::string before = test::bytes_of(folder / "m");
    Tensor x = load_safetensors(folder / "m").at("x");
    x.fill_(7);
    EXPECT_EQ(test::bytes_of(folder / "m"), before);
    std::filesystem::remove(folder / "m");
    EXPECT_EQ(x.sum().item<double>(), 700);
}

// Only a hand-made file has float32 data at an odd place: one U8 before it.
TEST(Safetensors, CopiesWhatTheFileDoesNotAlign) {
    test::Folder folder;
    std::string header =
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})";
    uint64_t length = header.size();
    float values[] = {1.5f, -2.5f};
    std::string bytes(reinterpret_cast<char *>(&length), 8);
    bytes += header + "\x05" + std::string(reinterpret_cast<char *>(values), 8);
    io::Checkpoint got = load_safetensors(folder.put("f", bytes));
    EXPECT_EQ(got.at("a").item<int>(), 5);
    EXPECT_TRUE(is_aligned(got.at("b")));
    expect_same(got.at("b"), tensor({1.5f, -2.5f}), "b");
}

TEST(Safetensors, SavingReplacesAtOnce) {
    test::Folder folder;
    save_safetensors(folder / "a", {{"x", ones({3})}});
    Tensor old = load_safetensors(folder / "a").at("x");
    save_safetensors(folder / "a", {{"x", zeros({3})}});
    EXPECT_EQ(old.sum().item<double>(), 3) << "a mapping of the old file must stay as it was";
    EXPECT_EQ(load_safetensors(folder / "a").at("x").sum().item<double>(), 0);
    EXPECT_EQ(folder.count(), 1u) << "a temporary file was left";
}

TEST(Safetensors, FailedSavingLeavesTheOldFile) {
    test::Folder folder;
    save_safetensors(folder / "a", {{"x", ones({3})}});
    std::string before = test::bytes_of(folder / "a");
    auto fails = [&](THStatus status, const NamedTensors &tensors, const io::Metadata &metadata, const char *text) {
        test::expect_error(
            status, [&] { save_safetensors(folder / "a", tensors, metadata); }, "save_safetensors", text);
        EXPECT_EQ(test::bytes_of(folder / "a"), before);
        EXPECT_EQ(folder.count(), 1u);
    };
    Tensor x = ones({1});
    fails(TH_E_ARG, {{"x", x}, {"x", x}}, {}, "'x' twice");
    fails(TH_E_ARG, {{"__metadata__", x}}, {}, "__metadata__");
    fails(TH_E_ARG, {{"\xff", x}}, {}, "UTF-8");
    fails(TH_E_ARG, {{"x", x}}, {{"k", "\xc3"}}, "UTF-8");
    fails(TH_E_ARG, {{"x", Tensor()}}, {}, "'x': got none");
}

// Another file takes the name between the reading of the header and the mapping of the data.
TEST(Safetensors, ReplacedWhileLoaded) {
    test::Folder folder;
    std::string path = folder / "now";
    for (int64_t n : {40, 1000})
        save_safetensors(folder / std::to_string(n), {{"x", full({n}, static_cast<double>(n))}});
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        std::string next = folder / "next";
        for (int64_t n = 40; !stop; n = 1040 - n) {
            std::filesystem::create_hard_link(folder / std::to_string(n), next);
            std::filesystem::rename(next, path);
        }
    });
    while (!std::filesystem::exists(path)) std::this_thread::yield();
    for (int i = 0; i < 4000; i++) {
        Tensor x = load_safetensors(path).at("x");
        ASSERT_EQ(x.sum().item<double>(), static_cast<double>(x.numel() * x.numel())) << x.describe();
    }
    stop = true;
    writer.join();
}

TEST(Safetensors, SeveralStatesInOneFile) {
    test::Folder folder;
    NamedTensors all = io::prefixed("net", {{"weight", ones({2})}, {"0.bias", zeros({1})}});
    for (auto &entry : io::prefixed("network", {{"x", ones({3})}})) all.push_back(entry);
    save_safetensors(folder / "a", all);
    NamedTensors net = load_safetensors(folder / "a").part("net");
    ASSERT_EQ(net.size(), 2u);
    EXPECT_EQ(net[0].first, "weight");
    EXPECT_EQ(net[1].first, "0.bias");
    EXPECT_EQ(load_safetensors(folder / "a").part("network")[0].second.describe(), "float32[3]");
    EXPECT_TRUE(load_safetensors(folder / "a").part("").empty());
}
