// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/half_type.hpp>

#include <limits>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

// Function objects (SYCL 2020, 4.17.2). `Op<void>` takes operands of any type.

#define SYCLRTC_DETAIL_FUNCTION_OBJECT(name, expression)                                                               \
  template <class T = void> struct name {                                                                              \
    constexpr T operator()(const T &a, const T &b) const { return expression; }                                        \
  };                                                                                                                   \
  template <> struct name<void> {                                                                                      \
    template <class T, class U> constexpr auto operator()(const T &a, const U &b) const { return expression; }         \
    using is_transparent = void;                                                                                       \
  };

SYCLRTC_DETAIL_FUNCTION_OBJECT(plus, a + b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(multiplies, a *b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(bit_and, a &b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(bit_or, a | b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(bit_xor, a ^ b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(logical_and, a &&b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(logical_or, a || b)
SYCLRTC_DETAIL_FUNCTION_OBJECT(minimum, b < a ? b : a)
SYCLRTC_DETAIL_FUNCTION_OBJECT(maximum, a < b ? b : a)

#undef SYCLRTC_DETAIL_FUNCTION_OBJECT

namespace detail {

template <class T>
inline constexpr bool is_operand = std::is_arithmetic_v<T> || std::is_same_v<T, half>;

/// Smallest and largest value: infinities where the type has them.
template <class T> constexpr T least() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return static_cast<T>(-std::numeric_limits<T>::infinity());
  else
    return std::numeric_limits<T>::lowest();
}
template <class T> constexpr T greatest() {
  if constexpr (std::numeric_limits<T>::has_infinity)
    return std::numeric_limits<T>::infinity();
  else
    return (std::numeric_limits<T>::max)();
}

template <class Op, class T> struct identity_of {
  static constexpr bool known = false;
};

#define SYCLRTC_DETAIL_IDENTITY(op, condition, expression)                                                             \
  template <class U, class T> struct identity_of<op<U>, T> {                                                           \
    static constexpr bool known = (std::is_void_v<U> || std::is_same_v<U, T>) && (condition);                          \
    static constexpr T value() { return expression; }                                                                  \
  };

SYCLRTC_DETAIL_IDENTITY(plus, is_operand<T>, static_cast<T>(0.0f))
SYCLRTC_DETAIL_IDENTITY(multiplies, is_operand<T>, static_cast<T>(1.0f))
SYCLRTC_DETAIL_IDENTITY(bit_and, std::is_integral_v<T>, static_cast<T>(~T(0)))
SYCLRTC_DETAIL_IDENTITY(bit_or, std::is_integral_v<T>, T(0))
SYCLRTC_DETAIL_IDENTITY(bit_xor, std::is_integral_v<T>, T(0))
SYCLRTC_DETAIL_IDENTITY(logical_and, std::is_arithmetic_v<T>, static_cast<T>(1))
SYCLRTC_DETAIL_IDENTITY(logical_or, std::is_arithmetic_v<T>, static_cast<T>(0))
SYCLRTC_DETAIL_IDENTITY(minimum, is_operand<T>, greatest<T>())
SYCLRTC_DETAIL_IDENTITY(maximum, is_operand<T>, least<T>())

#undef SYCLRTC_DETAIL_IDENTITY

} // namespace detail

template <class Op, class T>
struct has_known_identity : std::bool_constant<detail::identity_of<std::remove_cv_t<Op>, std::remove_cv_t<T>>::known> {};
template <class Op, class T> inline constexpr bool has_known_identity_v = has_known_identity<Op, T>::value;

template <class Op, class T> struct known_identity {
  static_assert(has_known_identity_v<Op, T>, "this operation has no known identity of this type");
  static constexpr std::remove_cv_t<T> value = detail::identity_of<std::remove_cv_t<Op>, std::remove_cv_t<T>>::value();
};
template <class Op, class T> inline constexpr std::remove_cv_t<T> known_identity_v = known_identity<Op, T>::value;

} // namespace _V1
} // namespace sycl
