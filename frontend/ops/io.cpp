// SPDX-License-Identifier: BSD-3-Clause
// Files, for languages that reach Wick through the registry. In C++: wick/io.hpp and wick/data.hpp.
#include "wick/io.hpp"
#include "core/call.hpp"
#include "core/row.hpp"
#include "wick/data.hpp"
#include "wick/value.hpp"

namespace wick {

namespace {

// Results are made first and handed over together, so that nothing is lost if one fails.
template <class... V> void hand_over(Value *results, V &&...values) {
    OwnedValue made[] = {OwnedValue(box(std::forward<V>(values)))...};
    for (size_t i = 0; i < sizeof...(V); i++) results[i] = made[i].release();
}

using Strings = std::vector<std::string>;

// An op's function of values alone.
template <void (*Fn)(const Value *, Value *)>
void plain(const Callable &, Object *, const Value *args, Value *results) {
    Fn(args, results);
}

void read_csv(const Value *args, Value *results) {
    auto delimiter = unbox<std::string_view>(args[1]);
    if (delimiter.size() != 1) fail(TH_E_ARG, "io::read_csv: got a delimiter of %zu bytes, want 1", delimiter.size());
    data::Csv csv = data::read_csv(unbox<std::string>(args[0]), {.delimiter = delimiter[0],
                                                                 .header = unbox<bool>(args[2]),
                                                                 .missing = unbox<bool>(args[3]),
                                                                 .text = unbox<std::vector<int64_t>>(args[4])});
    hand_over(results, csv.values, csv.columns, csv.labels);
}

void read_idx(const Value *args, Value *results) { hand_over(results, data::read_idx(unbox<std::string>(args[0]))); }

void load_safetensors(const Value *args, Value *results) {
    io::Checkpoint checkpoint = io::load_safetensors(unbox<std::string>(args[0]), {.copy = unbox<bool>(args[1])});
    Strings names, keys, values;
    std::vector<Tensor> tensors;
    for (auto &[name, tensor] : checkpoint.tensors) {
        names.push_back(name);
        tensors.push_back(tensor);
    }
    for (auto &[key, value] : checkpoint.metadata) {
        keys.push_back(key);
        values.push_back(value);
    }
    hand_over(results, names, tensors, keys, values);
}

// Pairs of two lists of one length.
template <class A, class B, class F>
void zip(const A &a, const B &b, const char *a_name, const char *b_name, F &&pair) {
    if (a.size() != b.size())
        fail(TH_E_ARG, "io::save_safetensors: got %zu %s and %zu %s, want equal numbers", a.size(), a_name, b.size(),
             b_name);
    for (size_t i = 0; i < a.size(); i++) pair(a[i], b[i]);
}

void save_safetensors(const Value *args, Value *) {
    decltype(io::Checkpoint::tensors) tensors;
    io::Metadata metadata;
    zip(unbox<Strings>(args[1]), unbox<std::vector<Tensor>>(args[2]), "names", "tensors",
        [&](const std::string &name, const Tensor &t) { tensors.emplace_back(name, t); });
    zip(unbox<Strings>(args[3]), unbox<Strings>(args[4]), "keys", "values",
        [&](const std::string &key, const std::string &value) { metadata[key] = value; });
    io::save_safetensors(unbox<std::string>(args[0]), tensors, metadata);
}

constexpr OpDef rows[] = {
    {"io::read_csv(str path, *, str delimiter=',', bool header=False, bool missing=False, int[] text=[])"
     " -> (Tensor values, str[] columns, any labels)",
     "Numbers in lines of equal length, float64 [rows, columns]; the names in the first line with header. With "
     "missing, "
     "empty fields and NA are NaN. Columns of text become numbers of their labels; labels has a list of texts for "
     "each. "
     "Also gzip-compressed.",
     plain<read_csv>},
    {"io::read_idx(str path) -> Tensor", "An IDX file (MNIST's format), also gzip-compressed.", plain<read_idx>},
    {"io::load_safetensors(str path, *, bool copy=False) -> (str[] names, Tensor[] tensors, str[] keys, str[] values)",
     "Tensors and metadata of a safetensors file. Without copy, tensors view a private mapping of it: a file that is "
     "shortened in place then ends the process with SIGBUS.",
     plain<load_safetensors>},
    {"io::save_safetensors(str path, str[] names, Tensor[] tensors, *, str[]? keys=None, str[]? values=None) -> ()",
     "Writes a safetensors file, completely or not at all; keys and values are its metadata.", plain<save_safetensors>},
};

} // namespace

std::span<const OpDef> io_ops() { return rows; }

} // namespace wick
