// SPDX-License-Identifier: BSD-3-Clause
#include "data/random.hpp"
#include "wick/autograd.hpp"
#include "wick/data.hpp"
#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace wick::data {

struct DataLoader::Place {
    int64_t batch = 0;                                            // the next one
    bool drawn = false;                                           // whether an order was
    std::array<unsigned char, TH_GENERATOR_STATE_BYTES> before{}; // the generator, before the order was drawn
};

// A pass over the dataset. Workers claim batch numbers in order, as far as `window_` ahead of the consumer, and leave
// each batch in the slot of its number; the consumer takes them in order. Locks guard the numbers and slots only:
// making and dropping batches, which is where user code runs, happens outside.
class DataLoader::Iterator::Epoch {
  public:
    Epoch(DatasetRef dataset, const DataLoaderOptions &options, std::vector<int64_t> order, int64_t batches,
          std::shared_ptr<Place> place);
    ~Epoch();
    bool done() const noexcept { return place_->batch == batches_; }
    Example next();

  private:
    struct Slot {
        bool ready = false;
        Example batch;
        std::exception_ptr error;
    };
    Example make(int64_t number) const;
    Example make_unchecked(std::span<const int64_t> indices) const;
    void work();
    Slot take();

    const DatasetRef dataset_;
    const DataLoaderOptions options_;
    const std::vector<int64_t> order_;
    const int64_t batches_;
    const std::shared_ptr<Place> place_; // its batch is written by the consumer, under the lock if there are workers

    int64_t window_;
    int64_t claimed_, last_; // guarded, as all below; no batch from last_ on is claimed
    std::vector<Slot> slots_;
    bool stop_ = false;
    std::mutex mutex_;
    std::condition_variable room_, ready_;
    std::vector<std::thread> threads_;
};

DataLoader::Iterator::Epoch::Epoch(DatasetRef dataset, const DataLoaderOptions &options, std::vector<int64_t> order,
                                   int64_t batches, std::shared_ptr<Place> place)
    : dataset_(std::move(dataset)), options_(options), order_(std::move(order)), batches_(batches),
      place_(std::move(place)), window_(std::min(batches - place_->batch, int64_t{options.workers} * options.prefetch)),
      claimed_(place_->batch), last_(batches), slots_(static_cast<size_t>(window_)) {
    auto workers = static_cast<size_t>(std::min<int64_t>(options_.workers, batches_ - place_->batch));
    threads_.reserve(workers); // a thread that runs cannot be thrown away
    try {
        while (threads_.size() < workers) threads_.emplace_back([this] { work(); });
    } catch (const std::exception &) {
        // No more threads, or no memory for them. Those that run, or else the consumer, make the same batches.
    }
}

DataLoader::Iterator::Epoch::~Epoch() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
    }
    room_.notify_all();
    for (std::thread &t : threads_) t.join();
}

Example DataLoader::Iterator::Epoch::make_unchecked(std::span<const int64_t> indices) const {
    NoGrad guard;
    if (!options_.collate) return dataset_->get_batch(indices);
    std::vector<Example> examples;
    for (int64_t i : indices) examples.push_back(dataset_->get(i));
    return options_.collate(std::move(examples));
}

Example DataLoader::Iterator::Epoch::make(int64_t number) const {
    size_t from = static_cast<size_t>(number * options_.batch_size);
    size_t count = std::min(static_cast<size_t>(options_.batch_size), order_.size() - from);
    std::string which = "batch " + std::to_string(number);
    try {
        return make_unchecked(std::span(order_).subspan(from, count));
    } catch (Error &e) {
        e.push_frame({"DataLoader", which});
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &e) {
        std::throw_with_nested(Error(TH_E_CALLBACK, "DataLoader: " + which + ": got an exception: " + e.what()));
    } catch (...) {
        std::throw_with_nested(Error(TH_E_CALLBACK, "DataLoader: " + which + ": got an unknown exception"));
    }
}

void DataLoader::Iterator::Epoch::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        room_.wait(lock, [&] { return stop_ || claimed_ >= last_ || claimed_ < place_->batch + window_; });
        if (stop_ || claimed_ >= last_) return;
        int64_t number = claimed_++;
        lock.unlock();
        Slot made{true, {}, nullptr};
        try {
            made.batch = make(number);
        } catch (...) {
            made.error = std::current_exception();
        }
        lock.lock();
        if (made.error) last_ = std::min(last_, number + 1);
        slots_[static_cast<size_t>(number % window_)] = std::move(made);
        ready_.notify_one();
    }
}

DataLoader::Iterator::Epoch::Slot DataLoader::Iterator::Epoch::take() {
    std::unique_lock lock(mutex_);
    Slot &slot = slots_[static_cast<size_t>(place_->batch % window_)];
    ready_.wait(lock, [&] { return slot.ready; });
    place_->batch++;
    return std::exchange(slot, Slot{});
}

Example DataLoader::Iterator::Epoch::next() {
    if (threads_.empty()) return make(place_->batch++);
    Slot slot = take();
    room_.notify_all();
    if (slot.error) std::rethrow_exception(slot.error);
    return std::move(slot.batch);
}

DataLoader::Iterator::Iterator(std::unique_ptr<Epoch> epoch) : epoch_(std::move(epoch)) { ++*this; }
DataLoader::Iterator::Iterator(Iterator &&) noexcept = default;
DataLoader::Iterator &DataLoader::Iterator::operator=(Iterator &&) noexcept = default;
DataLoader::Iterator::~Iterator() = default;

