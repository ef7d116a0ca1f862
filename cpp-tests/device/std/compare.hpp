// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>

inline int use_compare(int i) { return (i <=> 3) < 0 ? -1 : (i <=> 3) == 0 ? 0 : 1; }
