// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ratio>

inline int use_ratio(int i) {
  using half = std::ratio_multiply<std::ratio<1, 4>, std::ratio<2>>;
  return static_cast<int>(half::den) + i;
}
