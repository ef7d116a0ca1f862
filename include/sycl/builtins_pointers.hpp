// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The functions that have a second result, with a `multi_ptr` to it.

#include <sycl/builtins_array.hpp>
#include <sycl/builtins_math.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {
inline namespace _V1 {

#define SYCLRTC_DETAIL_OUT(name)                                                                                       \
  template <class X_, class Result, access::address_space Space, access::decorated Decorated>                          \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline auto name(const X_ &x, multi_ptr<Result, Space, Decorated> out)                  \
      -> decltype(name(x, out.get_raw())) {                                                                            \
    return name(x, out.get_raw());                                                                                     \
  }
SYCLRTC_DETAIL_OUT(fract)
SYCLRTC_DETAIL_OUT(frexp)
SYCLRTC_DETAIL_OUT(lgamma_r)
SYCLRTC_DETAIL_OUT(modf)
SYCLRTC_DETAIL_OUT(sincos)
#undef SYCLRTC_DETAIL_OUT

template <class X_, class Y_, class Result, access::address_space Space, access::decorated Decorated>
SYCLRTC_DETAIL_ALWAYS_INLINE inline auto remquo(const X_ &x, const Y_ &y, multi_ptr<Result, Space, Decorated> out)
    -> decltype(remquo(x, y, out.get_raw())) {
  return remquo(x, y, out.get_raw());
}

} // namespace _V1
} // namespace sycl
