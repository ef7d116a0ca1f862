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

/// What a source gives a kernel besides its kind. Empty, zero or nothing for what it does not give.
struct KernelProperties {
  std::vector<uint64_t> workGroupSize, workGroupSizeHint, maxWorkGroupSize;
  uint64_t maxLinearWorkGroupSize = 0;
  uint32_t subGroupSize = 0;
  std::optional<uint64_t> rangeMax;
  std::vector<uint32_t> aspects;
};

struct Kernel {
  /// The definition; without one, the last declaration.
  clang::FunctionDecl *function;
  /// The function's own symbol.
  std::string symbol;
  std::string rawName;
  /// Set for extern "C".
  std::optional<std::string> plainName;
  bool defined = true;
  /// 0 = single task.
  unsigned dimensions = 0;
  std::vector<Parameter> parameters;
  KernelProperties properties;
};

/// All kernels that `declarations` define, template instantiations included. Rules that a decorated function breaks become
/// errors at its declaration.
std::vector<Kernel> collectKernels(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                   llvm::ArrayRef<clang::Decl *> declarations, llvm::StringRef unitId);

/// The function that an initialiser such as `(void (*)(int))k` or `k<float>` names; null if it names none.
clang::FunctionDecl *namedFunction(const clang::Expr *initialiser);

} // namespace syclrtc
