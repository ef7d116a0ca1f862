// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"

#include "kernels.h"

namespace syclrtc {

/// Checks the calls that kernels and functions with range_type make themselves: who is called must be made for as many
/// work-items as who calls. What lies behind functions without the property is seen in the code only.
void checkRangeCalls(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                     llvm::ArrayRef<clang::FunctionDecl *> functions, llvm::ArrayRef<Kernel> kernels);

} // namespace syclrtc
