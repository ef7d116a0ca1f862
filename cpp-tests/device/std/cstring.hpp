// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>

inline int use_cstring(int i) {
  char text[16];
  std::strcpy(text, "hello");
  text[0] = static_cast<char>(text[0] + i % 3);
  int value = 0;
  std::memcpy(&value, text, 3);
  char moved[8] = {};
  std::memmove(moved, text + 1, 4);
  std::memset(text + 5, 'x', 2);
  const auto order = [](int x) { return x < 0 ? -1 : x > 0 ? 1 : 0; };
  return static_cast<int>(std::strlen(moved)) + value % 1000 + order(std::memcmp(text, "iello", 5)) * 10000 +
         order(std::strcmp(moved, "ell")) * 20000 +
         static_cast<int>(static_cast<char *>(std::memchr(text, 'x', 9)) - text);
}
