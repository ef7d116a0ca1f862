// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>

inline int use_cstdlib(int i) {
  return std::abs(-i) + static_cast<int>(std::labs(-3L)) + std::div(100, i + 1).rem +
         static_cast<int>(std::ldiv(1000L, i + 2L).quot);
}
