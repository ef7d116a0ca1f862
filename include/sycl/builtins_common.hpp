// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/builtins_math.hpp>

namespace sycl {
inline namespace _V1 {

// Common, geometric and relational functions (SYCL 2020, 4.17.7 to 4.17.9) of scalars, plain C++ on host and device.

namespace detail {

template <class T_>
inline constexpr bool is_scalar_float =
    std::is_same_v<T_, float> || std::is_same_v<T_, double> || std::is_same_v<T_, half>;
template <class T_> using float_only = std::enable_if_t<is_scalar_float<T_>, int>;

/// The bits of a number as an unsigned integer.
template <class T_>
using bits_of =
    std::conditional_t<sizeof(T_) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T_) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T_) == 4, std::uint32_t, std::uint64_t>>>;

/// A constant in type T without arithmetic of another type: `half` and `float` code must not need `double`.
template <class T_> constexpr T_ constant(double value) { return static_cast<T_>(static_cast<float>(value)); }
template <> constexpr double constant<double>(double value) { return value; }

template <class T_> inline constexpr int fraction_bits = std::numeric_limits<T_>::digits - 1;
template <class T_>
inline constexpr bits_of<T_> exponent_mask =
    static_cast<bits_of<T_>>(((std::uint64_t(1) << (sizeof(T_) * 8 - 1 - fraction_bits<T_>)) - 1) << fraction_bits<T_>);
template <class T_> constexpr bits_of<T_> magnitude_bits(T_ x) {
  return static_cast<bits_of<T_>>(__builtin_bit_cast(bits_of<T_>, x) &
                                  (static_cast<bits_of<T_>>(~bits_of<T_>(0)) >> 1));
}

} // namespace detail

template <class T_, detail::float_only<T_> = 0> constexpr T_ max(T_ x, T_ y) { return x < y ? y : x; }
template <class T_, detail::float_only<T_> = 0> constexpr T_ min(T_ x, T_ y) { return y < x ? y : x; }
template <class T_, detail::float_only<T_> = 0> constexpr T_ clamp(T_ x, T_ low, T_ high) {
  return min(max(x, low), high);
}
template <class T_, detail::float_only<T_> = 0> constexpr T_ degrees(T_ radians) {
  return detail::constant<T_>(57.295779513082320877) * radians;
}
template <class T_, detail::float_only<T_> = 0> constexpr T_ radians(T_ degrees) {
  return detail::constant<T_>(0.017453292519943295769) * degrees;
}
template <class T_, detail::float_only<T_> = 0> constexpr T_ mix(T_ x, T_ y, T_ a) { return x + (y - x) * a; }
template <class T_, detail::float_only<T_> = 0> constexpr T_ step(T_ edge, T_ x) {
  return detail::constant<T_>(x < edge ? 0.0 : 1.0);
}
template <class T_, detail::float_only<T_> = 0> constexpr T_ smoothstep(T_ edge0, T_ edge1, T_ x) {
  const T_ t = clamp((x - edge0) / (edge1 - edge0), detail::constant<T_>(0.0), detail::constant<T_>(1.0));
  return t * t * (detail::constant<T_>(3.0) - detail::constant<T_>(2.0) * t);
}

template <class T_, detail::float_only<T_> = 0> constexpr bool isequal(T_ x, T_ y) { return x == y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool isnotequal(T_ x, T_ y) { return x != y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool isgreater(T_ x, T_ y) { return x > y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool isgreaterequal(T_ x, T_ y) { return x >= y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool isless(T_ x, T_ y) { return x < y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool islessequal(T_ x, T_ y) { return x <= y; }
template <class T_, detail::float_only<T_> = 0> constexpr bool islessgreater(T_ x, T_ y) { return x < y || x > y; }

// From the bits, so that an option that lets the compiler forget about NaN does not change the answer.
template <class T_, detail::float_only<T_> = 0> constexpr bool isfinite(T_ x) {
  return detail::magnitude_bits(x) < detail::exponent_mask<T_>;
}
template <class T_, detail::float_only<T_> = 0> constexpr bool isinf(T_ x) {
  return detail::magnitude_bits(x) == detail::exponent_mask<T_>;
}
template <class T_, detail::float_only<T_> = 0> constexpr bool isnan(T_ x) {
  return detail::magnitude_bits(x) > detail::exponent_mask<T_>;
}
template <class T_, detail::float_only<T_> = 0> constexpr bool isnormal(T_ x) {
  return isfinite(x) && detail::magnitude_bits(x) >= (detail::bits_of<T_>(1) << detail::fraction_bits<T_>);
}
template <class T_, detail::float_only<T_> = 0> constexpr bool isordered(T_ x, T_ y) { return !isnan(x) && !isnan(y); }
template <class T_, detail::float_only<T_> = 0> constexpr bool isunordered(T_ x, T_ y) { return isnan(x) || isnan(y); }
template <class T_, detail::float_only<T_> = 0> constexpr bool signbit(T_ x) {
  return (__builtin_bit_cast(detail::bits_of<T_>, x) >> (sizeof(T_) * 8 - 1)) != 0;
}

template <class T_, detail::float_only<T_> = 0> constexpr T_ sign(T_ x) {
  if (isnan(x))
    return detail::constant<T_>(0.0);
  return x > T_(0) ? detail::constant<T_>(1.0) : x < T_(0) ? detail::constant<T_>(-1.0) : x;
}

/// Each bit of the result is that of `b` where `c` has a one, else that of `a`.
template <class T_, std::enable_if_t<std::is_arithmetic_v<T_> || std::is_same_v<T_, half>, int> = 0>
constexpr T_ bitselect(T_ a, T_ b, T_ c) {
  using Bits = detail::bits_of<T_>;
  const auto x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b), z = __builtin_bit_cast(Bits, c);
  return __builtin_bit_cast(T_, static_cast<Bits>((x & ~z) | (y & z)));
}
template <class T_, std::enable_if_t<std::is_arithmetic_v<T_> || std::is_same_v<T_, half>, int> = 0>
constexpr T_ select(T_ a, T_ b, bool c) {
  return c ? b : a;
}

template <class T_, detail::float_only<T_> = 0> constexpr T_ dot(T_ x, T_ y) { return x * y; }
template <class T_, detail::float_only<T_> = 0> inline T_ length(T_ x) { return fabs(x); }
template <class T_, detail::float_only<T_> = 0> inline T_ distance(T_ x, T_ y) { return fabs(x - y); }
template <class T_, detail::float_only<T_> = 0> constexpr T_ normalize(T_ x) { return sign(x); }
inline float fast_length(float x) { return fabs(x); }
inline float fast_distance(float x, float y) { return fabs(x - y); }
constexpr float fast_normalize(float x) { return sign(x); }

} // namespace _V1
} // namespace sycl
