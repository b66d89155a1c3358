// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"
#include <pthread.h>

namespace wick::abi {

__thread Queue *my_queue = nullptr;

namespace {

// A thread's queue goes when the thread ends, by a key of pthread's: registering a thread_local's destructor aborts the
// process without memory, and one that has run leaves nothing to a destructor of somebody else's key that runs later.
// The main thread's never goes: with it the process ends, and with that, maybe before us, the host language.
struct Home {
    pthread_key_t key;
    bool usable;
};
__thread bool ended = false; // the thread's queue has gone

void leave(void *holder) noexcept {
    std::unique_ptr<std::shared_ptr<Queue>> queue(static_cast<std::shared_ptr<Queue> *>(holder));
    my_queue = nullptr;
    ended = true;
    {
        std::lock_guard lock((*queue)->mutex);
        (*queue)->closed = true;
    }
    (*queue)->drain();
}

const Home &home_key() {
    static const Home home = [] {
        Home h{};
        h.usable = pthread_key_create(&h.key, leave) == 0;
        return h;
    }();
    return home;
}

} // namespace

// The queue outlives its thread as long as user data calls it home. None for a thread that is at its end: what it hands
// over then may be destroyed by any thread.
static std::shared_ptr<Queue> home() {
    if (ended) return nullptr;
    const Home &key = home_key();
    if (my_queue) return *static_cast<std::shared_ptr<Queue> *>(pthread_getspecific(key.key));
    auto holder = std::make_unique<std::shared_ptr<Queue>>(std::make_shared<Queue>());
    if (!key.usable || pthread_setspecific(key.key, holder.get()) != 0)
        throw Error(TH_E_MEMORY, "no memory for what the thread owns");
    my_queue = holder->get();
    return *holder.release();
}

UserData::UserData(void *user, uint32_t flags) : user_(user) {
    if (!(flags & WICK_ANY_THREAD)) home_ = home();
}

void UserData::drop(void *data) noexcept {
    auto *self = static_cast<UserData *>(data);
    if (!self->destroy_ || !self->home_ || !self->home_->push(self)) self->run();
}

void UserData::run() noexcept {
    try {
        if (destroy_) destroy_(user_);
    } catch (...) { // a language that raises through C frames; nobody is left to tell
    }
    delete this;
}

bool Queue::push(UserData *data) noexcept {
    std::lock_guard lock(mutex);
    if (closed) return false;
    data->next_ = std::exchange(first, data);
    waiting.store(true, std::memory_order_relaxed);
    return true;
}

uint32_t Queue::drain() noexcept {
    uint32_t n = 0;
    UserData *list;
    {
        std::lock_guard lock(mutex);
        list = std::exchange(first, nullptr);
        waiting.store(false, std::memory_order_relaxed);
    }
    for (; list; n++) {
        // The data may hold the last reference to this queue.
        std::shared_ptr<Queue> keep = list->home_;
        UserData *next = list->next_;
        list->run();
        list = next;
    }
    return n;
}

void run_callback(wick_callback fn, void *user, const char *what, std::span<const Value> args,
                  std::span<Value> results) {
    unset(results);
    clear_slot();
    bool unwound = false;
    int32_t done = WICK_CB_FAIL;
    try {
        done = fn(user, nullptr, args.data(), static_cast<uint32_t>(args.size()), results.data(),
                  static_cast<uint32_t>(results.size()));
    } catch (...) { // LuaJIT's errors, for one, unwind through C++ frames
        unwound = true;
    }
    std::unique_ptr<wick_error, decltype(&wick_error_free)> raised(take_slot(), wick_error_free);
    if (done == WICK_CB_DONE) return;
    abi::drop(results);
    if (raised) throw Error(raised->error);
    fail(TH_E_CALLBACK,
         unwound ? "%s: an exception of the host language left the callback"
                 : "%s: the callback failed without setting an error",
         what);
}

} // namespace wick::abi

using namespace wick::abi;

uint32_t wick_drain(void) { return my_queue ? my_queue->drain() : 0; }
