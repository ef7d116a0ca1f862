// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/builtins.hpp>

/// Every integer function of one type, folded to one number per function. Host and device read this text.
template <class T> int integer_functions(T a, T b, T c, long *out) {
  int n = 0;
  const auto put = [&](T value) { out[n++] = static_cast<long>(value); };
  put(sycl::abs(a));
  put(sycl::abs_diff(a, b));
  put(sycl::add_sat(a, b));
  put(sycl::sub_sat(a, b));
  put(sycl::hadd(a, b));
  put(sycl::rhadd(a, b));
  put(sycl::clz(a));
  put(sycl::ctz(a));
  put(sycl::popcount(a));
  put(sycl::rotate(a, b));
  put(sycl::mul_hi(a, b));
  put(sycl::mad_hi(a, b, c));
  put(sycl::mad_sat(a, b, c));
  put(sycl::max(a, b));
  put(sycl::min(a, b));
  put(sycl::clamp(a, sycl::min(b, c), sycl::max(b, c)));
  if constexpr (sizeof(T) == 4) {
    put(sycl::mul24(a, b));
    put(sycl::mad24(a, b, c));
  }
  return n;
}
