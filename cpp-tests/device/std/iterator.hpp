// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>

inline int use_iterator(int i) {
  int a[4] = {1, 2, 3, i};
  int sum = 0;
  for (auto it = std::rbegin(a); it != std::rend(a); ++it)
    sum = sum * 10 + *it;
  return sum + static_cast<int>(std::size(a)) + static_cast<int>(std::distance(a, a + 3));
}
