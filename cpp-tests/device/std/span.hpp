// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

inline int use_span(int i) {
  int a[6] = {1, 2, 3, 4, 5, i};
  std::span<int> s(a);
  int sum = 0;
  for (int x : s.subspan(2))
    sum += x;
  return sum + static_cast<int>(s.size()) + s.front() + s.last(1)[0];
}
