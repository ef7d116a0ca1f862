// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

inline int use_cstddef(int i) {
  struct pair {
    char a;
    double b;
  };
  return static_cast<int>(offsetof(pair, b)) + i + static_cast<int>(std::byte(3));
}
