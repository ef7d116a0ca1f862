// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the user's text matters beyond C++: found in the AST.
#pragma once

#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/ArrayRef.h"

namespace syclrtc {

/// Each function and variable once: by its definition, else by its last declaration. Template instantiations are among them,
/// templates are not.
struct Declarations {
  /// With a property, a SYCL attribute or SYCL_EXTERNAL.
  std::vector<clang::FunctionDecl *> functions;
  /// At namespace scope or a static member, of type device_global or SYCL_EXTERNAL.
  std::vector<clang::VarDecl *> variables;

  /// Where a device_global may not be: members that are not static, local variables and parameters, new-expressions. Arrays
  /// of device_global count as one.
  std::vector<clang::ValueDecl *> misplacedGlobals;
  std::vector<clang::CXXNewExpr *> newGlobals;

  /// Of type work_group_static: with static storage, and what has none.
  std::vector<clang::VarDecl *> groupStatics;
  std::vector<clang::ValueDecl *> misplacedStatics;
};

/// The class template `name` in namespaces, the outermost first; null if there is none.
clang::ClassTemplateDecl *findClassTemplate(clang::ASTContext &context, llvm::ArrayRef<const char *> namespaces,
                                            const char *name);

/// The class template device_global; null if its header is not included.
clang::ClassTemplateDecl *deviceGlobalTemplate(clang::ASTContext &context);

/// The instantiation of `classTemplate` that `type`, or the innermost element of that array type, is; null if it is none.
const clang::ClassTemplateSpecializationDecl *instantiationOf(const clang::ClassTemplateDecl *classTemplate,
                                                              clang::ASTContext &context, clang::QualType type);

Declarations findDeclarations(clang::ASTContext &context, llvm::ArrayRef<clang::Decl *> topLevel);

} // namespace syclrtc
