// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

inline int use_string_view(int i) {
  const std::string_view text("device code");
  const std::string_view word = text.substr(7, static_cast<std::size_t>(i % 3 + 1));
  return static_cast<int>(text.find('v')) * 100 + static_cast<int>(word.size()) +
         text[static_cast<std::size_t>(i) % 5] + (word == "co" ? 1000 : 0) + static_cast<int>(text.rfind("code"));
}
