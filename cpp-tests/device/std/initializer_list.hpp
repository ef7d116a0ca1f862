// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>

inline int use_initializer_list(int i) {
  int sum = 0;
  for (int x : std::initializer_list<int>{1, i, 3})
    sum = sum * 7 + x;
  return sum;
}
