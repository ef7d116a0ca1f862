// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/half_type.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

template <class T_, std::size_t N_> class marray;

namespace detail {

/// How many elements a constructor argument of `marray<T, ...>` stands for; 0 if it cannot be one.
template <class T_, class Argument> struct marray_elements {
  static constexpr std::size_t value = std::is_convertible_v<Argument, T_> ? 1 : 0;
};
template <class T_, std::size_t M_> struct marray_elements<T_, marray<T_, M_>> {
  static constexpr std::size_t value = M_;
};

template <class T_> struct is_marray : std::false_type {};
template <class T_, std::size_t N_> struct is_marray<marray<T_, N_>> : std::true_type {};
template <class T_> inline constexpr bool is_marray_v = is_marray<T_>::value;

} // namespace detail

/// N values side by side (SYCL 2020, 4.14.3.3): the layout is that of an array, the operators work on each element.
template <class T_, std::size_t N_> class marray {
  static_assert(N_ >= 1, "an marray has at least one element");

public:
  using value_type = T_;
  using reference = T_ &;
  using const_reference = const T_ &;
  using iterator = T_ *;
  using const_iterator = const T_ *;

  constexpr marray() : values_{} {}
  explicit constexpr marray(const T_ &value) : values_{} {
    for (std::size_t i = 0; i < N_; ++i)
      values_[i] = value;
  }
  /// Values and shorter arrays that add up to N elements.
  template <class... Args,
            std::enable_if_t<(sizeof...(Args) > 1) && ((detail::marray_elements<T_, Args>::value != 0) && ...) &&
                                 (0 + ... + detail::marray_elements<T_, Args>::value) == N_,
                             int> = 0>
  constexpr marray(const Args &...args) : values_{} {
    std::size_t at = 0;
    (append(at, args), ...);
  }

  static constexpr std::size_t size() noexcept { return N_; }

  constexpr reference operator[](std::size_t index) { return values_[index]; }
  constexpr const_reference operator[](std::size_t index) const { return values_[index]; }
  constexpr iterator begin() { return values_; }
  constexpr const_iterator begin() const { return values_; }
  constexpr iterator end() { return values_ + N_; }
  constexpr const_iterator end() const { return values_ + N_; }

  template <class U_ = T_, std::size_t M_ = N_, std::enable_if_t<M_ == 1 && std::is_same_v<U_, T_>, int> = 0>
  constexpr operator U_() const {
    return values_[0];
  }

  marray &operator=(const marray &) = default;
  constexpr marray(const marray &) = default;
  constexpr marray &operator=(const T_ &value) {
    for (std::size_t i = 0; i < N_; ++i)
      values_[i] = value;
    return *this;
  }

#define SYCLRTC_DETAIL_MARRAY_BINARY(result, op)                                                                       \
  friend constexpr marray<result, N_> operator op(const marray &a, const marray &b) {                                  \
    marray<result, N_> r;                                                                                              \
    for (std::size_t i = 0; i < N_; ++i)                                                                               \
      r[i] = static_cast<result>(a[i] op b[i]);                                                                        \
    return r;                                                                                                          \
  }                                                                                                                    \
  friend constexpr marray<result, N_> operator op(const marray &a, const T_ &b) {                                      \
    marray<result, N_> r;                                                                                              \
    for (std::size_t i = 0; i < N_; ++i)                                                                               \
      r[i] = static_cast<result>(a[i] op b);                                                                           \
    return r;                                                                                                          \
  }                                                                                                                    \
  friend constexpr marray<result, N_> operator op(const T_ &a, const marray &b) {                                      \
    marray<result, N_> r;                                                                                              \
    for (std::size_t i = 0; i < N_; ++i)                                                                               \
      r[i] = static_cast<result>(a op b[i]);                                                                           \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_MARRAY_COMPOUND(compound, op)                                                                   \
  friend constexpr marray &operator compound(marray &a, const marray &b) { return a = a op b; }                        \
  friend constexpr marray &operator compound(marray &a, const T_ &b) { return a = a op b; }

  SYCLRTC_DETAIL_MARRAY_BINARY(T_, +)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, -)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, *)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, /)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, %)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, &)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, |)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, ^)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, <<)
  SYCLRTC_DETAIL_MARRAY_BINARY(T_, >>)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, &&)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, ||)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, ==)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, !=)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, <)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, >)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, <=)
  SYCLRTC_DETAIL_MARRAY_BINARY(bool, >=)

  SYCLRTC_DETAIL_MARRAY_COMPOUND(+=, +)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(-=, -)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(*=, *)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(/=, /)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(%=, %)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(&=, &)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(|=, |)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(^=, ^)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(<<=, <<)
  SYCLRTC_DETAIL_MARRAY_COMPOUND(>>=, >>)

