// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of type device_global.
#pragma once

#include <cstdint>
#include <string>

#include "clang/AST/Decl.h"

namespace syclrtc {

struct DeviceGlobal {
  /// The definition; without one, the last declaration.
  clang::VarDecl *variable;
  /// Qualified, without a leading `::`.
  std::string name;
  std::string symbol;
  /// Of the stored object.
  uint64_t size;
  uint64_t align;
  bool imageScope;
  bool external;
  bool defined;
};

} // namespace syclrtc
