// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Types that may stand beside `Self` in an operator: itself, integers, and classes that convert to it.
///
/// Other arithmetic types are left to the built-in operators, which `id<1>` reaches by its conversion to `size_t`.
template <class T_, class Self>
inline constexpr bool is_index_operand =
    std::is_integral_v<T_> || (std::is_enum_v<T_> && std::is_convertible_v<T_, std::size_t>) ||
    (std::is_class_v<T_> && std::is_convertible_v<const T_ &, Self>);

template <class Self, class T_> constexpr std::size_t index_component(const T_ &operand, int dimension) {
  if constexpr (std::is_class_v<T_>)
    return static_cast<const Self &>(operand).get(dimension);
  else
    return static_cast<std::size_t>(operand);
}

/// Storage and operators that `range` and `id` share: `Dimensions` values, the last dimension contiguous.
///
/// Every operator matches exactly, so that conversions of `id<1>` and built-in operators never compete with it.
template <class Self, int Dimensions> class index_array {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL has index spaces of 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t &operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }

  template <class T_, std::enable_if_t<is_index_operand<T_, Self>, int> = 0>
  friend constexpr bool operator==(const Self &a, const T_ &b) {
    for (int i = 0; i < Dimensions; ++i)
      if (a.get(i) != index_component<Self>(b, i))
        return false;
    return true;
  }
  template <class T_, std::enable_if_t<is_index_operand<T_, Self> && !std::is_same_v<T_, Self>, int> = 0>
  friend constexpr bool operator==(const T_ &a, const Self &b) {
    return b == a;
  }
  template <class T_, std::enable_if_t<is_index_operand<T_, Self>, int> = 0>
  friend constexpr bool operator!=(const Self &a, const T_ &b) {
    return !(a == b);
  }
  template <class T_, std::enable_if_t<is_index_operand<T_, Self> && !std::is_same_v<T_, Self>, int> = 0>
  friend constexpr bool operator!=(const T_ &a, const Self &b) {
    return !(b == a);
  }

#define SYCLRTC_DETAIL_BINARY(op)                                                                                      \
  template <class T_, std::enable_if_t<is_index_operand<T_, Self>, int> = 0>                                           \
  friend constexpr Self operator op(const Self &a, const T_ &b) {                                                      \
    Self r(a);                                                                                                         \
    for (int i = 0; i < Dimensions; ++i)                                                                               \
      r[i] = static_cast<std::size_t>(a.get(i) op index_component<Self>(b, i));                                        \
    return r;                                                                                                          \
  }                                                                                                                    \
  template <class T_, std::enable_if_t<is_index_operand<T_, Self> && !std::is_same_v<T_, Self>, int> = 0>              \
  friend constexpr Self operator op(const T_ &a, const Self &b) {                                                      \
    Self r(b);                                                                                                         \
    for (int i = 0; i < Dimensions; ++i)                                                                               \
      r[i] = static_cast<std::size_t>(index_component<Self>(a, i) op b.get(i));                                        \
    return r;                                                                                                          \
  }

#define SYCLRTC_DETAIL_COMPOUND(op)                                                                                    \
  template <class T_, std::enable_if_t<is_index_operand<T_, Self>, int> = 0>                                           \
  friend constexpr Self &operator op(Self &a, const T_ &b) {                                                           \
    for (int i = 0; i < Dimensions; ++i)                                                                               \
      a[i] op index_component<Self>(b, i);                                                                             \
    return a;                                                                                                          \
  }

  SYCLRTC_DETAIL_BINARY(+)
  SYCLRTC_DETAIL_BINARY(-)
  SYCLRTC_DETAIL_BINARY(*)
  SYCLRTC_DETAIL_BINARY(/)
  SYCLRTC_DETAIL_BINARY(%)
  SYCLRTC_DETAIL_BINARY(<<)
  SYCLRTC_DETAIL_BINARY(>>)
  SYCLRTC_DETAIL_BINARY(&)
  SYCLRTC_DETAIL_BINARY(|)
  SYCLRTC_DETAIL_BINARY(^)
  SYCLRTC_DETAIL_BINARY(&&)
  SYCLRTC_DETAIL_BINARY(||)
  SYCLRTC_DETAIL_BINARY(<)
  SYCLRTC_DETAIL_BINARY(>)
  SYCLRTC_DETAIL_BINARY(<=)
  SYCLRTC_DETAIL_BINARY(>=)

  SYCLRTC_DETAIL_COMPOUND(+=)
  SYCLRTC_DETAIL_COMPOUND(-=)
  SYCLRTC_DETAIL_COMPOUND(*=)
  SYCLRTC_DETAIL_COMPOUND(/=)
  SYCLRTC_DETAIL_COMPOUND(%=)
  SYCLRTC_DETAIL_COMPOUND(<<=)
  SYCLRTC_DETAIL_COMPOUND(>>=)
  SYCLRTC_DETAIL_COMPOUND(&=)
  SYCLRTC_DETAIL_COMPOUND(|=)
  SYCLRTC_DETAIL_COMPOUND(^=)

#undef SYCLRTC_DETAIL_BINARY
#undef SYCLRTC_DETAIL_COMPOUND

  friend constexpr Self operator+(const Self &a) { return a; }
  friend constexpr Self operator-(const Self &a) {
    Self r(a);
    for (int i = 0; i < Dimensions; ++i)
      r[i] = std::size_t(0) - a.get(i);
    return r;
  }
  friend constexpr Self &operator++(Self &a) {
    for (int i = 0; i < Dimensions; ++i)
      ++a[i];
    return a;
  }
  friend constexpr Self &operator--(Self &a) {
    for (int i = 0; i < Dimensions; ++i)
      --a[i];
    return a;
  }
  friend constexpr Self operator++(Self &a, int) {
    Self old(a);
    ++a;
    return old;
  }
  friend constexpr Self operator--(Self &a, int) {
    Self old(a);
    --a;
    return old;
  }

protected:
  constexpr index_array() = default;

  std::size_t values_[Dimensions] = {};
};

} // namespace detail
} // namespace _V1
} // namespace sycl
