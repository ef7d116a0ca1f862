// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/detail/ocl_builtins.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

// Integer functions (SYCL 2020, 4.17.6) of scalars. They are plain C++ on host and device alike, without signed
// overflow.

namespace detail {

template <class T_> using integer_only = std::enable_if_t<std::is_integral_v<T_> && !std::is_same_v<T_, bool>, int>;
template <class T_> inline constexpr int bit_width = static_cast<int>(sizeof(T_)) * 8;

/// The unsigned type of the same width, no narrower than `unsigned int`, so that no operand promotes to a signed type.
template <class T_>
using wide_unsigned = std::conditional_t<(sizeof(T_) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T_>>;

} // namespace detail

template <class T_, detail::integer_only<T_> = 0> constexpr T_ abs(T_ x) {
  if constexpr (std::is_signed_v<T_>)
    return x < 0 ? static_cast<T_>(0u - static_cast<detail::wide_unsigned<T_>>(x)) : x;
  else
    return x;
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ abs_diff(T_ x, T_ y) {
  using U_ = detail::wide_unsigned<T_>;
  return static_cast<T_>(x > y ? static_cast<U_>(x) - static_cast<U_>(y) : static_cast<U_>(y) - static_cast<U_>(x));
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ add_sat(T_ x, T_ y) {
  constexpr T_ least = std::numeric_limits<T_>::min();
  constexpr T_ most = std::numeric_limits<T_>::max();
  if (y >= 0 && x > static_cast<T_>(most - y))
    return most;
  if (std::is_signed_v<T_> && y < 0 && x < static_cast<T_>(least - y))
    return least;
  return static_cast<T_>(x + y);
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ sub_sat(T_ x, T_ y) {
  constexpr T_ least = std::numeric_limits<T_>::min();
  constexpr T_ most = std::numeric_limits<T_>::max();
  if (y >= 0 && x < static_cast<T_>(least + y))
    return least;
  if (std::is_signed_v<T_> && y < 0 && x > static_cast<T_>(most + y))
    return most;
  return static_cast<T_>(x - y);
}

/// Average without overflow, rounded down.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ hadd(T_ x, T_ y) {
  return static_cast<T_>((x & y) + ((x ^ y) >> 1));
}
/// Average without overflow, rounded up.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ rhadd(T_ x, T_ y) {
  return static_cast<T_>((x | y) - ((x ^ y) >> 1));
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ popcount(T_ x) {
  return static_cast<T_>(__builtin_popcountll(static_cast<std::make_unsigned_t<T_>>(x)));
}
/// Number of leading zero bits; the width of the type for zero.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ clz(T_ x) {
  if (x == 0)
    return static_cast<T_>(detail::bit_width<T_>);
  return static_cast<T_>(__builtin_clzll(static_cast<std::make_unsigned_t<T_>>(x)) - (64 - detail::bit_width<T_>));
}
/// Number of trailing zero bits; the width of the type for zero.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ ctz(T_ x) {
  if (x == 0)
    return static_cast<T_>(detail::bit_width<T_>);
  return static_cast<T_>(__builtin_ctzll(static_cast<std::make_unsigned_t<T_>>(x)));
}

/// Rotates left by `count` modulo the width.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ rotate(T_ x, T_ count) {
  using U_ = std::make_unsigned_t<T_>;
  constexpr unsigned width = detail::bit_width<T_>;
  const auto bits = static_cast<detail::wide_unsigned<T_>>(static_cast<U_>(x));
  const unsigned n = static_cast<unsigned>(static_cast<U_>(count)) % width;
  return n == 0 ? x : static_cast<T_>((bits << n) | (bits >> (width - n)));
}

/// Upper half of the product.
template <class T_, detail::integer_only<T_> = 0> constexpr T_ mul_hi(T_ x, T_ y) {
  if constexpr (sizeof(T_) < 8) {
    using Wide = std::conditional_t<std::is_signed_v<T_>, std::int64_t, std::uint64_t>;
    return static_cast<T_>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> detail::bit_width<T_>);
  } else {
#ifdef __SYCL_DEVICE_ONLY__
    if constexpr (std::is_signed_v<T_>)
      return static_cast<T_>(__spirv_ocl_s_mul_hi(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
    else
      return static_cast<T_>(__spirv_ocl_u_mul_hi(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
#else
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T_>, __int128, unsigned __int128>;
    return static_cast<T_>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> 64);
#endif
  }
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ mad_hi(T_ x, T_ y, T_ z) {
  return static_cast<T_>(static_cast<detail::wide_unsigned<T_>>(mul_hi(x, y)) +
                         static_cast<detail::wide_unsigned<T_>>(z));
}

template <class T_, detail::integer_only<T_> = 0> constexpr T_ mad_sat(T_ x, T_ y, T_ z) {
  constexpr T_ least = std::numeric_limits<T_>::min();
  constexpr T_ most = std::numeric_limits<T_>::max();
  if constexpr (sizeof(T_) < 8) {
    // Neither the product nor the sum leaves 64 bits.
    using Wide = std::conditional_t<std::is_signed_v<T_>, std::int64_t, std::uint64_t>;
    const Wide sum = static_cast<Wide>(x) * static_cast<Wide>(y) + static_cast<Wide>(z);
    return sum < static_cast<Wide>(least) ? least : sum > static_cast<Wide>(most) ? most : static_cast<T_>(sum);
  } else {
    using U_ = std::make_unsigned_t<T_>;
    const U_ low = static_cast<U_>(x) * static_cast<U_>(y);
    const U_ sum = low + static_cast<U_>(z);
    const U_ carry = sum < low ? 1u : 0u;
    // The sum is high:sum in twice the width; it fits if `high` only extends the sign of `sum`.
    const U_ extension = std::is_signed_v<T_> && z < 0 ? ~U_(0) : U_(0);
    const T_ high = static_cast<T_>(static_cast<U_>(mul_hi(x, y)) + extension + carry);
    if constexpr (std::is_signed_v<T_>) {
      if (high == (static_cast<T_>(sum) < 0 ? T_(-1) : T_(0)))
        return static_cast<T_>(sum);
      return high < 0 ? least : most;
    } else {
      return high == 0 ? static_cast<T_>(sum) : most;
    }
  }
}

/// Product of the lower 24 bits.
template <class T_, std::enable_if_t<std::is_integral_v<T_> && sizeof(T_) == 4, int> = 0>
constexpr T_ mul24(T_ x, T_ y) {
  if constexpr (std::is_signed_v<T_>) {
    const auto extend = [](T_ v) {
      return static_cast<std::int64_t>(static_cast<T_>(static_cast<unsigned>(v) << 8) >> 8);
    };
    return static_cast<T_>(extend(x) * extend(y));
  } else {
    return (x & 0xffffffu) * (y & 0xffffffu);
  }
}
template <class T_, std::enable_if_t<std::is_integral_v<T_> && sizeof(T_) == 4, int> = 0>
constexpr T_ mad24(T_ x, T_ y, T_ z) {
  return static_cast<T_>(static_cast<unsigned>(mul24(x, y)) + static_cast<unsigned>(z));
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

template <class T_, detail::integer_only<T_> = 0> constexpr T_ max(T_ x, T_ y) { return x < y ? y : x; }
template <class T_, detail::integer_only<T_> = 0> constexpr T_ min(T_ x, T_ y) { return y < x ? y : x; }
template <class T_, detail::integer_only<T_> = 0> constexpr T_ clamp(T_ x, T_ low, T_ high) {
  return min(max(x, low), high);
}

} // namespace _V1
} // namespace sycl
