// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_globals.h"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/raw_ostream.h"

#include "properties.h"

namespace syclrtc {
namespace {

using clang::VarDecl;

/// Device memory is allocated with this alignment.
constexpr uint64_t largestAlignment = 128;
/// Bytes. LLVM makes an array of more elements one of unknown length, which it then refuses.
constexpr uint64_t largestSize = UINT32_MAX;

class GlobalChecker {
public:
  GlobalChecker(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics)
      : context(context), diagnostics(diagnostics), classTemplate(deviceGlobalTemplate(context)) {}

  std::optional<DeviceGlobal> check(VarDecl *variable) {
    const clang::ClassTemplateSpecializationDecl *type = instantiationOf(classTemplate, context, variable->getType());
    if (!type) {
      error(variable->getLocation(), "SYCL_EXTERNAL is for functions and device globals only: %0") << variable;
      return std::nullopt;
    }
    if (!checkPlace(variable))
      return std::nullopt;
    const clang::QualType stored = type->getTemplateArgs()[0].getAsType();
    DeviceGlobal global;
    global.variable = variable;
    global.name = qualifiedName(variable);
    global.size = context.getTypeSizeInChars(stored).getQuantity();
    global.align = std::max(context.getTypeAlignInChars(stored), context.getDeclAlign(variable)).getQuantity();
    global.imageScope = hasProperty(type->getTemplateArgs()[1].getAsType(), "device_image_scope_key");
    global.external = isExternal(variable);
    global.defined = variable->isThisDeclarationADefinition() == VarDecl::Definition;
    if (global.align > largestAlignment) {
      error(variable->getLocation(), "device_global %0 asks for an alignment of more than %1 bytes")
          << variable << unsigned(largestAlignment);
      return std::nullopt;
    }
    if (global.size > largestSize) {
      error(variable->getLocation(), "device_global %0 takes %1 bytes, and at most %2 can be had")
          << variable << std::to_string(global.size) << std::to_string(largestSize);
      return std::nullopt;
    }
    return global;
  }

  void misplaced(const clang::ValueDecl *declaration) {
    const char *what = llvm::isa<clang::FieldDecl>(declaration)     ? "a non-static data member"
                       : llvm::isa<clang::ParmVarDecl>(declaration) ? "a parameter"
                                                                    : "a local variable";
    error(declaration->getLocation(),
          "device_global %0 cannot be %1: it stands at namespace scope or is a static data member")
        << declaration << what;
  }

  void misplaced(const clang::CXXNewExpr *expression) {
    error(expression->getBeginLoc(), "a device_global cannot be made by 'new'");
  }

private:
  template <unsigned N> clang::DiagnosticBuilder error(clang::SourceLocation at, const char (&text)[N]) {
    return diagnostics.Report(at, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, text));
  }

  bool checkPlace(VarDecl *variable) {
    clang::SourceLocation at = variable->getLocation();
    if (variable->getType()->isArrayType()) {
      error(at, "%0 cannot be an array of device_global") << variable;
      return false;
    }
    if (variable->getTSCSpec() != clang::TSCS_unspecified) {
      error(at, "device_global %0 cannot be thread-local") << variable;
      return false;
    }
    if (variable->isStaticDataMember() && variable->getCanonicalDecl()->getAccess() != clang::AS_public) {
      error(at, "device_global %0 is a static data member that is not public") << variable;
      return false;
    }
    return checkHiding(variable);
  }

  /// Its name is unambiguous in the namespace in which it can be found: none of the inline namespaces there has it too.
  bool checkHiding(VarDecl *variable) {
    const clang::DeclContext *scope = variable->getDeclContext()->getRedeclContext();
    while (scope->isInlineNamespace())
      scope = scope->getParent()->getRedeclContext();
    if (!scope->isFileContext())
      return true;
    for (const clang::NamedDecl *other : scope->lookup(variable->getDeclName())) {
      if (other->getCanonicalDecl() == variable->getCanonicalDecl() || llvm::isa<clang::VarTemplateDecl>(other))
        continue;
      error(variable->getLocation(), "device_global %0 is hidden by another declaration of its name in an inline namespace")
          << variable;
      diagnostics.Report(other->getLocation(),
                         diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, "the other declaration is here"));
      return false;
    }
    return true;
  }

