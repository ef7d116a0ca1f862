// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include "frontend.h"

namespace syclrtc {

inline llvm::StringRef view(fe_string text) { return {text.data, text.length}; }
inline fe_string borrow(llvm::StringRef text) { return {text.data(), text.size()}; }

} // namespace syclrtc
