// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "range_calls.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

namespace syclrtc {
namespace {

using clang::FunctionDecl;

/// What is known of how many work-items a function is for.
struct Limit {
  std::optional<uint64_t> most;
  clang::QualType type;
  bool isKernel = false;
};

using Limits = llvm::DenseMap<const FunctionDecl *, Limit>;

class CallChecker : public clang::RecursiveASTVisitor<CallChecker> {
public:
  CallChecker(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics, const Limits &limits)
      : context(context), diagnostics(diagnostics), limits(limits) {}

  void check(const FunctionDecl *function, const Limit &limit) {
    caller = function;
    callerLimit = limit;
    TraverseStmt(function->getBody());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldWalkTypesOfTypeLocs() const { return false; }
  // A function of its own, and what is never evaluated.
  bool TraverseLambdaExpr(clang::LambdaExpr *) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr *) { return true; }

  bool VisitCallExpr(clang::CallExpr *call) {
    if (const FunctionDecl *callee = call->getDirectCallee())
      check(call->getBeginLoc(), callee);
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *call) {
    check(call->getBeginLoc(), call->getConstructor());
    return true;
  }

private:
  void check(clang::SourceLocation at, const FunctionDecl *callee) {
    auto entry = limits.find(callee->getCanonicalDecl());
    Limit limit = entry == limits.end() ? Limit() : entry->second;
    if (limit.most ? callerLimit.most.value_or(UINT64_MAX) > *limit.most
                   : callerLimit.isKernel && callerLimit.most && isExternal(callee) && !callee->getDefinition()) {
      unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                "%0, which has %1, cannot be called from %2, which has %3");
      diagnostics.Report(at, id) << callee << describe(limit) << caller << describe(callerLimit);
      id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0 is declared here");
      diagnostics.Report(callee->getLocation(), id) << callee;
    }
  }

  std::string describe(const Limit &limit) {
    if (!limit.type.isNull())
      return "range_type<" + limit.type.getAsString(context.getPrintingPolicy()) + ">";
    return limit.most ? "a limit of " + std::to_string(*limit.most) + " work-items" : "no range_type";
  }

  clang::ASTContext &context;
  clang::DiagnosticsEngine &diagnostics;
  const Limits &limits;
  const FunctionDecl *caller = nullptr;
  Limit callerLimit;
};

} // namespace

void checkRangeCalls(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                     llvm::ArrayRef<FunctionDecl *> functions, llvm::ArrayRef<Kernel> kernels) {
  Limits limits;
  bool any = false;
  for (const FunctionDecl *function : functions) {
    FunctionProperties properties = merge(context, propertiesOf(function), [](const Property &) {});
    limits[function->getCanonicalDecl()] = {properties.rangeMax, properties.rangeType, false};
  }
  for (const Kernel &kernel : kernels) {
    Limit &limit = limits[kernel.function->getCanonicalDecl()];
    limit.most = kernel.properties.rangeMax;
    limit.isKernel = true;
  }
  for (const auto &entry : limits)
    any |= entry.second.most.has_value();
  if (!any)
    return;
  CallChecker checker(context, diagnostics, limits);
  for (const FunctionDecl *function : functions) {
    const Limit limit = limits[function->getCanonicalDecl()];
    if (function->hasBody() && (limit.most || limit.isKernel))
      checker.check(function->getDefinition(), limit);
  }
}

} // namespace syclrtc
