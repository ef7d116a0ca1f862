// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cfloat>

inline int use_cfloat(int i) { return FLT_DIG + DBL_MANT_DIG + FLT_MAX_EXP + i; }
