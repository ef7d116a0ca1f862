// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

inline int use_limits(int i) {
  return std::numeric_limits<int>::max() / (i + 1) + std::numeric_limits<float>::digits +
         (std::numeric_limits<double>::has_infinity ? 1 : 0) +
         static_cast<int>(1e7f * std::numeric_limits<float>::epsilon());
}
