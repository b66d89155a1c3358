// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/object.hpp
/// The counted base of everything that crosses the C ABI: tensors, nodes, modules, optimizers.
#ifndef WICK_OBJECT_HPP
#define WICK_OBJECT_HPP

#include "TH/memory.h"
#include "wick/error.hpp"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace wick {

struct Class;

/// What an object is. Numbers are the ABI's tags (wick/abi.def.h).
enum class Kind : uint32_t {
    Tensor = 64,
    String = 65,
    List = 66,
    Function = 67,
    Module = 68,
    Optimizer = 69,
    Node = 70
};

/// Counted from 1 at creation; any thread may retain and release. Memory comes from TH's allocator. Objects that own
/// objects that own objects may be nested as deep as memory allows: the last release() does not recurse for ever.
class WICK_API Object {
  public:
    explicit Object(Kind kind) noexcept : head_{{1}, kind} {}
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    void retain() noexcept { head_.refs.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (head_.refs.load(std::memory_order_acquire) == 1 || head_.refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
            destroy();
    }
    Kind kind() const noexcept { return head_.kind; }
    /// Its entry in the registry of classes, or nullptr.
    virtual const Class *registered_class() const { return nullptr; }
    /// For messages.
    virtual std::string class_name() const { return "object"; }
    /// The object itself, also through one that stands for it.
    virtual Object &self() noexcept { return *this; }
    uint32_t refs() const noexcept { return head_.refs.load(std::memory_order_acquire); }

    static void *operator new(size_t size) {
        void *p = TH_alloc(static_cast<int64_t>(size));
        if (!p) [[unlikely]]
            throw_status(TH_E_MEMORY);
        return p;
    }
    static void operator delete(void *p, size_t size) noexcept { TH_free(p, static_cast<int64_t>(size)); }

  protected:
    virtual ~Object() = default;
    /// Called when the count reaches 0. Deletes at once, or, deep inside other deletions, when those are done.
    virtual void destroy() noexcept;

  private:
    struct Head {
        std::atomic<uint32_t> refs;
        Kind kind;
    };
    union {
        Head head_;
        Object *next_; ///< once nobody owns it and it waits for its deletion
    };
};

/// A counted pointer to an Object.
template <class T> class Ref {
  public:
    Ref() noexcept = default;
    Ref(std::nullptr_t) noexcept {}
    /// Takes over one reference.
    static Ref adopt(T *p) noexcept {
        Ref r;
        r.p_ = p;
        return r;
    }
    /// Adds a reference.
    static Ref share(T *p) noexcept {
        if (p) p->retain();
        return adopt(p);
    }
    Ref(const Ref &o) noexcept : p_(o.p_) {
        if (p_) p_->retain();
    }
    Ref(Ref &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    template <class U> Ref(const Ref<U> &o) noexcept : p_(o.get()) {
        if (p_) p_->retain();
    }
    Ref &operator=(Ref o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    ~Ref() {
        if (p_) p_->release();
    }
    T *get() const noexcept { return p_; }
    T *operator->() const noexcept { return p_; }
    T &operator*() const noexcept { return *p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    /// Gives the reference away.
    T *detach() noexcept { return std::exchange(p_, nullptr); }
    friend bool operator==(const Ref &a, const Ref &b) noexcept { return a.p_ == b.p_; }

  private:
    T *p_ = nullptr;
};

template <class T, class... A> Ref<T> make(A &&...args) { return Ref<T>::adopt(new T(std::forward<A>(args)...)); }

} // namespace wick
#endif
