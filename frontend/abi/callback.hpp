// SPDX-License-Identifier: BSD-3-Clause
// Functions of the host language: how they are called, and when what they own is destroyed.
#ifndef WICK_ABI_CALLBACK_HPP
#define WICK_ABI_CALLBACK_HPP

#include "wick/value.hpp"
#include <memory>
#include <mutex>

namespace wick::abi {

struct Queue;

/// A host's pointer with its destroy function, as wick/abi.def.h promises to run it: see WICK_ANY_THREAD.
class UserData {
  public:
    /// Nothing is destroyed before arm().
    UserData(void *user, uint32_t flags);
    UserData(const UserData &) = delete;
    void arm(void (*destroy)(void *)) noexcept { destroy_ = destroy; }
    void *get() const noexcept { return user_; }
    /// Ends it: destroys now, or queues that. The object is gone.
    static void drop(void *data) noexcept;

  private:
    friend struct Queue;
    ~UserData() = default;
    void run() noexcept;

    void *const user_;
    void (*destroy_)(void *) = nullptr;
    std::shared_ptr<Queue> home_; // null: any thread
    UserData *next_ = nullptr;    // while it waits
};

/// What waits for one thread.
struct Queue {
    std::mutex mutex;
    UserData *first = nullptr; // behind the mutex
    bool closed = false;       // behind the mutex; the thread has ended
    std::atomic<bool> waiting{false};

    bool push(UserData *data) noexcept;
    uint32_t drain() noexcept;
};

extern __thread Queue *my_queue
    __attribute__((tls_model("initial-exec"))); // null until the thread hands over a callback

inline void drain_if_waiting() noexcept {
    if (my_queue && my_queue->waiting.load(std::memory_order_relaxed)) [[unlikely]]
        my_queue->drain();
}

inline void unset(std::span<Value> values) noexcept {
    for (Value &v : values) v = make_value(WICK_TAG_UNSET, 0);
}
/// Clears values and leaves them UNSET.
inline void drop(std::span<Value> values) noexcept {
    for (Value &v : values) clear(v);
    unset(values);
}

/// Throws what the callback raised. `what` names the callback in errors of its own.
void run_callback(wick_callback fn, void *user, const char *what, std::span<const Value> args,
                  std::span<Value> results);

/// A wick_callback with its user data.
class Callback {
  public:
    Callback(wick_callback fn, void *user, uint32_t flags) : fn_(fn), user_(new UserData(user, flags)) {}
    ~Callback() { UserData::drop(user_); }
    Callback(const Callback &) = delete;
    void arm(void (*destroy)(void *)) noexcept { user_->arm(destroy); }
    void operator()(const char *what, std::span<const Value> args, std::span<Value> results) const {
        run_callback(fn_, user_->get(), what, args, results);
    }

  private:
    const wick_callback fn_;
    UserData *const user_;
};

} // namespace wick::abi
#endif
