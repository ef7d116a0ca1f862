// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the C++ standard library's headers expect of its compiled part and of the C library. Includes no standard
// header, and may come before or after them, so that it serves a source that includes only those.

#ifdef __SYCL_DEVICE_ONLY__

// It comes into every compile unasked, so no warning about it is the user's.
#pragma clang system_header

// Under this macro glibc's headers define some of the functions below as inline calls of themselves.
#undef __OPTIMIZE__

// The functions of `<complex>` have types that are an extension in C++.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"

#include <sycl/detail/defines.hpp>
#include <sycl/detail/libm.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Stops the device program. SPIR-V has no trap: `__builtin_trap` becomes "unreachable" there, by which a driver may
/// drop the check that led here. A volatile store to the null pointer stays, and faults.
[[noreturn]] inline void trap() {
  *static_cast<volatile int *>(nullptr) = 0;
  __builtin_trap();
}

} // namespace detail
} // namespace _V1
} // namespace sycl

extern "C" __attribute__((noreturn)) inline void abort() noexcept { ::sycl::detail::trap(); }

/// Answered by the compiler, which knows the constant that the format is.
extern "C" SYCLRTC_DETAIL_BUILTIN int __syclrtc_printf(const char *format, ...);

// As in spirv.hpp, which includes standard headers.
SYCLRTC_DETAIL_BUILTIN __SIZE_TYPE__ __spirv_BuiltInGlobalInvocationId(int);
SYCLRTC_DETAIL_BUILTIN __SIZE_TYPE__ __spirv_BuiltInLocalInvocationId(int);

/// What `assert` calls. Inlined, so that its texts are constants where it is called.
extern "C" __attribute__((noreturn, always_inline)) inline void
__assert_fail(const char *expression, const char *file, unsigned int line, const char *function) noexcept {
  __syclrtc_printf("%s:%u: %s: global id: [%lu,%lu,%lu], local id: [%lu,%lu,%lu] Assertion `%s` failed.\n", file, line,
                   function, __spirv_BuiltInGlobalInvocationId(2), __spirv_BuiltInGlobalInvocationId(1),
                   __spirv_BuiltInGlobalInvocationId(0), __spirv_BuiltInLocalInvocationId(2),
                   __spirv_BuiltInLocalInvocationId(1), __spirv_BuiltInLocalInvocationId(0), expression);
  ::sycl::detail::trap();
}

