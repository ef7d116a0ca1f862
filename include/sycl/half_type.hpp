// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// IEEE binary16 bits of `value`, rounded to nearest even; NaNs keep the upper bits of their payload and become quiet.
constexpr std::uint16_t half_bits_from_float(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) // rounds to 65536 or more
    return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) { // normal: from 2^-14
    const std::uint32_t rebased = magnitude - 0x38000000u;
    return static_cast<std::uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13));
  }
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent < 102) // below 2^-25: rounds to zero
    return static_cast<std::uint16_t>(sign);
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t shift = 126 - exponent;
  const std::uint32_t kept = significand >> shift;
  const std::uint32_t rest = significand & ((1u << shift) - 1u);
  const std::uint32_t middle = 1u << (shift - 1u);
  const std::uint32_t up = rest > middle || (rest == middle && (kept & 1u) != 0u) ? 1u : 0u;
  return static_cast<std::uint16_t>(sign | (kept + up));
}

constexpr float float_from_half_bits(std::uint16_t half_bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half_bits & 0x8000u) << 16;
  std::uint32_t exponent = (half_bits >> 10) & 0x1fu;
  std::uint32_t fraction = half_bits & 0x3ffu;
  std::uint32_t bits = sign;
  if (exponent == 0x1fu) {
    bits |= 0x7f800000u | (fraction << 13) | (fraction != 0 ? 0x400000u : 0u);
  } else if (exponent != 0) {
    bits |= ((exponent + 112u) << 23) | (fraction << 13);
  } else if (fraction != 0) {
    exponent = 113;
    while ((fraction & 0x400u) == 0) {
      fraction <<= 1;
      --exponent;
    }
    bits |= (exponent << 23) | ((fraction & 0x3ffu) << 13);
  }
  return __builtin_bit_cast(float, bits);
}

} // namespace detail

/// IEEE binary16 (SYCL 2020, 4.14.3). On the host, arithmetic is that of `float`, rounded once per operation.
class half {
#ifdef __SYCL_DEVICE_ONLY__
  using storage = _Float16;
#else
  using storage = std::uint16_t;
#endif

public:
  half() = default;

#ifdef __SYCL_DEVICE_ONLY__
  constexpr half(float value) : value_(static_cast<_Float16>(value)) {}
  // A template, so that other numbers have the one conversion by `float`, as on the host.
  template <class T_, std::enable_if_t<std::is_same_v<T_, _Float16>, int> = 0>
  constexpr half(T_ value) : value_(value) {}
  constexpr operator float() const { return static_cast<float>(value_); }
  /// The compiler's own type, for built-in functions.
  constexpr _Float16 native() const { return value_; }
#else
  constexpr half(float value) : value_(detail::half_bits_from_float(value)) {}
  constexpr operator float() const { return detail::float_from_half_bits(value_); }
#endif

#ifdef __SYCL_DEVICE_ONLY__
#define SYCLRTC_DETAIL_HALF_OP(op)                                                                                     \
  friend constexpr half operator op(half a, half b) { return half(static_cast<_Float16>(a.value_ op b.value_)); }
#define SYCLRTC_DETAIL_HALF_COMPARE(op)                                                                                \
  friend constexpr bool operator op(half a, half b) { return a.value_ op b.value_; }
#else
#define SYCLRTC_DETAIL_HALF_OP(op)                                                                                     \
  friend constexpr half operator op(half a, half b) { return half(float(a) op float(b)); }
#define SYCLRTC_DETAIL_HALF_COMPARE(op)                                                                                \
  friend constexpr bool operator op(half a, half b) { return float(a) op float(b); }
#endif

// With another arithmetic type: an integer becomes half, a wider floating type decides the result.
#define SYCLRTC_DETAIL_HALF_MIXED(op)                                                                                  \
  template <class T_, std::enable_if_t<std::is_arithmetic_v<T_>, int> = 0>                                             \
  friend constexpr auto operator op(half a, T_ b) {                                                                    \
    if constexpr (std::is_floating_point_v<T_>)                                                                        \
      return static_cast<T_>(float(a)) op b;                                                                           \
    else                                                                                                               \
      return a op half(static_cast<float>(b));                                                                         \
  }                                                                                                                    \
  template <class T_, std::enable_if_t<std::is_arithmetic_v<T_>, int> = 0>                                             \
  friend constexpr auto operator op(T_ a, half b) {                                                                    \
    if constexpr (std::is_floating_point_v<T_>)                                                                        \
      return a op static_cast<T_>(float(b));                                                                           \
    else                                                                                                               \
      return half(static_cast<float>(a)) op b;                                                                         \
  }
#define SYCLRTC_DETAIL_HALF_COMPOUND(op, compound)                                                                     \
  template <class T_, std::enable_if_t<std::is_arithmetic_v<T_> || std::is_same_v<T_, half>, int> = 0>                 \
  friend constexpr half &operator compound(half &a, T_ b) {                                                            \
    a = half(static_cast<float>(a op b));                                                                              \
    return a;                                                                                                          \
  }

