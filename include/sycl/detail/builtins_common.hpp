// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Macros by which the math functions are written once for host and device. Undefined again by their user.

#include <sycl/detail/defines.hpp>
#include <sycl/half_type.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#ifndef __SYCL_DEVICE_ONLY__
#include <cmath>
#endif

#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/detail/ocl_builtins.hpp>

#define SYCLRTC_DETAIL_MATH1(name, host)                                                                               \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x) { return __spirv_ocl_##name(x); }                            \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x) { return __spirv_ocl_##name(x); }                          \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x) { return __spirv_ocl_##name(x.native()); }

#define SYCLRTC_DETAIL_MATH2(name, host)                                                                               \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, float y) { return __spirv_ocl_##name(x, y); }                \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, double y) { return __spirv_ocl_##name(x, y); }             \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, half y) { return __spirv_ocl_##name(x.native(), y.native()); }

#define SYCLRTC_DETAIL_MATH3(name, host)                                                                               \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, float y, float z) { return __spirv_ocl_##name(x, y, z); }    \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, double y, double z) {                                      \
    return __spirv_ocl_##name(x, y, z);                                                                                \
  }                                                                                                                    \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, half y, half z) {                                              \
    return __spirv_ocl_##name(x.native(), y.native(), z.native());                                                     \
  }

#define SYCLRTC_DETAIL_MATH_INT(name, host)                                                                            \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, int n) { return __spirv_ocl_##name(x, n); }                  \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, int n) { return __spirv_ocl_##name(x, n); }                \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, int n) { return __spirv_ocl_##name(x.native(), n); }

#define SYCLRTC_DETAIL_MATH_TO_INT(name, host)                                                                         \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline int name(float x) { return __spirv_ocl_##name(x); }                              \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline int name(double x) { return __spirv_ocl_##name(x); }                             \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline int name(half x) { return __spirv_ocl_##name(x.native()); }

#define SYCLRTC_DETAIL_MATH_OUT(name, host)                                                                            \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, float *out) { return __spirv_ocl_##name(x, out); }           \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, double *out) { return __spirv_ocl_##name(x, out); }        \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, half *out) {                                                   \
    return __spirv_ocl_##name(x.native(), reinterpret_cast<_Float16 *>(out));                                          \
  }

#define SYCLRTC_DETAIL_MATH_INT_OUT(name, host)                                                                        \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, int *out) { return __spirv_ocl_##name(x, out); }             \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, int *out) { return __spirv_ocl_##name(x, out); }           \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, int *out) { return __spirv_ocl_##name(x.native(), out); }

#define SYCLRTC_DETAIL_MATH_REMQUO(name, host)                                                                         \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, float y, int *out) { return __spirv_ocl_##name(x, y, out); } \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline double name(double x, double y, int *out) {                                      \
    return __spirv_ocl_##name(x, y, out);                                                                              \
  }                                                                                                                    \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline half name(half x, half y, int *out) {                                            \
    return __spirv_ocl_##name(x.native(), y.native(), out);                                                            \
  }

#define SYCLRTC_DETAIL_FAST1(prefix, name, host)                                                                       \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x) { return __spirv_ocl_##prefix##_##name(x); }
#define SYCLRTC_DETAIL_FAST2(prefix, name, host)                                                                       \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline float name(float x, float y) { return __spirv_ocl_##prefix##_##name(x, y); }

#else

#define SYCLRTC_DETAIL_MATH1(name, host)                                                                               \
  inline float name(float x) {                                                                                         \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x) {                                                                                       \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x) { return half(name(static_cast<float>(x))); }

#define SYCLRTC_DETAIL_MATH2(name, host)                                                                               \
  inline float name(float x, float y) {                                                                                \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, double y) {                                                                             \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, half y) { return half(name(static_cast<float>(x), static_cast<float>(y))); }

#define SYCLRTC_DETAIL_MATH3(name, host)                                                                               \
  inline float name(float x, float y, float z) {                                                                       \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, double y, double z) {                                                                   \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, half y, half z) {                                                                           \
    return half(name(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));                            \
  }

#define SYCLRTC_DETAIL_MATH_INT(name, host)                                                                            \
  inline float name(float x, int n) {                                                                                  \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, int n) {                                                                                \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, int n) { return half(name(static_cast<float>(x), n)); }

