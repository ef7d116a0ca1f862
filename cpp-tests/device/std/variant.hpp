// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

inline int use_variant(int i) {
  std::variant<int, float, short> v(i);
  if (i % 3 == 1)
    v = 2.5f;
  if (i % 3 == 2)
    v = static_cast<short>(i);
  return static_cast<int>(v.index()) * 100 + std::visit([](auto x) { return static_cast<int>(2 * x); }, v) +
         (std::holds_alternative<float>(v) ? static_cast<int>(std::get<float>(v)) : 0);
}
