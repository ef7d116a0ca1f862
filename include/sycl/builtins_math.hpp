// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/builtins_common.hpp>

namespace sycl {
inline namespace _V1 {

// Math functions (SYCL 2020, 4.17.5) of `float`, `double` and `half`. On the device they are the driver's; on the host
// they come from the C++ library, and those of `half` are computed in `float`.

SYCLRTC_DETAIL_MATH1(acos, std::acos(x))
SYCLRTC_DETAIL_MATH1(acosh, std::acosh(x))
SYCLRTC_DETAIL_MATH1(asin, std::asin(x))
SYCLRTC_DETAIL_MATH1(asinh, std::asinh(x))
SYCLRTC_DETAIL_MATH1(atan, std::atan(x))
SYCLRTC_DETAIL_MATH1(atanh, std::atanh(x))
SYCLRTC_DETAIL_MATH1(cbrt, std::cbrt(x))
SYCLRTC_DETAIL_MATH1(ceil, std::ceil(x))
SYCLRTC_DETAIL_MATH1(cos, std::cos(x))
SYCLRTC_DETAIL_MATH1(cosh, std::cosh(x))
SYCLRTC_DETAIL_MATH1(erf, std::erf(x))
SYCLRTC_DETAIL_MATH1(erfc, std::erfc(x))
SYCLRTC_DETAIL_MATH1(exp, std::exp(x))
SYCLRTC_DETAIL_MATH1(exp2, std::exp2(x))
SYCLRTC_DETAIL_MATH1(expm1, std::expm1(x))
SYCLRTC_DETAIL_MATH1(fabs, std::fabs(x))
SYCLRTC_DETAIL_MATH1(floor, std::floor(x))
SYCLRTC_DETAIL_MATH1(lgamma, std::lgamma(x))
SYCLRTC_DETAIL_MATH1(log, std::log(x))
SYCLRTC_DETAIL_MATH1(log2, std::log2(x))
SYCLRTC_DETAIL_MATH1(log10, std::log10(x))
SYCLRTC_DETAIL_MATH1(log1p, std::log1p(x))
SYCLRTC_DETAIL_MATH1(logb, std::logb(x))
SYCLRTC_DETAIL_MATH1(rint, std::rint(x))
SYCLRTC_DETAIL_MATH1(round, std::round(x))
SYCLRTC_DETAIL_MATH1(sin, std::sin(x))
SYCLRTC_DETAIL_MATH1(sinh, std::sinh(x))
SYCLRTC_DETAIL_MATH1(sqrt, std::sqrt(x))
SYCLRTC_DETAIL_MATH1(tan, std::tan(x))
SYCLRTC_DETAIL_MATH1(tanh, std::tanh(x))
SYCLRTC_DETAIL_MATH1(tgamma, std::tgamma(x))
SYCLRTC_DETAIL_MATH1(trunc, std::trunc(x))
SYCLRTC_DETAIL_MATH1(acospi, std::acos(x) / detail::pi<T_>)
SYCLRTC_DETAIL_MATH1(asinpi, std::asin(x) / detail::pi<T_>)
SYCLRTC_DETAIL_MATH1(atanpi, std::atan(x) / detail::pi<T_>)
SYCLRTC_DETAIL_MATH1(cospi, detail::host_cospi(x))
SYCLRTC_DETAIL_MATH1(sinpi, detail::host_sinpi(x))
SYCLRTC_DETAIL_MATH1(tanpi, detail::host_tanpi(x))
SYCLRTC_DETAIL_MATH1(exp10, std::pow(T_(10), x))
SYCLRTC_DETAIL_MATH1(rsqrt, T_(1) / std::sqrt(x))
SYCLRTC_DETAIL_MATH2(atan2, std::atan2(x, y))
SYCLRTC_DETAIL_MATH2(copysign, std::copysign(x, y))
SYCLRTC_DETAIL_MATH2(fdim, std::fdim(x, y))
SYCLRTC_DETAIL_MATH2(fmax, std::fmax(x, y))
SYCLRTC_DETAIL_MATH2(fmin, std::fmin(x, y))
SYCLRTC_DETAIL_MATH2(fmod, std::fmod(x, y))
SYCLRTC_DETAIL_MATH2(hypot, std::hypot(x, y))
#ifdef __SYCL_DEVICE_ONLY__
SYCLRTC_DETAIL_MATH2(nextafter, )
#else
inline float nextafter(float x, float y) { return std::nextafter(x, y); }
inline double nextafter(double x, double y) { return std::nextafter(x, y); }
inline half nextafter(half x, half y) { return detail::host_nextafter(x, y); }
#endif
SYCLRTC_DETAIL_MATH2(pow, std::pow(x, y))
SYCLRTC_DETAIL_MATH2(remainder, std::remainder(x, y))
SYCLRTC_DETAIL_MATH2(atan2pi, std::atan2(x, y) / detail::pi<T_>)
SYCLRTC_DETAIL_MATH2(maxmag, std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y))
SYCLRTC_DETAIL_MATH2(minmag, std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y))
SYCLRTC_DETAIL_MATH2(powr, x < T_(0) ? std::numeric_limits<T_>::quiet_NaN() : std::pow(x, y))
SYCLRTC_DETAIL_MATH3(fma, std::fma(x, y, z))
SYCLRTC_DETAIL_MATH3(mad, x *y + z)
SYCLRTC_DETAIL_MATH_INT(ldexp, std::ldexp(x, n))
SYCLRTC_DETAIL_MATH_INT(pown, std::pow(x, static_cast<T_>(n)))
SYCLRTC_DETAIL_MATH_INT(rootn, detail::host_rootn(x, n))
SYCLRTC_DETAIL_MATH_TO_INT(ilogb, std::ilogb(x))

