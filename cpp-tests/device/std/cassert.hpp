// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>

inline int use_cassert(int i) {
  assert(i >= 0);
  return i + 1;
}
