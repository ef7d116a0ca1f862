// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

inline int use_cmath(int i) {
  return static_cast<int>(1000 * std::sqrt(static_cast<float>(i)) + std::floor(2.5f * static_cast<float>(i))) +
         static_cast<int>(std::fmod(static_cast<float>(i), 3.0f)) + std::abs(-i);
}
