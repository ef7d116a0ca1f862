// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

inline int use_concepts(int i) {
  const auto twice = [](std::integral auto x) { return 2 * x; };
  return twice(i) + (std::same_as<int, int> ? 1 : 0);
}
