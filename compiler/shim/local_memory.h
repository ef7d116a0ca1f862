// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memory in the AST: parameters of kernels that stand for it, or hold what does, and variables in it.
#pragma once

#include <cstdint>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Type.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/IR/Module.h"

#include "declarations.h"

namespace syclrtc {

/// A `local_accessor` or `work_group_memory` in a parameter; see LocalObject of the protocol.
struct LocalObject {
  uint64_t offset;
  uint64_t element;
  uint32_t extent; // fe_local_extent
};

struct LocalObjects {
  /// By offset.
  std::vector<LocalObject> list;
  /// The parameter itself is one, and this is its fe_parameter_kind; else 0.
  uint32_t kind = 0;
  /// One is in a union, where nobody knows whether it is there.
  bool inUnion = false;
  /// There are more than anybody passes.
  bool tooMany = false;
};

/// What a parameter of the canonical type `type` holds.
LocalObjects findLocalObjects(clang::ASTContext &context, clang::QualType type);

/// Reports variables of type work_group_static that no local memory can be had for.
void checkGroupStatics(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics, const Declarations &declarations);

/// Puts the variable of that name into local memory, if it is in the module.
void moveToLocalMemory(llvm::Module &module, llvm::StringRef name);

} // namespace syclrtc
