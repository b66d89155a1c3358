// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/value.hpp
/// Between the ABI's tagged values and C++ types. box() makes a value that owns what it holds; unbox<T>() reads a
/// borrowed one.
#ifndef WICK_VALUE_HPP
#define WICK_VALUE_HPP

#include "wick/registry.hpp"
#include <concepts>
#include <string>
#include <type_traits>

namespace wick {

inline wick_object *handle(Object *o) noexcept { return reinterpret_cast<wick_object *>(o); }
inline Object *object(wick_object *h) noexcept { return reinterpret_cast<Object *>(h); }

/// Whether a value holds a counted reference.
inline bool is_object(const Value &v) noexcept { return v.tag >= WICK_TAG_TENSOR && v.tag != WICK_TAG_UNSET; }

/// Drops the reference, if there is one; the value becomes NONE.
WICK_API void clear(Value &v) noexcept;
/// A value that owns its content: objects are retained; strings become String objects, lists List objects of copied
/// items.
WICK_API Value copy(const Value &v);
/// For messages: "int 3", "str 'mean'", "Tensor float32[2, 3]", "list of 2".
WICK_API std::string describe(const Value &v);

/// Text behind a counted object (Kind::String).
struct WICK_API StringObject final : Object {
    explicit StringObject(std::string s) : Object(Kind::String), text(std::move(s)) {}
    const std::string text;
};

/// A list of values that it owns (Kind::List).
struct WICK_API ListObject final : Object {
    ListObject() : Object(Kind::List) {}
    ~ListObject() override;
    std::vector<Value> items;
};

/// A value that clears itself.
class OwnedValue {
  public:
    OwnedValue() = default;
    explicit OwnedValue(Value owned) noexcept : v_(owned) {}
    OwnedValue(OwnedValue &&o) noexcept : v_(o.release()) {}
    OwnedValue &operator=(OwnedValue &&o) noexcept {
        std::swap(v_, o.v_);
        return *this;
    }
    ~OwnedValue() { clear(v_); }
    const Value &get() const noexcept { return v_; }
    operator const Value &() const noexcept { return v_; }
    /// Gives the content away.
    Value release() noexcept { return std::exchange(v_, Value{}); }

