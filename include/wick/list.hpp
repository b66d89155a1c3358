// SPDX-License-Identifier: BSD-3-Clause
/// @file wick/list.hpp
/// Lists of numbers and tensors as arguments.
#ifndef WICK_LIST_HPP
#define WICK_LIST_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace wick {

namespace detail {
/// What a list owns: a few numbers in place, anything else in a vector.
template <class T, bool flat = std::is_trivially_copyable_v<T>> struct Owned {
    static constexpr size_t FEW = 6;
    T few[FEW];
    std::vector<T> many;
};
template <class T> struct Owned<T, false> { std::vector<T> many; };
} // namespace detail

/// A list as an argument: `f({2, 3})`, `f(vector)`, `f(t.sizes())`. It owns what stands in braces and vectors that are
/// moved in (a few numbers without an allocation), so that `Sizes s = {2, 3}` may be kept; it borrows from spans,
/// pointers and vectors that have a name, which must outlive it.
template <class T> class ListView : public std::span<const T> {
    using Span = std::span<const T>;

  public:
    ListView() noexcept {}
    /// Inlined, where the compiler knows how many there are.
    [[gnu::always_inline]] ListView(std::initializer_list<T> list) { own({list.begin(), list.size()}); }
    ListView(const std::vector<T> &v) noexcept : Span(v) {}
    ListView(std::vector<T> &&v) noexcept { own(std::move(v)); }
    ListView(Span s) noexcept : Span(s) {}
    ListView(const T *p, size_t n) noexcept : Span(p, n) {}
    ListView(const ListView &o) : Span(o) {
        if (o.owns()) own(o);
    }
    ListView(ListView &&o) noexcept : Span(o) {
        if (o.owns()) take(o);
    }
    ListView &operator=(ListView o) noexcept {
        Span::operator=(o);
        if (o.owns()) take(o);
        return *this;
    }

  private:
    bool owns() const noexcept {
        if constexpr (std::is_trivially_copyable_v<T>)
            if (this->data() == owned_.few) return true;
        return !owned_.many.empty() && this->data() == owned_.many.data();
    }
    [[gnu::always_inline]] void own(Span list) {
        if constexpr (std::is_trivially_copyable_v<T>)
            if (list.size() <= owned_.FEW) {
                std::copy(list.begin(), list.end(), owned_.few);
                Span::operator=(Span(owned_.few, list.size()));
                return;
            }
        own(std::vector<T>(list.begin(), list.end()));
    }
    void own(std::vector<T> &&v) noexcept {
        owned_.many = std::move(v);
        Span::operator=(Span(owned_.many));
    }
    /// What another list, which is going, owns.
    void take(ListView &o) noexcept {
        if (o.data() == o.owned_.many.data())
            own(std::move(o.owned_.many));
        else
            own(Span(o)); // few, without an allocation
    }

    detail::Owned<T> owned_;
};
using Sizes = ListView<int64_t>;
using Dims = ListView<int32_t>;

/// A number for each of N spatial dimensions; one number is all of them.
template <size_t N> struct PerDim {
    constexpr PerDim(int64_t all) {
        for (int64_t &each : v) each = all;
    }
    template <std::convertible_to<int64_t>... I>
    requires(N > 1 && sizeof...(I) == N) constexpr PerDim(I... each) : v{static_cast<int64_t>(each)...} {}
    operator Sizes() const {
        if constexpr (N == 1) return {v[0]};
        if constexpr (N == 2) return {v[0], v[1]};
        if constexpr (N == 3) return {v[0], v[1], v[2]};
    }
    int64_t v[N];
};
using Single = PerDim<1>;
using Pair = PerDim<2>;   ///< height and width
using Triple = PerDim<3>; ///< depth, height and width

/// A text beside overloads that take numbers: 0 is none, while a std::string_view would take it for a null pointer.
struct Text {
    template <class T>
    requires std::convertible_to<const T &, std::string_view> Text(const T &text) : v(text) {}
    std::string_view v;
};

} // namespace wick
#endif
