// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bitset>

inline int use_bitset(int i) {
  std::bitset<20> b(static_cast<unsigned>(i * 77));
  return static_cast<int>(b.count()) * 10 + (b.test(2) ? 1 : 0) + static_cast<int>((b << 2).to_ulong());
}