// Functions with a second result, behind a pointer to any address space.
SYCLRTC_DETAIL_MATH_OUT(fract, detail::host_fract(x, out))
SYCLRTC_DETAIL_MATH_OUT(modf, std::modf(x, out))
SYCLRTC_DETAIL_MATH_OUT(sincos, detail::host_sincos(x, out))
SYCLRTC_DETAIL_MATH_INT_OUT(frexp, std::frexp(x, out))
SYCLRTC_DETAIL_MATH_INT_OUT(lgamma_r, detail::host_lgamma_r(x, out))
SYCLRTC_DETAIL_MATH_REMQUO(remquo, std::remquo(x, y, out))

/// A quiet NaN whose payload is taken from `code`.
SYCLRTC_DETAIL_ALWAYS_INLINE inline float nan(unsigned int code) {
  return __builtin_bit_cast(float, 0x7fc00000u | (code & 0x3fffffu));
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline double nan(unsigned long code) {
  return __builtin_bit_cast(double, 0x7ff8000000000000ul | (code & 0x7fffffffffffful));
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline double nan(unsigned long long code) {
  return nan(static_cast<unsigned long>(code));
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline half nan(unsigned short code) {
  return half::from_bits(static_cast<std::uint16_t>(0x7e00u | (code & 0x1ffu)));
}

/// Faster functions of `float`, as exact as the device makes them.
namespace native {

SYCLRTC_DETAIL_FAST1(native, cos, sycl::cos(x))
SYCLRTC_DETAIL_FAST1(native, exp, sycl::exp(x))
SYCLRTC_DETAIL_FAST1(native, exp2, sycl::exp2(x))
SYCLRTC_DETAIL_FAST1(native, exp10, sycl::exp10(x))
SYCLRTC_DETAIL_FAST1(native, log, sycl::log(x))
SYCLRTC_DETAIL_FAST1(native, log2, sycl::log2(x))
SYCLRTC_DETAIL_FAST1(native, log10, sycl::log10(x))
SYCLRTC_DETAIL_FAST1(native, rsqrt, sycl::rsqrt(x))
SYCLRTC_DETAIL_FAST1(native, sin, sycl::sin(x))
SYCLRTC_DETAIL_FAST1(native, sqrt, sycl::sqrt(x))
SYCLRTC_DETAIL_FAST1(native, tan, sycl::tan(x))
SYCLRTC_DETAIL_FAST1(native, recip, 1.0f / x)
SYCLRTC_DETAIL_FAST2(native, divide, x / y)
SYCLRTC_DETAIL_FAST2(native, powr, sycl::powr(x, y))

} // namespace native

/// Functions of `float` with at least 10 good bits.
namespace half_precision {

SYCLRTC_DETAIL_FAST1(half, cos, sycl::cos(x))
SYCLRTC_DETAIL_FAST1(half, exp, sycl::exp(x))
SYCLRTC_DETAIL_FAST1(half, exp2, sycl::exp2(x))
SYCLRTC_DETAIL_FAST1(half, exp10, sycl::exp10(x))
SYCLRTC_DETAIL_FAST1(half, log, sycl::log(x))
SYCLRTC_DETAIL_FAST1(half, log2, sycl::log2(x))
SYCLRTC_DETAIL_FAST1(half, log10, sycl::log10(x))
SYCLRTC_DETAIL_FAST1(half, rsqrt, sycl::rsqrt(x))
SYCLRTC_DETAIL_FAST1(half, sin, sycl::sin(x))
SYCLRTC_DETAIL_FAST1(half, sqrt, sycl::sqrt(x))
SYCLRTC_DETAIL_FAST1(half, tan, sycl::tan(x))
SYCLRTC_DETAIL_FAST1(half, recip, 1.0f / x)
SYCLRTC_DETAIL_FAST2(half, divide, x / y)
SYCLRTC_DETAIL_FAST2(half, powr, sycl::powr(x, y))

} // namespace half_precision

} // namespace _V1
} // namespace sycl

#undef SYCLRTC_DETAIL_MATH1
#undef SYCLRTC_DETAIL_MATH2
#undef SYCLRTC_DETAIL_MATH3
#undef SYCLRTC_DETAIL_MATH_INT
#undef SYCLRTC_DETAIL_MATH_TO_INT
#undef SYCLRTC_DETAIL_MATH_OUT
#undef SYCLRTC_DETAIL_MATH_INT_OUT
#undef SYCLRTC_DETAIL_MATH_REMQUO
#undef SYCLRTC_DETAIL_FAST1
#undef SYCLRTC_DETAIL_FAST2
