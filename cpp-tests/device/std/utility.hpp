// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

inline int use_utility(int i) {
  std::pair<int, int> p = std::make_pair(i, 2 * i);
  std::swap(p.first, p.second);
  const int old = std::exchange(p.first, 7);
  auto q = std::move(p);
  return old * 100 + q.first * 10 + q.second + static_cast<int>(std::index_sequence<1, 2, 3>::size());
}
