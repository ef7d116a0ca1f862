// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numbers>

inline int use_numbers(int i) { return static_cast<int>(std::numbers::pi_v<float> * static_cast<float>(i * 10)); }
