// SPDX-License-Identifier: BSD-3-Clause
// What the file system and zlib may answer, seen through the functions that read and write files.
#include "support/files.hpp"
#include "wick/data.hpp"
#include "wick/io.hpp"
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace wick;

// zlib's functions, which may be told to have no memory. They come before those of the library.
static bool no_memory = false;
template <class F> static F *of_zlib(const char *name) { return reinterpret_cast<F *>(::dlsym(RTLD_NEXT, name)); }
extern "C" __attribute__((visibility("default"))) int gzread(gzFile file, voidp buffer, unsigned n) {
    return no_memory ? -1 : of_zlib<int(gzFile, voidp, unsigned)>("gzread")(file, buffer, n);
}
extern "C" __attribute__((visibility("default"))) const char *gzerror(gzFile file, int *code) {
    if (!no_memory) return of_zlib<const char *(gzFile, int *)>("gzerror")(file, code);
    *code = Z_MEM_ERROR;
    return "out of memory";
}

TEST(GzipFile, WithoutMemory) {
    test::Folder folder;
    std::string path = folder.put("a.csv", "1,2\n");
    EXPECT_EQ(data::read_csv(path).values.numel(), 2);
    no_memory = true;
    test::expect_error(
        TH_E_MEMORY, [&] { data::read_csv(path); }, "read_csv: ", "no memory to read it");
    test::expect_error(
        TH_E_MEMORY, [&] { data::read_idx(path); }, "read_idx: ");
    no_memory = false;
    EXPECT_EQ(data::read_csv(path).values.numel(), 2);
}

TEST(InputFile, MissingOrNotAFile) {
    test::Folder folder;
    auto read = [](const std::string &path) { return [path] { io::load_safetensors(path); }; };
    test::expect_error(TH_E_NOTFOUND, read(folder / "no"), "load_safetensors: ", folder / "no", "No such file");
    test::expect_error(TH_E_NOTFOUND, read(folder.put("a", "x") + "/b"), "Not a directory");
    test::expect_error(TH_E_IO, read(folder / "."), "regular file");
    test::expect_error(TH_E_IO, read("/dev/zero"), "regular file");
    test::expect_error(TH_E_ARG, read(std::string("a\0b", 3)), "zero byte");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    test::expect_error(TH_E_IO, read(folder / "pipe"), "regular file");
}

TEST(AtomicFile, NowhereToWrite) {
    test::Folder folder;
    auto save = [](const std::string &path) { return [path] { io::save_safetensors(path, {{"x", ones({1})}}); }; };
    test::expect_error(TH_E_NOTFOUND, save(folder / "no/a"), "save_safetensors: ", "No such file");
    test::expect_error(TH_E_ARG, save(std::string("a\0b", 3)), "zero byte");
    std::filesystem::create_directory(folder / "d");
    test::expect_error(TH_E_IO, save(folder / "d"), "cannot rename");
    EXPECT_EQ(folder.count(), 1u) << "a temporary file was left";
}

TEST(AtomicFile, HonoursTheUmask) {
    test::Folder folder;
    mode_t before = ::umask(027);
    io::save_safetensors(folder / "a", {});
    ::umask(before);
    struct stat st;
    ASSERT_EQ(::stat((folder / "a").c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0640u);
}

TEST(GzipFile, PlainCompressedAndJoined) {
    test::Folder folder;
    for (const std::string &bytes :
         {std::string("1,2\n3,4\n"), test::gzip("1,2\n3,4\n"), test::gzip("1,2\n") + test::gzip("3,4\n")}) {
        Tensor t = data::read_csv(folder.put("a", bytes)).values;
        EXPECT_EQ(t.describe(), "float64[2, 2]");
        EXPECT_EQ(t.sum().item<double>(), 10);
    }
}

TEST(GzipFile, LongerThanItsBuffers) {
    test::Folder folder;
    std::string text;
    for (int i = 0; i < 300'000; i++) text += std::to_string(i) + "\n";
    Tensor t = data::read_csv(folder.put("a", test::gzip(text))).values;
    EXPECT_EQ(t.numel(), 300'000);
    EXPECT_EQ(t.sum().item<double>(), 299'999.0 * 150'000);
}

TEST(GzipFile, Damaged) {
    test::Folder folder;
    std::string good = test::gzip("1,2\n3,4\n5,6\n7,8\n");
    auto read = [&](const std::string &bytes) { return [&folder, bytes] { data::read_csv(folder.put("a", bytes)); }; };
    for (size_t n = 2; n < good.size(); n++) test::expect_error(TH_E_IO, read(good.substr(0, n)), "read_csv: ");
    std::string bad = good;
    bad[good.size() - 6] ^= 1; // the check sum
    test::expect_error(TH_E_IO, read(bad), "damaged gzip data");
    bad = good;
    bad[12] ^= 0x55;
    test::expect_error(TH_E_IO, read(bad), "read_csv");
}
