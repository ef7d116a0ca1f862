// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Free-function kernels: finding and checking them in the AST, and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace syclrtc {

struct Parameter {
  std::string name;
  std::string typeName;
  uint32_t kind; // fe_parameter_kind
  uint64_t size;
  uint64_t align;
};

struct Kernel {
  /// The definition.
  clang::FunctionDecl *function;
  std::string rawName;
  /// Set for extern "C".
  std::optional<std::string> plainName;
  /// 0 = single task.
  unsigned dimensions = 0;
  std::vector<Parameter> parameters;
  std::vector<uint64_t> workGroupSize;
  uint32_t subGroupSize = 0;
};

/// All kernels that `declarations` define, template instantiations included. Rules that a decorated function breaks become
/// errors at its declaration.
std::vector<Kernel> collectKernels(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                   llvm::ArrayRef<clang::Decl *> declarations, llvm::StringRef unitId);

/// The function that an initialiser such as `(void (*)(int))k` or `k<float>` names; null if it names none.
clang::FunctionDecl *namedFunction(const clang::Expr *initialiser);

} // namespace syclrtc
