// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>

inline int use_climits(int i) { return CHAR_BIT * i + SCHAR_MIN + (INT_MAX >> 20); }
