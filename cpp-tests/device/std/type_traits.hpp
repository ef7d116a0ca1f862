// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

inline int use_type_traits(int i) {
  using T = std::conditional_t<std::is_same_v<std::remove_cv_t<const int>, int>, short, long>;
  return static_cast<int>(sizeof(T)) + i + (std::is_trivially_copyable_v<T> ? 10 : 0) +
         static_cast<int>(std::alignment_of_v<double>);
}
