// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of type device_global: their rules and their place in the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

#include "declarations.h"

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

/// Gives each device global of `declaration` that is made as a copy of another one the initialiser of that one: a copy has
/// the initial value, which C++ could not read from a variable. Before code is generated for it.
void copyInitialValues(clang::ASTContext &context, clang::Decl *declaration);

/// The device globals among `declarations`, without their symbols. Rules that one breaks become errors.
std::vector<DeviceGlobal> checkDeviceGlobals(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                             const Declarations &declarations);

} // namespace syclrtc
