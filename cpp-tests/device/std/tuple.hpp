// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tuple>

inline int use_tuple(int i) {
  auto t = std::make_tuple(i, static_cast<short>(i + 1), 2.5f);
  auto [a, b, c] = t;
  std::get<0>(t) += 5;
  const int sum = std::apply([](int x, short y, float z) { return x + y + static_cast<int>(z); }, t);
  int first = 0;
  std::tie(first, std::ignore, std::ignore) = t;
  return sum * 10 + a + b + static_cast<int>(c) + first + (t < std::tuple_cat(t) ? 1 : 0);
}
