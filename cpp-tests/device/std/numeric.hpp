// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>

inline int use_numeric(int i) {
  int a[6] = {1, 2, 3, i, 5, 6};
  int b[6];
  std::partial_sum(a, a + 6, b);
  std::iota(a, a + 6, i);
  return std::accumulate(a, a + 6, 0) + b[5] + std::inner_product(a, a + 6, b, 0) + std::gcd(i * 6, 15);
}
