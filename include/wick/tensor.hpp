// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/tensor.hpp
/// The tensor: one TH tensor plus what autograd knows about it. A value type; copies share.
#ifndef WICK_TENSOR_HPP
#define WICK_TENSOR_HPP

#include "TH/TH.h"
#include "wick/device.hpp"
#include "wick/error.hpp"
#include "wick/list.hpp"
#include "wick/object.hpp"
#include <concepts>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace wick {

class Tensor;
class Node;
struct TensorImpl;

/// Element types as a C++ enumeration; the numbers are THDtype's.
enum class DType : int32_t {
#define TH_DTYPE(NAME, code, name, ctype, kind) name##_ = code,
#include "TH/dtype.def"
#undef TH_DTYPE
    none = TH_DTYPE_DEFAULT
};
#define TH_DTYPE(NAME, code, name, ctype, kind) inline constexpr DType k##NAME = DType::name##_;
#include "TH/dtype.def"
#undef TH_DTYPE

/// The DType of a C++ arithmetic type.
template <class T> constexpr DType dtype_of();

/// A number as an argument of ops.
struct Scalar : THScalar {
    template <std::same_as<bool> T> Scalar(T value) : THScalar{TH_SCALAR_BOOL, 0, {.i = value}} {}
    /// ArgumentError for an unsigned value beyond int64.
    template <class T>
    requires((std::integral<T> && !std::same_as<T, bool>) || (std::is_enum_v<T> && std::convertible_to<T, int64_t>))
        Scalar(T value)
        : THScalar{TH_SCALAR_INT, 0, {.i = static_cast<int64_t>(value)}} {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(int64_t))
            if (value > INT64_MAX) too_large(value);
    }
    template <std::floating_point T>
    Scalar(T value) : THScalar{TH_SCALAR_FLOAT, 0, {.d = static_cast<double>(value)}} {}
    explicit Scalar(const THScalar &s) : THScalar(s) {}
    double to_double() const { return kind == TH_SCALAR_FLOAT ? v.d : static_cast<double>(v.i); }
    /// Converted as C++ does, but ArgumentError for what an integer type cannot hold.
    template <class T> T to() const {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(to_double());
        else if constexpr (std::same_as<T, bool>)
            return kind == TH_SCALAR_FLOAT ? v.d != 0 : v.i != 0;
        else
            return static_cast<T>(to_integer(static_cast<int64_t>(std::numeric_limits<T>::min()),
                                             static_cast<uint64_t>(std::numeric_limits<T>::max())));
    }

  private:
    WICK_API static void too_large [[noreturn]] (uint64_t value);
    /// The bits of the number without its fraction, if that lies in [lowest, highest].
    WICK_API uint64_t to_integer(int64_t lowest, uint64_t highest) const;
};

/// Called with a tensor's gradient during backward; a defined result replaces it.
using TensorHook = std::function<Tensor(const Tensor &grad)>;

/// What autograd keeps beside a TH tensor. Fields belong to the frontend; use Tensor's methods.
struct WICK_API TensorImpl final : Object {
    explicit TensorImpl(THTensor *adopted) noexcept;
    TensorImpl(THTensor *adopted, uint8_t where) noexcept; ///< its place is known
    ~TensorImpl() override;

    THTensor *th;
    std::atomic<uint32_t> flags{0};
    uint32_t output = 0;                 ///< which of the node's results it is
    const uint8_t place;                 ///< 0: dense on the CPU; else the type of its device
    std::atomic<uint32_t> generation{0}; ///< recorded in-place changes; of a view: its root's when `node` was found
    Ref<Node> node;                      ///< who made it, or the Leaf that takes its gradient to it
    Ref<TensorImpl> grad;
    Ref<TensorImpl> root; ///< of a view: the tensor whose history a write into it changes; never a view itself

    enum : uint32_t {
        FROZEN = 1, ///< a leaf that requires no gradient for now
        RETAINS_GRAD = 2,
        LOCKED = 4,        ///< somebody looks up a view's history
        OVERWRITTEN = 8,   ///< stands for the value before an in-place op, whose input it is: who saves it copies it
        RESULT = 16,       ///< of an in-place op, about to be written: who saves it saves the next version
        UNRECORDED = 32,   ///< a view made while recording was off
        SIBLING = 64,      ///< a view that an op made together with others
        USED_AS_GRAD = 128 ///< set_grad() gave it to a tensor
    };
    /// Whether the root got another history since this view looked.
    bool stale() const noexcept {
        return root && generation.load(std::memory_order_acquire) != root->generation.load(std::memory_order_relaxed);
    }
    bool requires_grad() const noexcept {
        if (root) [[unlikely]]
            return view_requires_grad();
        return node && !(flags.load(std::memory_order_relaxed) & FROZEN);
    }

