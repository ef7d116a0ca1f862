// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/half_type.hpp>

#include <type_traits>

#ifdef __SYCL_DEVICE_ONLY__
/// Answered by the compiler, which knows the constant that the format is.
extern "C" SYCLRTC_DETAIL_BUILTIN int __syclrtc_printf(const char *format, ...);
#else
#include <sycl/detail/query.hpp>
#endif

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {
namespace detail {

template <class T_> SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ printable(T_ value) {
  static_assert(std::is_arithmetic_v<T_> || std::is_pointer_v<T_> || std::is_enum_v<T_> || std::is_null_pointer_v<T_>,
                "printf takes numbers, pointers and texts");
  return value;
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline float printable(half value) { return static_cast<float>(value); }

} // namespace detail

/// Prints as C does. The format, and texts for `%s`, are literals or constant arrays. Negative if that fails.
template <class... Args> SYCLRTC_DETAIL_ALWAYS_INLINE inline int printf([[maybe_unused]] const char *format, [[maybe_unused]] Args... args) {
#ifdef __SYCL_DEVICE_ONLY__
  return __syclrtc_printf(format, detail::printable(args)...);
#else
  sycl::detail::query::not_in_a_kernel();
#endif
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
