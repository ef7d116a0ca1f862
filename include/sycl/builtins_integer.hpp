// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/detail/ocl_builtins.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

// Integer functions (SYCL 2020, 4.17.6) of scalars. They are plain C++ on host and device alike, without signed overflow.

namespace detail {

template <class T> using integer_only = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int>;
template <class T> inline constexpr int bit_width = static_cast<int>(sizeof(T)) * 8;

/// The unsigned type of the same width, no narrower than `unsigned int`, so that no operand promotes to a signed type.
template <class T>
using wide_unsigned = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

} // namespace detail

template <class T, detail::integer_only<T> = 0> constexpr T abs(T x) {
  if constexpr (std::is_signed_v<T>)
    return x < 0 ? static_cast<T>(0u - static_cast<detail::wide_unsigned<T>>(x)) : x;
  else
    return x;
}

template <class T, detail::integer_only<T> = 0> constexpr T abs_diff(T x, T y) {
  using U = detail::wide_unsigned<T>;
  return static_cast<T>(x > y ? static_cast<U>(x) - static_cast<U>(y) : static_cast<U>(y) - static_cast<U>(x));
}

template <class T, detail::integer_only<T> = 0> constexpr T add_sat(T x, T y) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  if (y >= 0 && x > static_cast<T>(most - y))
    return most;
  if (std::is_signed_v<T> && y < 0 && x < static_cast<T>(least - y))
    return least;
  return static_cast<T>(x + y);
}

template <class T, detail::integer_only<T> = 0> constexpr T sub_sat(T x, T y) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  if (y >= 0 && x < static_cast<T>(least + y))
    return least;
  if (std::is_signed_v<T> && y < 0 && x > static_cast<T>(most + y))
    return most;
  return static_cast<T>(x - y);
}

/// Average without overflow, rounded down.
template <class T, detail::integer_only<T> = 0> constexpr T hadd(T x, T y) {
  return static_cast<T>((x & y) + ((x ^ y) >> 1));
}
/// Average without overflow, rounded up.
template <class T, detail::integer_only<T> = 0> constexpr T rhadd(T x, T y) {
  return static_cast<T>((x | y) - ((x ^ y) >> 1));
}

template <class T, detail::integer_only<T> = 0> constexpr T popcount(T x) {
  return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x)));
}
/// Number of leading zero bits; the width of the type for zero.
template <class T, detail::integer_only<T> = 0> constexpr T clz(T x) {
  if (x == 0)
    return static_cast<T>(detail::bit_width<T>);
  return static_cast<T>(__builtin_clzll(static_cast<std::make_unsigned_t<T>>(x)) - (64 - detail::bit_width<T>));
}
/// Number of trailing zero bits; the width of the type for zero.
template <class T, detail::integer_only<T> = 0> constexpr T ctz(T x) {
  if (x == 0)
    return static_cast<T>(detail::bit_width<T>);
  return static_cast<T>(__builtin_ctzll(static_cast<std::make_unsigned_t<T>>(x)));
}

/// Rotates left by `count` modulo the width.
template <class T, detail::integer_only<T> = 0> constexpr T rotate(T x, T count) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned width = detail::bit_width<T>;
  const auto bits = static_cast<detail::wide_unsigned<T>>(static_cast<U>(x));
  const unsigned n = static_cast<unsigned>(static_cast<U>(count)) % width;
  return n == 0 ? x : static_cast<T>((bits << n) | (bits >> (width - n)));
}

/// Upper half of the product.
template <class T, detail::integer_only<T> = 0> constexpr T mul_hi(T x, T y) {
  if constexpr (sizeof(T) < 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> detail::bit_width<T>);
  } else {
#ifdef __SYCL_DEVICE_ONLY__
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(__spirv_ocl_s_mul_hi(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
    else
      return static_cast<T>(__spirv_ocl_u_mul_hi(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
#else
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> 64);
#endif
  }
}

template <class T, detail::integer_only<T> = 0> constexpr T mad_hi(T x, T y, T z) {
  return static_cast<T>(static_cast<detail::wide_unsigned<T>>(mul_hi(x, y)) + static_cast<detail::wide_unsigned<T>>(z));
}

template <class T, detail::integer_only<T> = 0> constexpr T mad_sat(T x, T y, T z) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  if constexpr (sizeof(T) < 8) {
    // Neither the product nor the sum leaves 64 bits.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const Wide sum = static_cast<Wide>(x) * static_cast<Wide>(y) + static_cast<Wide>(z);
    return sum < static_cast<Wide>(least) ? least : sum > static_cast<Wide>(most) ? most : static_cast<T>(sum);
  } else {
    using U = std::make_unsigned_t<T>;
    const U low = static_cast<U>(x) * static_cast<U>(y);
    const U sum = low + static_cast<U>(z);
    const U carry = sum < low ? 1u : 0u;
    // The sum is high:sum in twice the width; it fits if `high` only extends the sign of `sum`.
    const U extension = std::is_signed_v<T> && z < 0 ? ~U(0) : U(0);
    const T high = static_cast<T>(static_cast<U>(mul_hi(x, y)) + extension + carry);
    if constexpr (std::is_signed_v<T>) {
      if (high == (static_cast<T>(sum) < 0 ? T(-1) : T(0)))
        return static_cast<T>(sum);
      return high < 0 ? least : most;
    } else {
      return high == 0 ? static_cast<T>(sum) : most;
    }
  }
}

/// Product of the lower 24 bits.
template <class T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) == 4, int> = 0> constexpr T mul24(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    const auto extend = [](T v) { return static_cast<std::int64_t>(static_cast<T>(static_cast<unsigned>(v) << 8) >> 8); };
    return static_cast<T>(extend(x) * extend(y));
  } else {
    return (x & 0xffffffu) * (y & 0xffffffu);
  }
}
template <class T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) == 4, int> = 0>
constexpr T mad24(T x, T y, T z) {
  return static_cast<T>(static_cast<unsigned>(mul24(x, y)) + static_cast<unsigned>(z));
}

/// The number of twice the width with the given halves.
constexpr std::int16_t upsample(std::int8_t high, std::uint8_t low) {
  return static_cast<std::int16_t>((static_cast<unsigned>(high) << 8) | low);
}
constexpr std::uint16_t upsample(std::uint8_t high, std::uint8_t low) {
  return static_cast<std::uint16_t>((static_cast<unsigned>(high) << 8) | low);
}
constexpr std::int32_t upsample(std::int16_t high, std::uint16_t low) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(high) << 16) | low);
}
constexpr std::uint32_t upsample(std::uint16_t high, std::uint16_t low) {
  return (static_cast<std::uint32_t>(high) << 16) | low;
}
constexpr std::int64_t upsample(std::int32_t high, std::uint32_t low) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(high) << 32) | low);
}
constexpr std::uint64_t upsample(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

template <class T, detail::integer_only<T> = 0> constexpr T max(T x, T y) { return x < y ? y : x; }
template <class T, detail::integer_only<T> = 0> constexpr T min(T x, T y) { return y < x ? y : x; }
template <class T, detail::integer_only<T> = 0> constexpr T clamp(T x, T low, T high) { return min(max(x, low), high); }

} // namespace _V1
} // namespace sycl
