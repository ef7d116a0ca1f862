// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Free-function kernels: checking them, and their names.
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

#include "local_memory.h"
#include "properties.h"

namespace syclrtc {

struct Parameter {
  std::string name;
  std::string typeName;
  uint32_t kind; // fe_parameter_kind
  uint64_t size;
  uint64_t align;
  std::vector<LocalObject> local;
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
  FunctionProperties properties;
};

/// What is the same for all kernels of a compile.
struct KernelRules {
  /// Goes into raw names of kernels with internal linkage.
  llvm::StringRef unitId;
  /// A kernel without range_type is taken as one with range_type<int>.
  bool idsFitInInt = false;
};

/// The kernels among `functions`, each of which stands for one function. Rules that one breaks become errors at its
/// declaration.
std::vector<Kernel> checkKernels(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                 llvm::ArrayRef<clang::FunctionDecl *> functions, const KernelRules &rules);

} // namespace syclrtc
