// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

inline int use_algorithm(int i) {
  int a[8] = {5, 3, 9, 1, i % 7, 8, 2, 6};
  std::sort(a, a + 8);
  const int *lower = std::lower_bound(a, a + 8, 5);
  int b[8];
  std::transform(a, a + 8, b, [](int x) { return 2 * x; });
  std::reverse(b, b + 8);
  std::swap(b[0], b[7]);
  int sum = 0;
  std::for_each(b, b + 8, [&](int x) { sum = 3 * sum + x; });
  return sum + static_cast<int>(lower - a) + std::clamp(i, 3, 9) + std::min(i, 4) * std::max(i, 5) +
         static_cast<int>(std::count(a, a + 8, 3)) + *std::max_element(a, a + 8) + (std::is_sorted(a, a + 8) ? 1 : 0);
}