  SYCLRTC_DETAIL_HALF_OP(+)
  SYCLRTC_DETAIL_HALF_OP(-)
  SYCLRTC_DETAIL_HALF_OP(*)
  SYCLRTC_DETAIL_HALF_OP(/)
  SYCLRTC_DETAIL_HALF_MIXED(+)
  SYCLRTC_DETAIL_HALF_MIXED(-)
  SYCLRTC_DETAIL_HALF_MIXED(*)
  SYCLRTC_DETAIL_HALF_MIXED(/)
  SYCLRTC_DETAIL_HALF_COMPOUND(+, +=)
  SYCLRTC_DETAIL_HALF_COMPOUND(-, -=)
  SYCLRTC_DETAIL_HALF_COMPOUND(*, *=)
  SYCLRTC_DETAIL_HALF_COMPOUND(/, /=)
  SYCLRTC_DETAIL_HALF_COMPARE(==)
  SYCLRTC_DETAIL_HALF_COMPARE(!=)
  SYCLRTC_DETAIL_HALF_COMPARE(<)
  SYCLRTC_DETAIL_HALF_COMPARE(>)
  SYCLRTC_DETAIL_HALF_COMPARE(<=)
  SYCLRTC_DETAIL_HALF_COMPARE(>=)
  SYCLRTC_DETAIL_HALF_MIXED(==)
  SYCLRTC_DETAIL_HALF_MIXED(!=)
  SYCLRTC_DETAIL_HALF_MIXED(<)
  SYCLRTC_DETAIL_HALF_MIXED(>)
  SYCLRTC_DETAIL_HALF_MIXED(<=)
  SYCLRTC_DETAIL_HALF_MIXED(>=)

#undef SYCLRTC_DETAIL_HALF_OP
#undef SYCLRTC_DETAIL_HALF_COMPARE
#undef SYCLRTC_DETAIL_HALF_MIXED
#undef SYCLRTC_DETAIL_HALF_COMPOUND

  friend constexpr half operator+(half a) { return a; }
  friend constexpr half operator-(half a) {
#ifdef __SYCL_DEVICE_ONLY__
    return half(static_cast<_Float16>(-a.value_));
#else
    return from_bits(static_cast<std::uint16_t>(a.value_ ^ 0x8000u));
#endif
  }
  friend constexpr half &operator++(half &a) { return a += half(1.0f); }
  friend constexpr half &operator--(half &a) { return a -= half(1.0f); }
  friend constexpr half operator++(half &a, int) {
    const half old = a;
    ++a;
    return old;
  }
  friend constexpr half operator--(half &a, int) {
    const half old = a;
    --a;
    return old;
  }

  /// The number with these bits.
  static constexpr half from_bits(std::uint16_t bits) {
    half r(0.0f);
    r.value_ = __builtin_bit_cast(storage, bits);
    return r;
  }

private:
  storage value_;
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>, "host and device pass half by its bytes");

} // namespace _V1
} // namespace sycl

template <> struct std::numeric_limits<sycl::half> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  static constexpr sycl::half(min)() noexcept { return sycl::half::from_bits(0x0400); }
  static constexpr sycl::half(max)() noexcept { return sycl::half::from_bits(0x7bff); }
  static constexpr sycl::half lowest() noexcept { return sycl::half::from_bits(0xfbff); }
  static constexpr sycl::half epsilon() noexcept { return sycl::half::from_bits(0x1400); }
  static constexpr sycl::half round_error() noexcept { return sycl::half::from_bits(0x3800); }
  static constexpr sycl::half infinity() noexcept { return sycl::half::from_bits(0x7c00); }
  static constexpr sycl::half quiet_NaN() noexcept { return sycl::half::from_bits(0x7e00); }
  static constexpr sycl::half signaling_NaN() noexcept { return sycl::half::from_bits(0x7d00); }
  static constexpr sycl::half denorm_min() noexcept { return sycl::half::from_bits(0x0001); }
};
