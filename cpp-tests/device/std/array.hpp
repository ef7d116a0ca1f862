// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

inline int use_array(int i) {
  std::array<int, 5> a{1, 2, 3, 4, 5};
  a[static_cast<std::size_t>(i) % a.size()] = 100;
  int sum = 0;
  for (int x : a)
    sum += x;
  return sum + a.front() + a.back() + a.at(static_cast<std::size_t>(i) % 5) + std::get<2>(a) + (a == a ? 1 : 0);
}
