// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "declarations.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "properties.h"

namespace syclrtc {
namespace {

using clang::FunctionDecl;
using clang::VarDecl;

class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(clang::ASTContext &context) : context(context), globalTemplate(deviceGlobalTemplate(context)),
        staticTemplate(findClassTemplate(context, {"sycl", "_V1", "ext", "oneapi", "experimental"}, "work_group_static")) {
    // Bodies hold nothing of interest unless one of the types is used at all.
    walkBodies = isUsed(globalTemplate) || isUsed(staticTemplate);
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldWalkTypesOfTypeLocs() const { return false; }
  bool TraverseStmt(clang::Stmt *statement) { return !walkBodies || RecursiveASTVisitor::TraverseStmt(statement); }

  bool VisitFunctionDecl(FunctionDecl *function) {
    // Without its body being walked, a function still shows the functions that it declares.
    for (clang::Decl *local : function->decls())
      if (auto *declared = llvm::dyn_cast<FunctionDecl>(local))
        add(declared);
    add(function);
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) {
    if (variable->getDeclContext()->isDependentContext() || llvm::isa<clang::VarTemplatePartialSpecializationDecl>(variable) ||
        variable->getDescribedVarTemplate())
      return true;
    if (instantiationOf(staticTemplate, context, variable->getType())) {
      if (!variable->hasGlobalStorage())
        found.misplacedStatics.push_back(variable);
      else if (seen.insert(variable->getCanonicalDecl()).second)
        found.groupStatics.push_back(variable);
      return true;
    }
    const bool isGlobal = instantiationOf(globalTemplate, context, variable->getType());
    const bool atNamespaceScope = variable->isFileVarDecl();
    if (isGlobal && !atNamespaceScope)
      found.misplacedGlobals.push_back(variable);
    else if ((isGlobal || isExternal(variable)) && seen.insert(variable->getCanonicalDecl()).second) {
      VarDecl *definition = variable->getDefinition();
      found.variables.push_back(definition ? definition : variable->getMostRecentDecl());
    }
    return true;
  }

  // Explicit instantiations among them, which the visitor leaves out.
  bool VisitVarTemplateDecl(clang::VarTemplateDecl *pattern) {
    for (clang::VarTemplateSpecializationDecl *instance : pattern->specializations())
      VisitVarDecl(instance);
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) {
    if (!field->getDeclContext()->isDependentContext() && instantiationOf(globalTemplate, context, field->getType()))
      found.misplacedGlobals.push_back(field);
    if (!field->getDeclContext()->isDependentContext() && instantiationOf(staticTemplate, context, field->getType()))
      found.misplacedStatics.push_back(field);
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr *expression) {
    if (instantiationOf(globalTemplate, context, expression->getAllocatedType()))
      found.newGlobals.push_back(expression);
    return true;
  }

  Declarations found;

private:
  static bool isUsed(clang::ClassTemplateDecl *classTemplate) {
    return classTemplate && !classTemplate->specializations().empty();
  }

  void add(FunctionDecl *function) {
    if (function->isDependentContext() || function->getDescribedFunctionTemplate())
      return;
    if (!isExternal(function) && propertiesOf(function).empty())
      return;
    if (!seen.insert(function->getCanonicalDecl()).second)
      return;
    FunctionDecl *definition = function->getDefinition();
    found.functions.push_back(definition ? definition : function->getMostRecentDecl());
  }

  clang::ASTContext &context;
  clang::ClassTemplateDecl *globalTemplate, *staticTemplate;
  bool walkBodies;
  llvm::SmallPtrSet<const clang::Decl *, 16> seen;
};

} // namespace

clang::ClassTemplateDecl *findClassTemplate(clang::ASTContext &context, llvm::ArrayRef<const char *> namespaces,
                                            const char *name) {
  clang::DeclContext *scope = context.getTranslationUnitDecl();
  for (const char *space : namespaces) {
    clang::NamespaceDecl *inner = nullptr;
    for (clang::NamedDecl *found : scope->lookup(&context.Idents.get(space)))
      if (auto *space = llvm::dyn_cast<clang::NamespaceDecl>(found))
        inner = space;
    if (!inner)
      return nullptr;
    scope = inner;
  }
  for (clang::NamedDecl *found : scope->lookup(&context.Idents.get(name)))
    if (auto *type = llvm::dyn_cast<clang::ClassTemplateDecl>(found))
      return type->getCanonicalDecl();
  return nullptr;
}

clang::ClassTemplateDecl *deviceGlobalTemplate(clang::ASTContext &context) {
  return findClassTemplate(context, {"sycl", "_V1", "ext", "oneapi", "experimental"}, "device_global");
}

const clang::ClassTemplateSpecializationDecl *instantiationOf(const clang::ClassTemplateDecl *classTemplate,
                                                              clang::ASTContext &context, clang::QualType type) {
  if (!classTemplate || type.isNull())
    return nullptr;
  const auto *instance = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      context.getBaseElementType(type)->getAsCXXRecordDecl());
  return instance && instance->getSpecializedTemplate()->getCanonicalDecl() == classTemplate ? instance : nullptr;
}

Declarations findDeclarations(clang::ASTContext &context, llvm::ArrayRef<clang::Decl *> topLevel) {
  Finder finder(context);
  for (clang::Decl *declaration : topLevel)
    finder.TraverseDecl(declaration);
  return std::move(finder.found);
}

} // namespace syclrtc
