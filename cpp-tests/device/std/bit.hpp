// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

inline int use_bit(int i) {
  const auto u = static_cast<unsigned>(i * 1234567 + 1);
  return std::popcount(u) + std::countl_zero(u) + std::countr_zero(u) + static_cast<int>(std::rotl(u, 3) % 1000) +
         static_cast<int>(std::bit_cast<unsigned>(1.5f) >> 20) + static_cast<int>(std::bit_width(u));
}
