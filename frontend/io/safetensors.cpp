// SPDX-License-Identifier: BSD-3-Clause
#include "expr/sizes.h"
#include "io/safetensors_header.hpp"
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace wick::io {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are read and written as they are in memory");

namespace {
constexpr int64_t PREFIX = 8;                // the header's length
constexpr int64_t MOST_HEADER = 100'000'000; // the format's own limit
constexpr int64_t ALIGNMENT = 64;            // where our data begin; what the kernels like best

struct StorageRef {
    THStorage *p = nullptr;
    StorageRef() = default;
    StorageRef(const StorageRef &) = delete;
    StorageRef &operator=(const StorageRef &) = delete;
    ~StorageRef() { THStorage_free(p); }
};

// Kernels count on bytes 0 and 1 in bool tensors; a file may hold any.
void check_bools(const FileRef &ref, const TensorEntry &e, const Tensor &t) {
    const auto *p = static_cast<const uint8_t *>(THTensor_data(t.th()));
    const uint8_t *end = p + t.numel(), *bad = std::find_if(p, end, [](uint8_t b) { return b > 1; });
    if (bad != end)
        throw ref.error("tensor " + quote(e.name) + ": got the byte " + std::to_string(*bad) + " as bool " +
                        std::to_string(bad - p) + ", want 0 or 1");
}

Tensor read_tensor(const InputFile &file, const TensorEntry &e, int64_t position) {
    Tensor t = empty(e.shape, static_cast<DType>(e.dtype));
    file.read_at(THTensor_data(t.th()), e.end - e.begin, position);
    return t;
}

Tensor view_tensor(THStorage *mapping, const TensorEntry &e, int64_t position) {
    THTensor *t = nullptr;
    check(THTensor_new_over(&t, mapping, e.dtype, e.shape.data(), nullptr, static_cast<int32_t>(e.shape.size()),
                            position / TH_dtype_size(e.dtype)));
    return Tensor::adopt(t);
}

// Sizes, offsets: everything but the order of names follows from this. Larger elements come first, so that all are
// aligned.
std::vector<size_t> lay_out(Header &header) {
    std::vector<size_t> order(header.tensors.size());
    for (size_t i = 0; i < order.size(); i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return TH_dtype_size(header.tensors[a].dtype) > TH_dtype_size(header.tensors[b].dtype);
    });
    int64_t position = 0;
    for (size_t i : order) {
        TensorEntry &e = header.tensors[i];
        int64_t bytes = e.end;
        e.begin = position;
        e.end = position += bytes;
    }
    return order;
}
} // namespace

const Tensor &Checkpoint::at(const std::string &name) const {
    for (const auto &[key, tensor] : tensors)
        if (key == name) return tensor;
    throw Error(TH_E_NOTFOUND,
                "Checkpoint::at: got " + quote(name) + ", want one of " + std::to_string(tensors.size()) + " names");
}

NamedTensors Checkpoint::part(std::string_view prefix) const {
    NamedTensors out;
    for (const auto &[key, tensor] : tensors)
        if (key.size() > prefix.size() && key.starts_with(prefix) && key[prefix.size()] == '.')
            out.emplace_back(key.substr(prefix.size() + 1), tensor);
    return out;
}

NamedTensors prefixed(std::string_view prefix, NamedTensors tensors) {
    for (auto &[name, tensor] : tensors) name = std::string(prefix) + "." + name;
    return tensors;
}

void save_safetensors(const std::string &path, const NamedTensors &tensors, const Metadata &metadata) {
    FileRef ref{"save_safetensors", path};
    Header header{{}, metadata};
    for (const auto &[name, t] : tensors) {
        if (!t.defined()) throw ref.error("tensor " + quote(name) + ": got none, want a tensor", TH_E_ARG);
        int64_t bytes = th_size_mul(t.numel(), TH_dtype_size(static_cast<THDtype>(t.dtype())));
        header.tensors.push_back(
            {name, static_cast<THDtype>(t.dtype()), {t.sizes().begin(), t.sizes().end()}, 0, bytes});
    }
    std::vector<size_t> order = lay_out(header);
    std::string text = format_header(ref, header);
    text.append(static_cast<size_t>(-(PREFIX + static_cast<int64_t>(text.size())) & (ALIGNMENT - 1)), ' ');
    auto length = static_cast<int64_t>(text.size());
    if (length > MOST_HEADER)
        throw ref.error("got names and metadata of " + std::to_string(length) + " bytes, want at most 100000000",
                        TH_E_ARG);

    AtomicFile file(ref);
    file.write(&length, PREFIX);
    file.write(text.data(), length);
    for (size_t i : order) {
        Tensor t = tensors[i].second.detach().to(Device()).contiguous();
        file.write(THTensor_data(t.th()), header.tensors[i].end - header.tensors[i].begin);
    }
    file.commit();
}

Checkpoint load_safetensors(const std::string &path, LoadOptions options) {
    InputFile file({"load_safetensors", path});
    const FileRef &ref = file.ref();
    uint64_t length = 0;
    if (file.size() < PREFIX) throw ref.error("got " + std::to_string(file.size()) + " bytes, want at least 8");
    file.read_at(&length, PREFIX, 0);
    uint64_t most = std::min<uint64_t>(MOST_HEADER, static_cast<uint64_t>(file.size() - PREFIX));
    if (length > most)
        throw ref.error("got a header length of " + std::to_string(length) + ", want at most " + std::to_string(most));
    int64_t data = PREFIX + static_cast<int64_t>(length);
    std::string text(length, '\0');
    file.read_at(text.data(), static_cast<int64_t>(length), PREFIX);
    Header header = parse_header(ref, text, file.size() - data);

    StorageRef mapping;
    if (!options.copy && file.size() > data)
        check(THStorage_new_fd(&mapping.p, file.fd(), 0, file.size(), TH_MAP_PRIVATE)); // not what the path is by now
    Checkpoint out;
    for (const TensorEntry &e : header.tensors) {
        int64_t position = data + e.begin;
        bool view = mapping.p && position % TH_dtype_size(e.dtype) == 0;
        Tensor t = view ? view_tensor(mapping.p, e, position) : read_tensor(file, e, position);
        if (e.dtype == TH_BOOL) check_bools(ref, e, t);
        out.tensors.emplace_back(e.name, std::move(t));
    }
    out.metadata = std::move(header.metadata);
    return out;
}

} // namespace wick::io
