// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/data.hpp
/// Datasets, the loader that makes batches of them, and readers of files.
///
///     auto set = std::make_shared<data::TensorDataset>(std::vector{images, labels});
///     data::DataLoader loader(set, {.batch_size = 32, .shuffle = true, .workers = 1});
///     for (const data::Example &batch : loader) train(batch[0], batch[1]);
#ifndef WICK_DATA_HPP
#define WICK_DATA_HPP

#include "wick/tensor.hpp"
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wick::data {

/// What belongs together: usually {input, target}. Of one sample, or of a batch.
using Example = std::vector<Tensor>;

/// Samples under the numbers 0 ... size() - 1. Several threads call the const methods at once.
class WICK_API Dataset {
  public:
    virtual ~Dataset() = default;
    virtual int64_t size() const = 0;
    virtual Example get(int64_t index) const = 0;
    /// Those samples, each tensor stacked along a new first dimension.
    virtual Example get_batch(std::span<const int64_t> indices) const;
};
using DatasetRef = std::shared_ptr<const Dataset>;

/// Stacks the first tensors of all examples, the second ones, and so on. ArgumentError if their numbers differ.
WICK_API Example collate(std::span<const Example> examples);

/// Rows of tensors whose first sizes agree.
class WICK_API TensorDataset final : public Dataset {
  public:
    explicit TensorDataset(std::vector<Tensor> tensors);
    int64_t size() const override { return size_; }
    Example get(int64_t index) const override;
    Example get_batch(std::span<const int64_t> indices) const override;
    const std::vector<Tensor> &tensors() const noexcept { return tensors_; }

  private:
    std::vector<Tensor> tensors_;
    int64_t size_;
};

/// Some samples of another dataset, in the order given. Of a Subset it is a subset of that one's dataset.
class WICK_API Subset final : public Dataset {
  public:
    Subset(DatasetRef dataset, std::vector<int64_t> indices);
    int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
    Example get(int64_t index) const override;
    Example get_batch(std::span<const int64_t> indices) const override;
    /// In dataset(), which is no Subset.
    const std::vector<int64_t> &indices() const noexcept { return indices_; }
    const DatasetRef &dataset() const noexcept { return dataset_; }

  private:
    DatasetRef dataset_;
    std::vector<int64_t> indices_;
};

/// Splits into parts of the given sizes, which add up to the dataset's: consecutive pieces of randperm(size) of a
/// generator with that seed.
WICK_API std::vector<std::shared_ptr<const Subset>> random_split(const DatasetRef &dataset, Sizes sizes,
                                                                 uint64_t seed = 0);

struct DataLoaderOptions {
    int64_t batch_size = 1;
    bool shuffle = false;
    /// Of the loader's own generator, which shuffles. None: the process-wide generator does, at the start of each
    /// epoch, and so follows manual_seed.
    std::optional<uint64_t> seed = {};
    bool drop_last = false; ///< whether to leave out a last batch that is not full
    int32_t workers = 0;    ///< threads that make batches ahead; 0: the consumer makes them
    int32_t prefetch = 2;   ///< batches each worker may be ahead
    /// Makes a batch of samples instead of the dataset's get_batch; called by any worker.
    std::function<Example(std::vector<Example>)> collate = {};
};

/// Goes through a dataset in batches, as often as one likes. Batches, their order and errors do not depend on the
/// number of workers. Nothing is recorded for gradients while batches are made.
///
/// What a dataset or collate function throws reaches the consumer at the turn of that batch: an Error with a frame that
/// says which it was, any other exception nested in a CallbackError that does. The epoch is over then.
class WICK_API DataLoader {
  public:
    explicit DataLoader(DatasetRef dataset, DataLoaderOptions options = {});
    DataLoader(DataLoader &&) noexcept = default;
    DataLoader &operator=(DataLoader &&) noexcept = default;

    /// Batches per epoch.
    int64_t size() const noexcept;
    const DatasetRef &dataset() const noexcept { return dataset_; }

    /// One pass over the dataset. Owns its workers; outlives the loader if need be.
    class WICK_API Iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Example;
        using difference_type = std::ptrdiff_t;
        using pointer = const Example *;
        using reference = const Example &;

        const Example &operator*() const noexcept { return batch_; }
        const Example *operator->() const noexcept { return &batch_; }
        Iterator &operator++();
        bool operator==(std::default_sentinel_t) const noexcept { return !epoch_; }

        Iterator(Iterator &&) noexcept;
        Iterator &operator=(Iterator &&) noexcept;
        ~Iterator();

      private:
        friend class DataLoader;
        class Epoch;
        explicit Iterator(std::unique_ptr<Epoch> epoch);
        std::unique_ptr<Epoch> epoch_; // none at the end
        Example batch_;
    };
    /// Starts an epoch; with shuffle, each in another order. The first time after load_state_dict it goes on with the
    /// epoch that was under way, if there was one.
    Iterator begin();
    std::default_sentinel_t end() const noexcept { return {}; }

    /// Where the epoch begun last is: "batch", how many batches it has given out; "epoch", the generator as it was
    /// before the epoch's order was drawn; "generator", the loader's own now. With a seed of its own, the loader needs
    /// no more to go on; otherwise the process-wide generator (get_rng_state) belongs to the state.
    NamedTensors state_dict() const;
    /// For a loader of the same dataset and options. ArgumentError, and nothing changed, for what state_dict() did not
    /// make.
    void load_state_dict(const NamedTensors &state);

  private:
    struct Place; // of an epoch
    DatasetRef dataset_;
    DataLoaderOptions options_;
    std::shared_ptr<THGenerator> generator_; // null: the process-wide one
    std::shared_ptr<Place> place_;           // of the epoch begun last, which writes it
    bool resume_ = false;
};

// ---- readers; all take gzip-compressed files too. NotFoundError, or IOError naming the file and the place of the
// fault ----

/// An IDX file (MNIST's format: http://yann.lecun.com/exdb/mnist) of uint8, int8, int16, int32, float32 or float64.
WICK_API Tensor read_idx(const std::string &path);

struct CsvOptions {
    char delimiter = ',';
    bool header = false; ///< whether the first line names the columns
    /// Whether empty fields, NA, N/A, null and None are NaN. Otherwise they are faults (nan is a number always).
    bool missing = false;
    /// Columns (by number, from 0) of text: each becomes the number of its label in Csv::labels.
    std::vector<int64_t> text = {};
};
struct Csv {
    std::vector<std::string> columns; ///< names; empty without a header
    Tensor values;                    ///< float64 [rows, columns]
    /// Of each column in CsvOptions::text, in that order: its different texts, sorted, so that label k is number k. A
    /// missing one is NaN, if that is allowed.
    std::vector<std::vector<std::string>> labels;
};
/// Numbers in lines of equal length, and text in the columns that the options name. Fields may stand in double quotes
/// and between spaces or tabs; empty lines are skipped; lines end in LF or CRLF.
WICK_API Csv read_csv(const std::string &path, CsvOptions options = {});

} // namespace wick::data
#endif
