// SPDX-License-Identifier: BSD-3-Clause
#include "data/random.hpp"
#include "wick/data.hpp"
#include "wick/ops.hpp"

namespace wick::data {

namespace {
[[noreturn]] void bad_index(const char *function, int64_t index, int64_t size) {
    throw Error(TH_E_INDEX, std::string(function) + ": got index " + std::to_string(index) + ", want one from 0 to " +
                                std::to_string(size - 1));
}

void check_index(const char *function, int64_t index, int64_t size) {
    if (index < 0 || index >= size) bad_index(function, index, size);
}
} // namespace

Example collate(std::span<const Example> examples) {
    if (examples.empty()) throw Error(TH_E_ARG, "collate: got no examples, want at least one");
    Example batch;
    for (size_t k = 0; k < examples[0].size(); k++) {
        std::vector<Tensor> column;
        for (const Example &e : examples) {
            if (e.size() != examples[0].size())
                throw Error(TH_E_ARG, "collate: got examples of " + std::to_string(examples[0].size()) + " and " +
                                          std::to_string(e.size()) + " tensors, want equal numbers");
            column.push_back(e[k]);
        }
        batch.push_back(stack(column));
    }
    return batch;
}

Example Dataset::get_batch(std::span<const int64_t> indices) const {
    std::vector<Example> examples;
    for (int64_t i : indices) examples.push_back(get(i));
    return collate(examples);
}

TensorDataset::TensorDataset(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
    if (tensors_.empty()) throw Error(TH_E_ARG, "TensorDataset: got no tensors, want at least one");
    for (const Tensor &t : tensors_) {
        if (!t.defined() || t.dim() == 0 || t.size(0) != tensors_[0].size(0))
            throw Error(TH_E_SHAPE, "TensorDataset: got " + (t.defined() ? t.describe() : "an undefined tensor") +
                                        ", want tensors whose first sizes agree");
    }
    size_ = tensors_[0].size(0);
}

Example TensorDataset::get(int64_t index) const {
    check_index("TensorDataset::get", index, size_);
    Example example;
    for (const Tensor &t : tensors_) example.push_back(t.select(0, index));
    return example;
}

Example TensorDataset::get_batch(std::span<const int64_t> indices) const {
    for (int64_t i : indices) check_index("TensorDataset::get_batch", i, size_);
    Tensor index = from_data(indices.data(), {static_cast<int64_t>(indices.size())}, kINT64);
    Example batch;
    for (const Tensor &t : tensors_) batch.push_back(index_select(t, 0, index));
    return batch;
}

Subset::Subset(DatasetRef dataset, std::vector<int64_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    if (!dataset_) throw Error(TH_E_ARG, "Subset: got no dataset, want one");
    for (int64_t i : indices_) check_index("Subset", i, dataset_->size());
    if (auto *outer = dynamic_cast<const Subset *>(dataset_.get())) { // chains would go as deep as they are long
        for (int64_t &i : indices_) i = outer->indices_[static_cast<size_t>(i)];
        dataset_ = DatasetRef(outer->dataset_);
    }
}

Example Subset::get(int64_t index) const {
    check_index("Subset::get", index, size());
    return dataset_->get(indices_[static_cast<size_t>(index)]);
}

Example Subset::get_batch(std::span<const int64_t> indices) const {
    std::vector<int64_t> inner;
    for (int64_t i : indices) {
        check_index("Subset::get_batch", i, size());
        inner.push_back(indices_[static_cast<size_t>(i)]);
    }
    return dataset_->get_batch(inner);
}

std::vector<std::shared_ptr<const Subset>> random_split(const DatasetRef &dataset, Sizes sizes, uint64_t seed) {
    if (!dataset) throw Error(TH_E_ARG, "random_split: got no dataset, want one");
    int64_t left = dataset->size();
    bool fits = true;
    for (int64_t n : sizes) {
        fits = fits && n >= 0 && n <= left;
        if (fits) left -= n;
    }
    if (!fits || left != 0)
        throw Error(TH_E_ARG,
                    "random_split: got sizes that do not add up, want them to make " + std::to_string(dataset->size()));
    std::vector<int64_t> order = permutation(dataset->size(), make_generator(seed).get());
    std::vector<std::shared_ptr<const Subset>> parts;
    for (auto next = order.begin(); int64_t n : sizes) {
        parts.push_back(std::make_shared<const Subset>(dataset, std::vector<int64_t>(next, next + n)));
        next += n;
    }
    return parts;
}

} // namespace wick::data