// Device code has no exceptions: where the library would throw, it traps.
namespace std {

__attribute__((noreturn)) inline void __throw_logic_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_domain_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_invalid_argument(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_length_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_out_of_range(const char *) { ::sycl::detail::trap(); }
// Always inlined: SPIR-V has no functions with an ellipsis.
__attribute__((noreturn, always_inline)) inline void __throw_out_of_range_fmt(const char *, ...) {
  ::sycl::detail::trap();
}
__attribute__((noreturn)) inline void __throw_runtime_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_range_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_overflow_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_underflow_error(const char *) { ::sycl::detail::trap(); }
__attribute__((noreturn)) inline void __throw_bad_function_call() { ::sycl::detail::trap(); }

} // namespace std

// `no_builtin`: else the optimiser would see what these loops compute and make each a call of itself.
#define SYCLRTC_DETAIL_LIBC __attribute__((no_builtin)) inline

extern "C" {

SYCLRTC_DETAIL_LIBC __SIZE_TYPE__ strlen(const char *text) noexcept {
  __SIZE_TYPE__ n = 0;
  while (text[n] != '\0')
    ++n;
  return n;
}

SYCLRTC_DETAIL_LIBC int memcmp(const void *a, const void *b, __SIZE_TYPE__ bytes) noexcept {
  const auto *x = static_cast<const unsigned char *>(a);
  const auto *y = static_cast<const unsigned char *>(b);
  for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

SYCLRTC_DETAIL_LIBC int strncmp(const char *a, const char *b, __SIZE_TYPE__ limit) noexcept {
  for (__SIZE_TYPE__ i = 0; i < limit; ++i) {
    const auto x = static_cast<unsigned char>(a[i]);
    const auto y = static_cast<unsigned char>(b[i]);
    if (x != y)
      return x < y ? -1 : 1;
    if (x == 0)
      break;
  }
  return 0;
}

SYCLRTC_DETAIL_LIBC int strcmp(const char *a, const char *b) noexcept {
  return strncmp(a, b, static_cast<__SIZE_TYPE__>(-1));
}

SYCLRTC_DETAIL_LIBC char *strcpy(char *to, const char *from) noexcept {
  __SIZE_TYPE__ i = 0;
  do
    to[i] = from[i];
  while (from[i++] != '\0');
  return to;
}

SYCLRTC_DETAIL_LIBC char *strncpy(char *to, const char *from, __SIZE_TYPE__ bytes) noexcept {
  __SIZE_TYPE__ i = 0;
  for (; i < bytes && from[i] != '\0'; ++i)
    to[i] = from[i];
  for (; i < bytes; ++i)
    to[i] = '\0';
  return to;
}

SYCLRTC_DETAIL_LIBC char *strcat(char *to, const char *from) noexcept {
  strcpy(to + strlen(to), from);
  return to;
}

// The C++ headers overload this name, so that it is declared under another one here.
void *syclrtc_memchr(const void *where, int value, __SIZE_TYPE__ bytes) noexcept __asm__("memchr");
SYCLRTC_DETAIL_LIBC void *syclrtc_memchr(const void *where, int value, __SIZE_TYPE__ bytes) noexcept {
  const auto *p = static_cast<const unsigned char *>(where);
  for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
    if (p[i] == static_cast<unsigned char>(value))
      return const_cast<unsigned char *>(p + i);
  return nullptr;
}

// The types of these results exist in <stdlib.h> only: the functions are found by their symbols.
#define SYCLRTC_DETAIL_DIV(name, type)                                                                                 \
  struct syclrtc_##name##_result {                                                                                     \
    type quot, rem;                                                                                                    \
  };                                                                                                                   \
  syclrtc_##name##_result syclrtc_##name(type a, type b) noexcept __asm__(#name);                                      \
  SYCLRTC_DETAIL_LIBC syclrtc_##name##_result syclrtc_##name(type a, type b) noexcept { return {a / b, a % b}; }
SYCLRTC_DETAIL_DIV(div, int)
SYCLRTC_DETAIL_DIV(ldiv, long)
SYCLRTC_DETAIL_DIV(lldiv, long long)
#undef SYCLRTC_DETAIL_DIV

inline float cabsf(float _Complex z) noexcept { return hypotf(__real__ z, __imag__ z); }
inline double cabs(double _Complex z) noexcept { return hypot(__real__ z, __imag__ z); }
inline float cargf(float _Complex z) noexcept { return __builtin_atan2f(__imag__ z, __real__ z); }
inline double carg(double _Complex z) noexcept { return __builtin_atan2(__imag__ z, __real__ z); }

} // extern "C"

#undef SYCLRTC_DETAIL_LIBC

// Products and quotients of `_Complex`, whose operands may be infinite: C, annex G.5.1.
namespace sycl {
inline namespace _V1 {
namespace detail {

template <class T_> inline T_ boxed(T_ x) {
  return __builtin_elementwise_copysign(__builtin_isinf(x) ? T_(1) : T_(0), x);
}
template <class T_> inline T_ zero_if_nan(T_ x) {
  return __builtin_isnan(x) ? __builtin_elementwise_copysign(T_(0), x) : x;
}

template <class T_, class Complex> inline Complex complex_product(T_ a, T_ b, T_ c, T_ d) {
  const T_ ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  T_ re = ac - bd;
  T_ im = ad + bc;
  if (__builtin_isnan(re) && __builtin_isnan(im)) {
    bool again = false;
    if (__builtin_isinf(a) || __builtin_isinf(b)) {
      a = boxed(a), b = boxed(b), c = zero_if_nan(c), d = zero_if_nan(d);
      again = true;
    }
    if (__builtin_isinf(c) || __builtin_isinf(d)) {
      c = boxed(c), d = boxed(d), a = zero_if_nan(a), b = zero_if_nan(b);
      again = true;
    }
    if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {
      a = zero_if_nan(a), b = zero_if_nan(b), c = zero_if_nan(c), d = zero_if_nan(d);
      again = true;
    }
    if (again) {
      const T_ infinity = static_cast<T_>(__builtin_inff());
      re = infinity * (a * c - b * d);
      im = infinity * (a * d + b * c);
    }
  }
  Complex z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

/// `exponent` is that of the divisor's larger part, by which the divisor is scaled to keep its square in range.
template <class T_, class Complex> inline Complex complex_quotient(T_ a, T_ b, T_ c, T_ d) {
  const T_ infinity = static_cast<T_>(__builtin_inff());
  const T_ larger = __builtin_elementwise_abs(c) > __builtin_elementwise_abs(d) || __builtin_isnan(d)
                        ? __builtin_elementwise_abs(c)
                        : __builtin_elementwise_abs(d);
  int exponent = 0;
  if (larger != 0 && !__builtin_isinf(larger) && !__builtin_isnan(larger)) {
    exponent = __spirv_ocl_ilogb(larger);
    c = __spirv_ocl_ldexp(c, -exponent);
    d = __spirv_ocl_ldexp(d, -exponent);
  }
  const T_ denominator = c * c + d * d;
  T_ re = __spirv_ocl_ldexp((a * c + b * d) / denominator, -exponent);
  T_ im = __spirv_ocl_ldexp((b * c - a * d) / denominator, -exponent);
  if (__builtin_isnan(re) && __builtin_isnan(im)) {
    if (denominator == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
      re = __builtin_elementwise_copysign(infinity, c) * a;
      im = __builtin_elementwise_copysign(infinity, c) * b;
    } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
      a = boxed(a), b = boxed(b);
      re = infinity * (a * c + b * d);
      im = infinity * (b * c - a * d);
    } else if (__builtin_isinf(larger) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
      c = boxed(c), d = boxed(d);
      re = T_(0) * (a * c + b * d);
      im = T_(0) * (b * c - a * d);
    }
  }
  Complex z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

} // namespace detail
} // namespace _V1
} // namespace sycl

extern "C" {

inline float _Complex __mulsc3(float a, float b, float c, float d) {
  return ::sycl::detail::complex_product<float, float _Complex>(a, b, c, d);
}
inline double _Complex __muldc3(double a, double b, double c, double d) {
  return ::sycl::detail::complex_product<double, double _Complex>(a, b, c, d);
}
inline float _Complex __divsc3(float a, float b, float c, float d) {
  return ::sycl::detail::complex_quotient<float, float _Complex>(a, b, c, d);
}
inline double _Complex __divdc3(double a, double b, double c, double d) {
  return ::sycl::detail::complex_quotient<double, double _Complex>(a, b, c, d);
}

} // extern "C"

#pragma clang diagnostic pop

#endif
