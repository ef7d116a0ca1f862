// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/builtins_math.hpp>

namespace sycl {
inline namespace _V1 {

// Common, geometric and relational functions (SYCL 2020, 4.17.7 to 4.17.9) of scalars, plain C++ on host and device.

namespace detail {

template <class T> inline constexpr bool is_scalar_float =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;
template <class T> using float_only = std::enable_if_t<is_scalar_float<T>, int>;

/// The bits of a number as an unsigned integer.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// A constant in type T without arithmetic of another type: `half` and `float` code must not need `double`.
template <class T> constexpr T constant(double value) { return static_cast<T>(static_cast<float>(value)); }
template <> constexpr double constant<double>(double value) { return value; }

template <class T> inline constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
template <class T>
inline constexpr bits_of<T> exponent_mask =
    static_cast<bits_of<T>>(((std::uint64_t(1) << (sizeof(T) * 8 - 1 - fraction_bits<T>)) - 1) << fraction_bits<T>);
template <class T> constexpr bits_of<T> magnitude_bits(T x) {
  return static_cast<bits_of<T>>(__builtin_bit_cast(bits_of<T>, x) & (static_cast<bits_of<T>>(~bits_of<T>(0)) >> 1));
}

} // namespace detail

template <class T, detail::float_only<T> = 0> constexpr T max(T x, T y) { return x < y ? y : x; }
template <class T, detail::float_only<T> = 0> constexpr T min(T x, T y) { return y < x ? y : x; }
template <class T, detail::float_only<T> = 0> constexpr T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class T, detail::float_only<T> = 0> constexpr T degrees(T radians) {
  return detail::constant<T>(57.295779513082320877) * radians;
}
template <class T, detail::float_only<T> = 0> constexpr T radians(T degrees) {
  return detail::constant<T>(0.017453292519943295769) * degrees;
}
template <class T, detail::float_only<T> = 0> constexpr T mix(T x, T y, T a) { return x + (y - x) * a; }
template <class T, detail::float_only<T> = 0> constexpr T step(T edge, T x) {
  return detail::constant<T>(x < edge ? 0.0 : 1.0);
}
template <class T, detail::float_only<T> = 0> constexpr T smoothstep(T edge0, T edge1, T x) {
  const T t = clamp((x - edge0) / (edge1 - edge0), detail::constant<T>(0.0), detail::constant<T>(1.0));
  return t * t * (detail::constant<T>(3.0) - detail::constant<T>(2.0) * t);
}

template <class T, detail::float_only<T> = 0> constexpr bool isequal(T x, T y) { return x == y; }
template <class T, detail::float_only<T> = 0> constexpr bool isnotequal(T x, T y) { return x != y; }
template <class T, detail::float_only<T> = 0> constexpr bool isgreater(T x, T y) { return x > y; }
template <class T, detail::float_only<T> = 0> constexpr bool isgreaterequal(T x, T y) { return x >= y; }
template <class T, detail::float_only<T> = 0> constexpr bool isless(T x, T y) { return x < y; }
template <class T, detail::float_only<T> = 0> constexpr bool islessequal(T x, T y) { return x <= y; }
template <class T, detail::float_only<T> = 0> constexpr bool islessgreater(T x, T y) { return x < y || x > y; }

// From the bits, so that an option that lets the compiler forget about NaN does not change the answer.
template <class T, detail::float_only<T> = 0> constexpr bool isfinite(T x) {
  return detail::magnitude_bits(x) < detail::exponent_mask<T>;
}
template <class T, detail::float_only<T> = 0> constexpr bool isinf(T x) {
  return detail::magnitude_bits(x) == detail::exponent_mask<T>;
}
template <class T, detail::float_only<T> = 0> constexpr bool isnan(T x) {
  return detail::magnitude_bits(x) > detail::exponent_mask<T>;
}
template <class T, detail::float_only<T> = 0> constexpr bool isnormal(T x) {
  return isfinite(x) && detail::magnitude_bits(x) >= (detail::bits_of<T>(1) << detail::fraction_bits<T>);
}
template <class T, detail::float_only<T> = 0> constexpr bool isordered(T x, T y) { return !isnan(x) && !isnan(y); }
template <class T, detail::float_only<T> = 0> constexpr bool isunordered(T x, T y) { return isnan(x) || isnan(y); }
template <class T, detail::float_only<T> = 0> constexpr bool signbit(T x) {
  return (__builtin_bit_cast(detail::bits_of<T>, x) >> (sizeof(T) * 8 - 1)) != 0;
}

template <class T, detail::float_only<T> = 0> constexpr T sign(T x) {
  if (isnan(x))
    return detail::constant<T>(0.0);
  return x > T(0) ? detail::constant<T>(1.0) : x < T(0) ? detail::constant<T>(-1.0) : x;
}

/// Each bit of the result is that of `b` where `c` has a one, else that of `a`.
template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>, int> = 0>
constexpr T bitselect(T a, T b, T c) {
  using Bits = detail::bits_of<T>;
  const auto x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b), z = __builtin_bit_cast(Bits, c);
  return __builtin_bit_cast(T, static_cast<Bits>((x & ~z) | (y & z)));
}
template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>, int> = 0>
constexpr T select(T a, T b, bool c) {
  return c ? b : a;
}

template <class T, detail::float_only<T> = 0> constexpr T dot(T x, T y) { return x * y; }
template <class T, detail::float_only<T> = 0> inline T length(T x) { return fabs(x); }
template <class T, detail::float_only<T> = 0> inline T distance(T x, T y) { return fabs(x - y); }
template <class T, detail::float_only<T> = 0> constexpr T normalize(T x) { return sign(x); }
inline float fast_length(float x) { return fabs(x); }
inline float fast_distance(float x, float y) { return fabs(x - y); }
constexpr float fast_normalize(float x) { return sign(x); }

} // namespace _V1
} // namespace sycl