  private:
    Value v_{};
};

// ---- from C++: the result owns ----

inline Value make_value(uint32_t tag, int64_t i) noexcept { return {tag, 0, {.i = i}}; }
/// Takes over a reference; null is NONE.
inline Value box_object(Object *adopted) noexcept {
    return adopted ? Value{static_cast<uint32_t>(adopted->kind()), 0, {.o = handle(adopted)}} : Value{};
}
inline Value box(std::nullopt_t) noexcept { return {}; }
inline Value box(std::same_as<bool> auto b) noexcept { return make_value(WICK_TAG_BOOL, b); }
inline Value box(Device d) noexcept { return {WICK_TAG_DEVICE, 0, {.bits = d.code}}; }
inline Value box(DType d) noexcept { return make_value(WICK_TAG_DTYPE, static_cast<int64_t>(d)); }
template <std::integral T>
requires(!std::same_as<T, bool>) Value box(T i)
noexcept { return make_value(WICK_TAG_INT, static_cast<int64_t>(i)); }
inline Value box(std::floating_point auto f) noexcept { return {WICK_TAG_FLOAT, 0, {.f = f}}; }
inline Value box(const Scalar &s) noexcept {
    return s.kind == TH_SCALAR_FLOAT ? box(s.v.d)
                                     : make_value(s.kind == TH_SCALAR_BOOL ? WICK_TAG_BOOL : WICK_TAG_INT, s.v.i);
}
/// An undefined tensor is NONE.
inline Value box(const Tensor &t) noexcept {
    return box_object(Ref<Object>(Ref<TensorImpl>::share(t.impl())).detach());
}
inline Value box(std::string s) { return box_object(new StringObject(std::move(s))); }
inline Value box(std::string_view s) { return box(std::string(s)); }
inline Value box(const char *s) { return box(std::string(s)); }
template <std::derived_from<Object> T> Value box(Ref<T> o) noexcept { return box_object(o.detach()); }
inline Value box(const Value &v) { return copy(v); }
template <class T> Value box(const std::optional<T> &v) { return v ? box(*v) : Value{}; }
/// Lists of anything that has a box().
template <class T> Value box(const std::vector<T> &list) {
    auto out = make<ListObject>();
    out->items.reserve(list.size());
    for (const auto &item : list) out->items.push_back(box(item));
    return box(std::move(out));
}

// ---- to C++: the result may borrow from the value; a value of another kind is TypeError "got ..., want ..." ----

/// How a C++ type is read from a value, and what a schema calls it. get() may return another type that converts to T
/// and owns what T borrows.
template <class T> struct Unbox;
template <class T> using Bare = std::remove_cvref_t<T>;
template <class T> auto unbox(const Value &v) { return Unbox<Bare<T>>::get(v); }

#define WICK_UNBOX(T, R, text)                                                                                         \
    template <> struct WICK_API Unbox<T> {                                                                             \
        static R get(const Value &v);                                                                                  \
        static std::string type() { return text; }                                                                     \
    };
WICK_UNBOX(Tensor, Tensor, "Tensor") ///< numbers become number tensors, NONE undefined
WICK_UNBOX(Scalar, Scalar, "Scalar")
WICK_UNBOX(int64_t, int64_t, "int")
WICK_UNBOX(int32_t, int32_t, "int")
WICK_UNBOX(uint64_t, uint64_t, "int") ///< its bits, for seeds
WICK_UNBOX(double, double, "float")   ///< from integers too
WICK_UNBOX(bool, bool, "bool")
WICK_UNBOX(std::string_view, std::string_view, "str") ///< borrows; from STR and String objects
WICK_UNBOX(DType, DType, "dtype")                     ///< NONE is DType::none
WICK_UNBOX(Device, Device, "device")                  ///< also by name; NONE is the CPU
WICK_UNBOX(Single, Single, "int[1]")                  ///< one integer
WICK_UNBOX(Pair, Pair, "int[2]")                      ///< one or two integers
WICK_UNBOX(Triple, Triple, "int[3]")                  ///< one or three integers
WICK_UNBOX(Sizes, Sizes, "int[]")                     ///< borrows; one integer is a list of one, NONE an empty list
WICK_UNBOX(Dims, std::vector<int32_t>, "int[]")
WICK_UNBOX(std::vector<int64_t>, std::vector<int64_t>, "int[]")
WICK_UNBOX(std::vector<double>, std::vector<double>, "float[]")
#undef WICK_UNBOX

/// Borrowed items of a VALUES view or a List object.
WICK_API std::span<const Value> unbox_items(const Value &v);
/// The object, borrowed; TypeError unless it is of that kind.
WICK_API Object *unbox_object(const Value &v, Kind kind);

template <> struct Unbox<Text> {
    static Text get(const Value &v) { return unbox<std::string_view>(v); }
    static std::string type() { return "str"; }
};
template <> struct Unbox<std::string> {
    static std::string get(const Value &v) { return std::string(unbox<std::string_view>(v)); }
    static std::string type() { return "str"; }
};
template <> struct Unbox<Value> {
    static const Value &get(const Value &v) { return v; }
    static std::string type() { return "any"; }
};
/// Any object; modules and optimizers have their own (wick/nn/module.hpp, wick/optim/optimizer.hpp).
template <> struct WICK_API Unbox<Ref<Object>> {
    static Ref<Object> get(const Value &v);
    static std::string type() { return "any"; }
};
template <class T> struct Unbox<std::optional<T>> {
    static std::optional<T> get(const Value &v) {
        return v.tag == WICK_TAG_NONE ? std::optional<T>() : std::optional<T>(unbox<T>(v));
    }
    static std::string type() { return Unbox<T>::type() + "?"; }
};
template <class T> struct Unbox<std::vector<T>> {
    static std::vector<T> get(const Value &v) {
        std::vector<T> out;
        for (const Value &item : unbox_items(v)) out.push_back(unbox<T>(item));
        return out;
    }
    static std::string type() { return Unbox<T>::type() + "[]"; }
};
template <class T> struct Unbox<ListView<T>> : Unbox<std::vector<T>> {};

} // namespace wick
#endif