  private:
    bool view_requires_grad() const noexcept;

  protected:
    void destroy() noexcept override {
        if (grad) return Object::destroy();
        delete this; // releases at most a node and a root, which do not recurse
    }
};

/// Behind the methods of Tensor that are ops: methods::call_relu calls wick::relu.
namespace methods {
#define WICK_METHOD_METHOD(fn) struct call_##fn;
#define WICK_METHOD_PROPERTY(fn) struct call_##fn;
#define WICK_METHOD_IN_PLACE(fn) struct call_##fn;
#define WICK_METHOD_(fn)
#define WICK_ROW(R, fn, variant, params, text, doc, ...) WICK_METHOD_##__VA_ARGS__(fn)
#include "wick/ops/all.def"
#undef WICK_METHOD_METHOD
#undef WICK_METHOD_PROPERTY
#undef WICK_METHOD_IN_PLACE

/// What braces as an op's second argument hold, for those that take sizes or dims there.
template <class Op> struct Braces {};
template <class Op>
requires std::is_invocable_v<Op, Tensor &, Sizes>
struct Braces<Op> {
    using type = std::initializer_list<int64_t>;
};
template <class Op>
requires std::is_invocable_v<Op, Tensor &, Dims>
struct Braces<Op> {
    using type = std::initializer_list<int32_t>;
};
} // namespace methods

struct BackwardOptions {
    bool retain_graph = false; ///< keep saved tensors, so that backward can run again
    bool create_graph = false; ///< record backward itself; implies retain_graph
};