#define SYCLRTC_DETAIL_MATH_TO_INT(name, host)                                                                         \
  inline int name(float x) {                                                                                           \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline int name(double x) {                                                                                          \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline int name(half x) { return name(static_cast<float>(x)); }

#define SYCLRTC_DETAIL_MATH_OUT(name, host)                                                                            \
  inline float name(float x, float *out) {                                                                             \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, double *out) {                                                                          \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, half *out) {                                                                                \
    float wide = 0;                                                                                                    \
    const half result = half(name(static_cast<float>(x), &wide));                                                      \
    *out = half(wide);                                                                                                 \
    return result;                                                                                                     \
  }

#define SYCLRTC_DETAIL_MATH_INT_OUT(name, host)                                                                        \
  inline float name(float x, int *out) {                                                                               \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, int *out) {                                                                             \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, int *out) { return half(name(static_cast<float>(x), out)); }

#define SYCLRTC_DETAIL_MATH_REMQUO(name, host)                                                                         \
  inline float name(float x, float y, int *out) {                                                                      \
    using T_ [[maybe_unused]] = float;                                                                                 \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline double name(double x, double y, int *out) {                                                                   \
    using T_ [[maybe_unused]] = double;                                                                                \
    return host;                                                                                                       \
  }                                                                                                                    \
  inline half name(half x, half y, int *out) { return half(name(static_cast<float>(x), static_cast<float>(y), out)); }

#define SYCLRTC_DETAIL_FAST1(prefix, name, host)                                                                       \
  inline float name(float x) { return host; }
#define SYCLRTC_DETAIL_FAST2(prefix, name, host)                                                                       \
  inline float name(float x, float y) { return host; }

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class T_> inline constexpr T_ pi = static_cast<T_>(3.141592653589793238462643383279502884L);

/// sin(pi * (x + shift / 2)). The argument is reduced before the product with pi, which is the inexact step.
template <class T_> T_ host_sinpi_shifted(T_ x, int shift) {
  const T_ turns = std::fmod(x, T_(2));
  const T_ nearest = std::round(turns * T_(2));
  const T_ angle = pi<T_> * (turns - nearest / T_(2));
  if (!std::isfinite(x))
    return std::numeric_limits<T_>::quiet_NaN();
  switch ((static_cast<int>(nearest) + shift + 8) % 4) {
  case 0:
    return std::sin(angle);
  case 1:
    return std::cos(angle);
  case 2:
    return -std::sin(angle);
  default:
    return -std::cos(angle);
  }
}

template <class T_> T_ host_sinpi(T_ x) {
  const T_ r = host_sinpi_shifted(x, 0);
  return r == T_(0) ? std::copysign(T_(0), x) : r;
}
template <class T_> T_ host_cospi(T_ x) {
  const T_ r = host_sinpi_shifted(x, 1);
  return r == T_(0) ? T_(0) : r;
}
template <class T_> T_ host_tanpi(T_ x) { return host_sinpi(x) / host_cospi(x); }

/// The neighbour of x towards y: the bits of a number, as an integer, follow its magnitude.
inline half host_nextafter(half x, half y) {
  const float from = x, to = y;
  if (std::isnan(from) || from == to)
    return std::isnan(from) ? x : y;
  if (std::isnan(to))
    return y;
  const auto bits = __builtin_bit_cast(std::uint16_t, x);
  if (from == 0.0f)
    return half::from_bits(to < 0.0f ? 0x8001 : 0x0001);
  return half::from_bits(static_cast<std::uint16_t>((from < to) == (from > 0.0f) ? bits + 1 : bits - 1));
}

template <class T_> T_ host_rootn(T_ x, int n) {
  if (x < T_(0) && n % 2 != 0)
    return -std::pow(-x, T_(1) / static_cast<T_>(n));
  return std::pow(x, T_(1) / static_cast<T_>(n));
}

template <class T_> T_ host_fract(T_ x, T_ *whole) {
  *whole = std::floor(x);
  if (std::isinf(x))
    return std::copysign(T_(0), x);
  return std::fmin(x - *whole, std::nextafter(T_(1), T_(0)));
}

template <class T_> T_ host_sincos(T_ x, T_ *cosine) {
  *cosine = std::cos(x);
  return std::sin(x);
}

/// `std::lgamma` leaves the sign in a global; it is that of gamma(x), negative between odd pairs of negative integers.
template <class T_> T_ host_lgamma_r(T_ x, int *sign) {
  *sign = x < T_(0) && std::fmod(std::floor(x), T_(2)) != T_(0) ? -1 : 1;
  return std::lgamma(x);
}

} // namespace detail
} // namespace _V1
} // namespace sycl

#endif
