// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

inline int use_cstdint(int i) {
  std::int8_t a = static_cast<std::int8_t>(i * 37);
  std::uint64_t b = UINT64_MAX - static_cast<std::uint64_t>(i);
  return a + static_cast<int>(b >> 60) + static_cast<int>(sizeof(std::uintptr_t)) + INT16_MAX;
}
