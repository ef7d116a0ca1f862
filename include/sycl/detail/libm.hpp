// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The C functions that the standard library's headers call and that the compiler turns into no instruction. Everything
// here is inline and used by name, so that it serves a source that includes `<cmath>` alone: it includes nothing, and
// may come before or after the standard headers.

#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/detail/defines.hpp>

#define SYCLRTC_DETAIL_OCL1(name)                                                                                      \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float);                                                              \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double);                                                            \
  extern "C" inline float name##f(float x) noexcept { return __spirv_ocl_##name(x); }                                  \
  extern "C" inline double name(double x) noexcept { return __spirv_ocl_##name(x); }

#define SYCLRTC_DETAIL_OCL2(name)                                                                                      \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, float);                                                       \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, double);                                                    \
  extern "C" inline float name##f(float x, float y) noexcept { return __spirv_ocl_##name(x, y); }                      \
  extern "C" inline double name(double x, double y) noexcept { return __spirv_ocl_##name(x, y); }

SYCLRTC_DETAIL_OCL1(acosh)
SYCLRTC_DETAIL_OCL1(asinh)
SYCLRTC_DETAIL_OCL1(atanh)
SYCLRTC_DETAIL_OCL1(cbrt)
SYCLRTC_DETAIL_OCL1(erf)
SYCLRTC_DETAIL_OCL1(erfc)
SYCLRTC_DETAIL_OCL1(expm1)
SYCLRTC_DETAIL_OCL1(lgamma)
SYCLRTC_DETAIL_OCL1(log1p)
SYCLRTC_DETAIL_OCL1(logb)
SYCLRTC_DETAIL_OCL1(tgamma)
SYCLRTC_DETAIL_OCL2(fdim)
SYCLRTC_DETAIL_OCL2(hypot)
SYCLRTC_DETAIL_OCL2(nextafter)
SYCLRTC_DETAIL_OCL2(remainder)

#undef SYCLRTC_DETAIL_OCL1
#undef SYCLRTC_DETAIL_OCL2

#define SYCLRTC_DETAIL_OCL(type, suffix)                                                                               \
  SYCLRTC_DETAIL_BUILTIN int __spirv_ocl_ilogb(type);                                                                  \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_ldexp(type, int);                                                            \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_frexp(type, int *);                                                          \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_modf(type, type *);                                                          \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_remquo(type, type, int *);                                                   \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_rint(type);                                                                  \
  SYCLRTC_DETAIL_BUILTIN type __spirv_ocl_round(type);                                                                 \
  extern "C" inline int ilogb##suffix(type x) noexcept { return __spirv_ocl_ilogb(x); }                                \
  extern "C" inline type ldexp##suffix(type x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }                     \
  extern "C" inline type scalbn##suffix(type x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }                    \
  extern "C" inline type scalbln##suffix(type x, long n) noexcept {                                                    \
    /* Beyond these every finite number over- or underflows. */                                                        \
    constexpr long limit = 5000;                                                                                       \
    return __spirv_ocl_ldexp(x, static_cast<int>(n < -limit ? -limit : n > limit ? limit : n));                        \
  }                                                                                                                    \
  extern "C" inline type frexp##suffix(type x, int *exponent) noexcept { return __spirv_ocl_frexp(x, exponent); }      \
  extern "C" inline type modf##suffix(type x, type *whole) noexcept { return __spirv_ocl_modf(x, whole); }             \
  extern "C" inline type remquo##suffix(type x, type y, int *quotient) noexcept {                                      \
    return __spirv_ocl_remquo(x, y, quotient);                                                                         \
  }                                                                                                                    \
  extern "C" inline long lrint##suffix(type x) noexcept { return static_cast<long>(__spirv_ocl_rint(x)); }             \
  extern "C" inline long long llrint##suffix(type x) noexcept { return static_cast<long long>(__spirv_ocl_rint(x)); }  \
  extern "C" inline long lround##suffix(type x) noexcept { return static_cast<long>(__spirv_ocl_round(x)); }           \
  extern "C" inline long long llround##suffix(type x) noexcept { return static_cast<long long>(__spirv_ocl_round(x)); }

SYCLRTC_DETAIL_OCL(float, f)
SYCLRTC_DETAIL_OCL(double, )

#undef SYCLRTC_DETAIL_OCL

#endif