  /// As a program writes it: without namespaces that have no name or are inline.
  std::string qualifiedName(const VarDecl *variable) {
    clang::PrintingPolicy policy(context.getLangOpts());
    policy.SuppressUnwrittenScope = true;
    policy.SuppressInlineNamespace = llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
    std::string name;
    llvm::raw_string_ostream stream(name);
    variable->getNameForDiagnostic(stream, policy, /*Qualified=*/true);
    return name;
  }

  /// True if a property list, `properties<value_list<property_value<Key, ...>, ...>>`, has a key of this name.
  bool hasProperty(clang::QualType list, llvm::StringRef name) {
    auto arguments = [](clang::QualType type) -> llvm::ArrayRef<clang::TemplateArgument> {
      const auto *instance =
          llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
      llvm::ArrayRef<clang::TemplateArgument> found;
      if (instance)
        found = instance->getTemplateArgs().asArray();
      return found.size() == 1 && found[0].getKind() == clang::TemplateArgument::Pack ? found[0].pack_elements() : found;
    };
    for (const clang::TemplateArgument &values : arguments(list))
      for (const clang::TemplateArgument &value : arguments(values.getAsType())) {
        llvm::ArrayRef<clang::TemplateArgument> parts = arguments(value.getAsType());
        if (parts.empty() || parts[0].getKind() != clang::TemplateArgument::Type)
          continue;
        const clang::CXXRecordDecl *key = parts[0].getAsType()->getAsCXXRecordDecl();
        if (key && key->getIdentifier() && key->getName() == name)
          return true;
      }
    return false;
  }

  clang::ASTContext &context;
  clang::DiagnosticsEngine &diagnostics;
  const clang::ClassTemplateDecl *classTemplate;
};

} // namespace

void copyInitialValues(clang::ASTContext &context, clang::Decl *declaration) {
  if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(declaration))
    for (clang::Decl *inner : llvm::cast<clang::DeclContext>(declaration)->decls())
      copyInitialValues(context, inner);
  auto *variable = llvm::dyn_cast<VarDecl>(declaration);
  if (!variable || !variable->hasInit() || variable->isInvalidDecl() || variable->getType()->isDependentType())
    return;
  const auto *copy = llvm::dyn_cast<clang::CXXConstructExpr>(variable->getInit()->IgnoreImplicit());
  if (!copy || !copy->getConstructor()->isCopyConstructor() ||
      !instantiationOf(deviceGlobalTemplate(context), context, variable->getType()))
    return;
  const auto *named = llvm::dyn_cast<clang::DeclRefExpr>(copy->getArg(0)->IgnoreParenImpCasts());
  const auto *original = named ? llvm::dyn_cast<VarDecl>(named->getDecl()) : nullptr;
  original = original ? original->getInitializingDeclaration() : nullptr;
  if (original && context.hasSameUnqualifiedType(original->getType(), variable->getType()))
    variable->setInit(const_cast<clang::Expr *>(original->getInit()));
}

std::vector<DeviceGlobal> checkDeviceGlobals(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                             const Declarations &declarations) {
  GlobalChecker checker(context, diagnostics);
  for (const clang::ValueDecl *declaration : declarations.misplacedGlobals)
    checker.misplaced(declaration);
  for (const clang::CXXNewExpr *expression : declarations.newGlobals)
    checker.misplaced(expression);
  std::vector<DeviceGlobal> globals;
  for (VarDecl *variable : declarations.variables)
    if (auto global = checker.check(variable))
      globals.push_back(std::move(*global));
  return globals;
}

} // namespace syclrtc