DataLoader::Iterator &DataLoader::Iterator::operator++() {
    batch_.clear();
    std::unique_ptr<Epoch> epoch = std::move(epoch_); // stays away if the dataset throws
    if (!epoch || epoch->done()) return *this;
    batch_ = epoch->next();
    epoch_ = std::move(epoch);
    return *this;
}

DataLoader::DataLoader(DatasetRef dataset, DataLoaderOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)),
      generator_(options_.seed ? make_generator(*options_.seed) : nullptr), place_(std::make_shared<Place>()) {
    auto want = [](bool fine, const char *name, int64_t got, const char *least) {
        if (!fine)
            throw Error(TH_E_ARG, std::string("DataLoader: got ") + name + " " + std::to_string(got) +
                                      ", want at least " + least);
    };
    if (!dataset_) throw Error(TH_E_ARG, "DataLoader: got no dataset, want one");
    want(options_.batch_size >= 1, "batch_size", options_.batch_size, "1");
    want(options_.workers >= 0, "workers", options_.workers, "0");
    want(options_.prefetch >= 1, "prefetch", options_.prefetch, "1");
}

int64_t DataLoader::size() const noexcept {
    int64_t n = dataset_->size(), full = n / options_.batch_size;
    return full + (!options_.drop_last && n % options_.batch_size != 0);
}

DataLoader::Iterator DataLoader::begin() {
    int64_t n = dataset_->size();
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::shared_ptr<THGenerator> generator = generator_;
    auto place = std::make_shared<Place>();
    if (resume_) {
        *place = *place_;
        if (place->batch >= size()) *place = Place{};
    }
    if (place->drawn) { // an epoch that was under way
        generator = make_generator(0);
        check(THGenerator_set_state(generator.get(), place->before.data()));
    } else {
        THGenerator_get_state(generator.get(), place->before.data());
    }
    if (options_.shuffle)
        order = permutation(n, generator.get());
    else
        std::iota(order.begin(), order.end(), 0);
    place->drawn = true;
    Iterator it(std::make_unique<Iterator::Epoch>(dataset_, options_, std::move(order), size(), place));
    place_ = std::move(place);
    resume_ = false;
    return it;
}

// ---- state ----

namespace {
constexpr const char *BATCH = "batch", *EPOCH = "epoch", *GENERATOR = "generator";

Tensor bytes(const unsigned char *state) { return from_data(state, {TH_GENERATOR_STATE_BYTES}, kUINT8); }

std::vector<unsigned char> generator_state(const std::string &name, const Tensor &t) {
    if (t.dtype() != kUINT8 || t.dim() != 1 || t.numel() != TH_GENERATOR_STATE_BYTES)
        throw Error(TH_E_ARG, "DataLoader.load_state_dict: got '" + name + "' of " + t.describe() + ", want uint8[" +
                                  std::to_string(TH_GENERATOR_STATE_BYTES) + "]");
    Tensor flat = t.detach().contiguous();
    std::vector<unsigned char> state(flat.data<uint8_t>(), flat.data<uint8_t>() + flat.numel());
    check(THGenerator_set_state(make_generator(0).get(), state.data())); // whether it is one
    return state;
}
} // namespace

NamedTensors DataLoader::state_dict() const {
    NamedTensors out{{BATCH, full({}, place_->batch, kINT64)}};
    if (place_->drawn) out.emplace_back(EPOCH, bytes(place_->before.data()));
    if (generator_) {
        unsigned char state[TH_GENERATOR_STATE_BYTES];
        THGenerator_get_state(generator_.get(), state);
        out.emplace_back(GENERATOR, bytes(state));
    }
    return out;
}

void DataLoader::load_state_dict(const NamedTensors &state) {
    auto place = std::make_shared<Place>();
    std::vector<unsigned char> own;
    bool has_batch = false;
    for (const auto &[name, t] : state) {
        if (name == BATCH && t.defined() && t.numel() == 1) {
            place->batch = t.item<int64_t>();
            has_batch = true;
        } else if (name == EPOCH && t.defined()) {
            std::ranges::copy(generator_state(name, t), place->before.begin());
            place->drawn = true;
        } else if (name == GENERATOR && t.defined()) {
            own = generator_state(name, t);
        } else {
            throw Error(TH_E_ARG, "DataLoader.load_state_dict: got '" + name + "' of " + t.describe() +
                                      ", want 'batch', 'epoch' and 'generator' as state_dict gives them");
        }
    }
    if (!has_batch || place->batch < 0 || place->batch > size() || (place->batch && !place->drawn))
        throw Error(TH_E_ARG, "DataLoader.load_state_dict: got batch " +
                                  (has_batch ? std::to_string(place->batch) : "nothing") + ", want 0 to " +
                                  std::to_string(size()) + ", and the epoch it is in");
    if (own.empty() == (generator_ != nullptr))
        throw Error(TH_E_ARG, std::string("DataLoader.load_state_dict: got ") + (own.empty() ? "no" : "a") +
                                  " generator, want " +
                                  (own.empty() ? "one: the loader has a seed" : "none: the loader has no seed"));
    if (generator_) check(THGenerator_set_state(generator_.get(), own.data()));
    place_ = std::move(place);
    resume_ = place_->drawn;
}

} // namespace wick::data
