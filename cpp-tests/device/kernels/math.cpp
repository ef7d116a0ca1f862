// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <sycl/sycl.hpp>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<1>) void
#define POSITION() work_item::get_nd_item<1>().get_global_linear_id()

/// Results of one function stand together: function f at value i is out[f * count + i].
template <class T> void std_functions(const T *a, const T *b, T *out, unsigned long count) {
  const auto i = POSITION();
  T *at = out + i;
#define ONE(name, ulps)                                                                                                \
  *at = std::name(a[i]);                                                                                               \
  at += count;
#define TWO(name, ulps)                                                                                                \
  *at = std::name(a[i], b[i]);                                                                                         \
  at += count;
#include "kernels/shared_functions.inc"
#undef ONE
#undef TWO
}

template <class T> void sycl_functions(const T *a, const T *b, T *out, unsigned long count) {
  const auto i = POSITION();
  T *at = out + i;
#define ONE(name, ulps, ...)                                                                                           \
  *at = sycl::name(a[i]);                                                                                              \
  at += count;
#define TWO(name, ulps, ...)                                                                                           \
  *at = sycl::name(a[i], b[i]);                                                                                        \
  at += count;
#include "kernels/shared_functions.inc"
#include "kernels/sycl_functions.inc"
#undef ONE
#undef TWO
}

/// Functions with integers or second results, the same for std and sycl where both have them.
template <class T> void other_functions(const T *a, const T *b, T *out, unsigned long count) {
  const auto i = POSITION();
  T *at = out + i;
  const auto put = [&](T value) {
    *at = value;
    at += count;
  };
  const int n = static_cast<int>(i % 17) - 8;
  int whole = 0;
  T part = 0;
  put(std::ldexp(a[i], n));
  put(sycl::ldexp(a[i], n));
  put(std::scalbn(a[i], n));
  put(std::scalbln(a[i], static_cast<long>(n)));
  put(std::fma(a[i], b[i], T(1)));
  put(sycl::fma(a[i], b[i], T(1)));
  put(std::frexp(a[i], &whole));
  put(static_cast<T>(whole));
  put(sycl::frexp(a[i], &whole));
  put(static_cast<T>(whole));
  put(std::modf(a[i], &part));
  put(part);
  put(sycl::modf(a[i], &part));
  put(part);
  put(std::remquo(a[i], b[i], &whole));
  put(static_cast<T>(whole & 7));
  put(sycl::remquo(a[i], b[i], &whole));
  put(static_cast<T>(whole & 7));
  put(sycl::sincos(a[i], &part));
  put(part);
  put(static_cast<T>(std::lround(a[i])));
  put(static_cast<T>(std::llround(a[i])));
  put(static_cast<T>(std::lrint(a[i])));
  put(static_cast<T>(std::llrint(a[i])));
  put(static_cast<T>(std::ilogb(a[i])));
  put(static_cast<T>(sycl::ilogb(a[i])));
  put(sycl::pown(a[i], n));
  put(std::nearbyint(a[i]));
  const bool facts[] = {std::isfinite(a[i]),
                        std::isinf(a[i]),
                        std::isnan(a[i]),
                        std::isnormal(a[i]),
                        std::signbit(a[i]),
                        std::isgreater(a[i], b[i]),
                        std::isless(a[i], b[i]),
                        std::isunordered(a[i], b[i]),
                        std::islessgreater(a[i], b[i]),
                        sycl::isfinite(a[i]) != 0,
                        sycl::isinf(a[i]) != 0,
                        sycl::isnan(a[i]) != 0,
                        sycl::isnormal(a[i]) != 0,
                        sycl::signbit(a[i]) != 0,
                        sycl::isgreater(a[i], b[i]) != 0,
                        sycl::isless(a[i], b[i]) != 0,
                        sycl::isunordered(a[i], b[i]) != 0,
                        sycl::islessgreater(a[i], b[i]) != 0};
  unsigned bits = 0;
  for (unsigned k = 0; k < sizeof(facts); ++k)
    bits |= (facts[k] ? 1u : 0u) << k;
  put(static_cast<T>(bits));
}

#define EACH_TYPE(type)                                                                                                \
  KERNEL std_##type(const type *a, const type *b, type *out, unsigned long count) { std_functions(a, b, out, count); } \
  KERNEL sycl_##type(const type *a, const type *b, type *out, unsigned long count) {                                   \
    sycl_functions(a, b, out, count);                                                                                  \
  }                                                                                                                    \
  KERNEL other_##type(const type *a, const type *b, type *out, unsigned long count) {                                  \
    other_functions(a, b, out, count);                                                                                 \
  }
EACH_TYPE(float)
EACH_TYPE(double)

KERNEL half_functions(const sycl::half *a, const sycl::half *b, sycl::half *out, unsigned long count) {
  const auto i = POSITION();
  sycl::half *at = out + i;
#define ONE(name, ulps, ...)                                                                                           \
  *at = sycl::name(a[i]);                                                                                              \
  at += count;
#define TWO(name, ulps, ...)                                                                                           \
  *at = sycl::name(a[i], b[i]);                                                                                        \
  at += count;
#include "kernels/shared_functions.inc"
#include "kernels/sycl_functions.inc"
#undef ONE
#undef TWO
}

/// Conversions and arithmetic of half, over all of its numbers.
KERNEL half_numbers(const sycl::half *in, float *wide, sycl::half *back, sycl::half *sum) {
  const auto i = POSITION();
  wide[i] = in[i];
  back[i] = sycl::half(wide[i]);
  sum[i] = in[i] * sycl::half(0.75f) + in[i ^ 1];
}

KERNEL fast_functions(const float *a, float *out, unsigned long count) {
  const auto i = POSITION();
  float *at = out + i;
  const auto put = [&](float value) {
    *at = value;
    at += count;
  };
#define FAST(name)                                                                                                     \
  put(sycl::native::name(a[i]));                                                                                       \
  put(sycl::half_precision::name(a[i]));
#include "kernels/fast_functions.inc"
#undef FAST
  put(sycl::native::divide(a[i], 3.0f));
  put(sycl::half_precision::divide(a[i], 3.0f));
  put(sycl::native::powr(a[i], 1.5f));
  put(sycl::half_precision::powr(a[i], 1.5f));
}