#undef SYCLRTC_DETAIL_MARRAY_BINARY
#undef SYCLRTC_DETAIL_MARRAY_COMPOUND

  friend constexpr marray operator+(const marray &a) { return a; }
  friend constexpr marray operator-(const marray &a) {
    marray r;
    for (std::size_t i = 0; i < N_; ++i)
      r[i] = static_cast<T_>(-a[i]);
    return r;
  }
  friend constexpr marray operator~(const marray &a) {
    marray r;
    for (std::size_t i = 0; i < N_; ++i)
      r[i] = static_cast<T_>(~a[i]);
    return r;
  }
  friend constexpr marray<bool, N_> operator!(const marray &a) {
    marray<bool, N_> r;
    for (std::size_t i = 0; i < N_; ++i)
      r[i] = !a[i];
    return r;
  }
  friend constexpr marray &operator++(marray &a) {
    for (T_ &value : a)
      ++value;
    return a;
  }
  friend constexpr marray &operator--(marray &a) {
    for (T_ &value : a)
      --value;
    return a;
  }
  friend constexpr marray operator++(marray &a, int) {
    const marray old(a);
    ++a;
    return old;
  }
  friend constexpr marray operator--(marray &a, int) {
    const marray old(a);
    --a;
    return old;
  }

private:
  template <class Argument> constexpr void append(std::size_t &at, const Argument &value) {
    if constexpr (detail::is_marray_v<Argument>) {
      for (std::size_t i = 0; i < Argument::size(); ++i)
        values_[at++] = value[i];
    } else {
      values_[at++] = static_cast<T_>(value);
    }
  }

  T_ values_[N_];
};

#define SYCLRTC_DETAIL_MARRAY_ALIAS(type, name)                                                                        \
  using m##name##2 = marray<type, 2>;                                                                                  \
  using m##name##3 = marray<type, 3>;                                                                                  \
  using m##name##4 = marray<type, 4>;                                                                                  \
  using m##name##8 = marray<type, 8>;                                                                                  \
  using m##name##16 = marray<type, 16>;

SYCLRTC_DETAIL_MARRAY_ALIAS(bool, bool)
SYCLRTC_DETAIL_MARRAY_ALIAS(char, char)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::int8_t, schar)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::uint8_t, uchar)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::int16_t, short)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::uint16_t, ushort)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::int32_t, int)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::uint32_t, uint)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::int64_t, long)
SYCLRTC_DETAIL_MARRAY_ALIAS(std::uint64_t, ulong)
SYCLRTC_DETAIL_MARRAY_ALIAS(long long, longlong)
SYCLRTC_DETAIL_MARRAY_ALIAS(unsigned long long, ulonglong)
SYCLRTC_DETAIL_MARRAY_ALIAS(half, half)
SYCLRTC_DETAIL_MARRAY_ALIAS(float, float)
SYCLRTC_DETAIL_MARRAY_ALIAS(double, double)

#undef SYCLRTC_DETAIL_MARRAY_ALIAS

} // namespace _V1
} // namespace sycl
