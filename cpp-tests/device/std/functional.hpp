// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

inline int use_functional(int i) {
  int a = 3;
  auto r = std::ref(a);
  r.get() += i;
  return std::plus<>{}(a, 1) + std::invoke(std::minus<int>{}, 5, i) + (std::less<>{}(a, i) ? 1 : 0) +
         std::bit_and<int>{}(i, 6);
}
