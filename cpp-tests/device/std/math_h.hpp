// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <math.h>

inline int use_math_h(int i) {
  return static_cast<int>(::floor(i / 2.0) + ::ceilf(static_cast<float>(i) / 3.0f)) + ::abs(-i);
}