class WICK_API Tensor {
  public:
    Tensor() noexcept = default;
    /// Takes over one reference to a TH tensor.
    static Tensor adopt(THTensor *th);
    static Tensor adopt(THTensor *th, uint8_t place); ///< its impl's place is known
    /// Implementation pointer; takes over one reference (borrowing: Ref::share).
    explicit Tensor(Ref<TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
    /// A number: 0-dim, weak in type promotion, so that `x * 2` keeps x's dtype.
    Tensor(const Scalar &value);
    template <class T>
    requires std::is_arithmetic_v<T> Tensor(T value) : Tensor(Scalar(value)) {}

    Tensor(const Tensor &) noexcept = default;
    Tensor(Tensor &&) noexcept = default;
    Tensor &operator=(const Tensor &) &noexcept = default;
    Tensor &operator=(Tensor &&) &noexcept = default;
    /// Assigning to a temporary writes into it, broadcast and cast, as copy_ and fill_ do: `x[0] = y`, `x.t() = 5`.
    Tensor operator=(const Tensor &src) &&;
    Tensor operator=(Tensor &&src) &&;
    template <class T>
    requires std::is_arithmetic_v<T> Tensor operator=(T value) &&;

    bool defined() const noexcept { return static_cast<bool>(impl_); }
    explicit operator bool() const = delete;
    TensorImpl *impl() const noexcept { return impl_.get(); }
    /// The TH tensor, borrowed; NULL if undefined.
    THTensor *th() const noexcept { return impl_ ? impl_->th : nullptr; }

    // ---- descriptor; all but defined() throw on an undefined tensor ----
    int32_t dim() const;
    std::span<const int64_t> sizes() const; ///< borrowed from the tensor, as strides()
    std::span<const int64_t> strides() const;
    int64_t size(int32_t dim) const;
    int64_t numel() const;
    DType dtype() const;
    Device device() const;
    bool is_contiguous() const;
    bool is_floating_point() const;
    std::string describe() const;  ///< "float32[2, 3]"
    std::string to_string() const; ///< elements too, cut for large tensors

    /// First element of a CPU tensor whose dtype is T's.
    template <class T> T *data() const { return static_cast<T *>(data(dtype_of<T>())); }
    /// The only element, converted as Scalar::to does.
    template <class T> T item() const { return item_scalar().to<T>(); }
    Scalar item_scalar() const;

    // ---- autograd ----
    bool requires_grad() const noexcept { return impl_ && impl_->requires_grad(); }
    /// For leaves of floating dtype.
    Tensor &requires_grad_(bool on = true);
    bool is_leaf() const noexcept;
    Tensor grad() const; ///< undefined if there is none
    /// Refuses what would make a cycle: a tensor as its own gradient, or as that of its gradient.
    void set_grad(Tensor grad);
    Ref<Node> grad_fn() const; ///< null for leaves
    void backward(const Tensor &grad = {}, BackwardOptions options = {}) const;
    /// Keeps the gradient of a non-leaf too.
    void retain_grad();
    /// Returns a number for remove_hook.
    uint64_t register_hook(TensorHook hook);
    void remove_hook(uint64_t id);
    /// Counts in-place changes of the storage.
    uint64_t version() const;

    // ---- the ops that are methods, by their rows in wick/ops/*.def: x.sum({0}) is sum(x, {0}) ----
#define WICK_METHOD_METHOD(fn) WICK_TENSOR_METHOD(fn, const)
#define WICK_METHOD_PROPERTY(fn) WICK_TENSOR_METHOD(fn, const)
#define WICK_METHOD_IN_PLACE(fn) WICK_TENSOR_METHOD(fn, )
#define WICK_METHOD_(fn)
#define WICK_TENSOR_METHOD(fn, CONST)                                                                                  \
    template <class Op = methods::call_##fn, class... A>                                                               \
    auto fn(A &&...a) CONST->std::invoke_result_t<Op, CONST Tensor &, A...> {                                          \
        return Op()(*this, std::forward<A>(a)...);                                                                     \
    }                                                                                                                  \
    template <class Op = methods::call_##fn, class... A>                                                               \
    auto fn(typename methods::Braces<Op>::type list, A &&...a) CONST {                                                 \
        return Op()(*this, list, std::forward<A>(a)...);                                                               \
    }
#define WICK_ROW(R, fn, variant, params, text, doc, ...) WICK_METHOD_##__VA_ARGS__(fn)
#include "wick/ops/all.def"
#undef WICK_TENSOR_METHOD
#undef WICK_METHOD_METHOD
#undef WICK_METHOD_PROPERTY
#undef WICK_METHOD_IN_PLACE
    Tensor &zero_();
    Tensor operator[](int64_t index) const; ///< select(0, index)
    Tensor &operator+=(const Tensor &o);
    Tensor &operator-=(const Tensor &o);
    Tensor &operator*=(const Tensor &o);
    Tensor &operator/=(const Tensor &o);

  private:
    void *data(DType want) const;
    Ref<TensorImpl> impl_;
};

WICK_API std::ostream &operator<<(std::ostream &os, const Tensor &t);

/// Tensors under names, in order.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// A copy of `numel` elements at p.
WICK_API Tensor from_data(const void *p, Sizes sizes, DType dtype);
/// Wraps foreign memory; `deleter` runs when the last tensor over it goes, not if this fails.
WICK_API Tensor from_blob(void *p, Sizes sizes, DType dtype, std::function<void()> deleter = {});
/// A vector of the elements' own dtype, but, as in PyTorch, of the default dtype for floating literals
/// (`tensor({1.0})`) and of int64 for integer ones (`tensor({1})`). `tensor<double>({1})` says which.
template <class T> Tensor tensor(std::initializer_list<T> values) {
    return from_data(std::data(values), {static_cast<int64_t>(values.size())}, dtype_of<T>());
}
WICK_API Tensor tensor(std::initializer_list<double> values);
WICK_API Tensor tensor(std::initializer_list<int> values);
template <class T> Tensor tensor(const std::vector<T> &values) {
    return from_data(values.data(), {static_cast<int64_t>(values.size())}, dtype_of<T>());
}

template <> constexpr DType dtype_of<bool>() { return kBOOL; }
template <> constexpr DType dtype_of<uint8_t>() { return kUINT8; }
template <> constexpr DType dtype_of<int8_t>() { return kINT8; }
template <> constexpr DType dtype_of<int16_t>() { return kINT16; }
template <> constexpr DType dtype_of<int32_t>() { return kINT32; }
template <> constexpr DType dtype_of<int64_t>() { return kINT64; }
template <> constexpr DType dtype_of<float>() { return kFLOAT32; }
template <> constexpr DType dtype_of<double>() { return kFLOAT64; }

} // namespace wick

#include "wick/ops.hpp"
#endif
