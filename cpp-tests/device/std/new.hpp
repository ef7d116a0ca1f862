// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <new>

inline int use_new(int i) {
  alignas(8) unsigned char room[8];
  int *p = ::new (static_cast<void *>(room)) int(i + 4);
  return *std::launder(p);
}
