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
  template <class T_ = void> struct name {                                                                             \
    constexpr T_ operator()(const T_ &a, const T_ &b) const { return expression; }                                     \
  };                                                                                                                   \
  template <> struct name<void> {                                                                                      \
    template <class T_, class U_> constexpr auto operator()(const T_ &a, const U_ &b) const { return expression; }     \
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

template <class T_> inline constexpr bool is_operand = std::is_arithmetic_v<T_> || std::is_same_v<T_, half>;

/// Smallest and largest value: infinities where the type has them.
template <class T_> constexpr T_ least() {
  if constexpr (std::numeric_limits<T_>::has_infinity)
    return static_cast<T_>(-std::numeric_limits<T_>::infinity());
  else
    return std::numeric_limits<T_>::lowest();
}
template <class T_> constexpr T_ greatest() {
  if constexpr (std::numeric_limits<T_>::has_infinity)
    return std::numeric_limits<T_>::infinity();
  else
    return (std::numeric_limits<T_>::max)();
}

template <class Op, class T_> struct identity_of {
  static constexpr bool known = false;
};

#define SYCLRTC_DETAIL_IDENTITY(op, condition, expression)                                                             \
  template <class U_, class T_> struct identity_of<op<U_>, T_> {                                                       \
    static constexpr bool known = (std::is_void_v<U_> || std::is_same_v<U_, T_>) && (condition);                       \
    static constexpr T_ value() { return expression; }                                                                 \
  };

SYCLRTC_DETAIL_IDENTITY(plus, is_operand<T_>, static_cast<T_>(0.0f))
SYCLRTC_DETAIL_IDENTITY(multiplies, is_operand<T_>, static_cast<T_>(1.0f))
SYCLRTC_DETAIL_IDENTITY(bit_and, std::is_integral_v<T_>, static_cast<T_>(~T_(0)))
SYCLRTC_DETAIL_IDENTITY(bit_or, std::is_integral_v<T_>, T_(0))
SYCLRTC_DETAIL_IDENTITY(bit_xor, std::is_integral_v<T_>, T_(0))
SYCLRTC_DETAIL_IDENTITY(logical_and, std::is_arithmetic_v<T_>, static_cast<T_>(1))
SYCLRTC_DETAIL_IDENTITY(logical_or, std::is_arithmetic_v<T_>, static_cast<T_>(0))
SYCLRTC_DETAIL_IDENTITY(minimum, is_operand<T_>, greatest<T_>())
SYCLRTC_DETAIL_IDENTITY(maximum, is_operand<T_>, least<T_>())

#undef SYCLRTC_DETAIL_IDENTITY

} // namespace detail

template <class Op, class T_>
struct has_known_identity : std::bool_constant<detail::identity_of<std::remove_cv_t<Op>, std::remove_cv_t<T_>>::known> {
};
template <class Op, class T_> inline constexpr bool has_known_identity_v = has_known_identity<Op, T_>::value;

template <class Op, class T_> struct known_identity {
  static_assert(has_known_identity_v<Op, T_>, "this operation has no known identity of this type");
  static constexpr std::remove_cv_t<T_> value =
      detail::identity_of<std::remove_cv_t<Op>, std::remove_cv_t<T_>>::value();
};
template <class Op, class T_> inline constexpr std::remove_cv_t<T_> known_identity_v = known_identity<Op, T_>::value;

} // namespace _V1
} // namespace sycl
