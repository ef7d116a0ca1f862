// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

inline int use_optional(int i) {
  std::optional<int> a;
  std::optional<int> b(i);
  if (i > 2)
    a = i * 3;
  return a.value_or(-1) + *b + (a.has_value() ? a.value() : 0) + (a < b ? 1 : 0);
}
