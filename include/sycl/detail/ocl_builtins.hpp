// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Declarations of the OpenCL.std functions that the SPIR-V back end knows.

#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/detail/defines.hpp>

#include <cstdint>

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float);                                                              \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double);                                                            \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16);
SYCLRTC_DETAIL_DECLARE(acos)
SYCLRTC_DETAIL_DECLARE(acosh)
SYCLRTC_DETAIL_DECLARE(asin)
SYCLRTC_DETAIL_DECLARE(asinh)
SYCLRTC_DETAIL_DECLARE(atan)
SYCLRTC_DETAIL_DECLARE(atanh)
SYCLRTC_DETAIL_DECLARE(cbrt)
SYCLRTC_DETAIL_DECLARE(ceil)
SYCLRTC_DETAIL_DECLARE(cos)
SYCLRTC_DETAIL_DECLARE(cosh)
SYCLRTC_DETAIL_DECLARE(erf)
SYCLRTC_DETAIL_DECLARE(erfc)
SYCLRTC_DETAIL_DECLARE(exp)
SYCLRTC_DETAIL_DECLARE(exp2)
SYCLRTC_DETAIL_DECLARE(expm1)
SYCLRTC_DETAIL_DECLARE(fabs)
SYCLRTC_DETAIL_DECLARE(floor)
SYCLRTC_DETAIL_DECLARE(lgamma)
SYCLRTC_DETAIL_DECLARE(log)
SYCLRTC_DETAIL_DECLARE(log2)
SYCLRTC_DETAIL_DECLARE(log10)
SYCLRTC_DETAIL_DECLARE(log1p)
SYCLRTC_DETAIL_DECLARE(logb)
SYCLRTC_DETAIL_DECLARE(rint)
SYCLRTC_DETAIL_DECLARE(round)
SYCLRTC_DETAIL_DECLARE(sin)
SYCLRTC_DETAIL_DECLARE(sinh)
SYCLRTC_DETAIL_DECLARE(sqrt)
SYCLRTC_DETAIL_DECLARE(tan)
SYCLRTC_DETAIL_DECLARE(tanh)
SYCLRTC_DETAIL_DECLARE(tgamma)
SYCLRTC_DETAIL_DECLARE(trunc)
SYCLRTC_DETAIL_DECLARE(acospi)
SYCLRTC_DETAIL_DECLARE(asinpi)
SYCLRTC_DETAIL_DECLARE(atanpi)
SYCLRTC_DETAIL_DECLARE(cospi)
SYCLRTC_DETAIL_DECLARE(sinpi)
SYCLRTC_DETAIL_DECLARE(tanpi)
SYCLRTC_DETAIL_DECLARE(exp10)
SYCLRTC_DETAIL_DECLARE(rsqrt)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, float);                                                       \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, double);                                                    \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, _Float16);
SYCLRTC_DETAIL_DECLARE(atan2)
SYCLRTC_DETAIL_DECLARE(copysign)
SYCLRTC_DETAIL_DECLARE(fdim)
SYCLRTC_DETAIL_DECLARE(fmax)
SYCLRTC_DETAIL_DECLARE(fmin)
SYCLRTC_DETAIL_DECLARE(fmod)
SYCLRTC_DETAIL_DECLARE(hypot)
SYCLRTC_DETAIL_DECLARE(nextafter)
SYCLRTC_DETAIL_DECLARE(pow)
SYCLRTC_DETAIL_DECLARE(remainder)
SYCLRTC_DETAIL_DECLARE(atan2pi)
SYCLRTC_DETAIL_DECLARE(maxmag)
SYCLRTC_DETAIL_DECLARE(minmag)
SYCLRTC_DETAIL_DECLARE(powr)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, float, float);                                                \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, double, double);                                            \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, _Float16, _Float16);
SYCLRTC_DETAIL_DECLARE(fma)
SYCLRTC_DETAIL_DECLARE(mad)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, int);                                                         \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, int);                                                       \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, int);
SYCLRTC_DETAIL_DECLARE(ldexp)
SYCLRTC_DETAIL_DECLARE(pown)
SYCLRTC_DETAIL_DECLARE(rootn)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN int __spirv_ocl_##name(float);                                                                \
  SYCLRTC_DETAIL_BUILTIN int __spirv_ocl_##name(double);                                                               \
  SYCLRTC_DETAIL_BUILTIN int __spirv_ocl_##name(_Float16);
SYCLRTC_DETAIL_DECLARE(ilogb)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, float *);                                                     \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, double *);                                                  \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, _Float16 *);
SYCLRTC_DETAIL_DECLARE(fract)
SYCLRTC_DETAIL_DECLARE(modf)
SYCLRTC_DETAIL_DECLARE(sincos)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, int *);                                                       \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, int *);                                                     \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, int *);
SYCLRTC_DETAIL_DECLARE(frexp)
SYCLRTC_DETAIL_DECLARE(lgamma_r)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_##name(float, float, int *);                                                \
  SYCLRTC_DETAIL_BUILTIN double __spirv_ocl_##name(double, double, int *);                                             \
  SYCLRTC_DETAIL_BUILTIN _Float16 __spirv_ocl_##name(_Float16, _Float16, int *);
SYCLRTC_DETAIL_DECLARE(remquo)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_native_##name(float);                                                       \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_half_##name(float);
SYCLRTC_DETAIL_DECLARE(cos)
SYCLRTC_DETAIL_DECLARE(exp)
SYCLRTC_DETAIL_DECLARE(exp2)
SYCLRTC_DETAIL_DECLARE(exp10)
SYCLRTC_DETAIL_DECLARE(log)
SYCLRTC_DETAIL_DECLARE(log2)
SYCLRTC_DETAIL_DECLARE(log10)
SYCLRTC_DETAIL_DECLARE(rsqrt)
SYCLRTC_DETAIL_DECLARE(sin)
SYCLRTC_DETAIL_DECLARE(sqrt)
SYCLRTC_DETAIL_DECLARE(tan)
SYCLRTC_DETAIL_DECLARE(recip)
#undef SYCLRTC_DETAIL_DECLARE

#define SYCLRTC_DETAIL_DECLARE(name)                                                                                   \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_native_##name(float, float);                                                \
  SYCLRTC_DETAIL_BUILTIN float __spirv_ocl_half_##name(float, float);
SYCLRTC_DETAIL_DECLARE(divide)
SYCLRTC_DETAIL_DECLARE(powr)
#undef SYCLRTC_DETAIL_DECLARE

SYCLRTC_DETAIL_BUILTIN std::int64_t __spirv_ocl_s_mul_hi(std::int64_t, std::int64_t);
SYCLRTC_DETAIL_BUILTIN std::uint64_t __spirv_ocl_u_mul_hi(std::uint64_t, std::uint64_t);

#endif
