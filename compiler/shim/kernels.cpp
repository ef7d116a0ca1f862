// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

#include <memory>

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

#include "frontend.h"

namespace syclrtc {
namespace {

using clang::FunctionDecl;
using clang::QualType;
using llvm::StringRef;

/// One property on one declaration: `property_value<Key, Arguments...>`.
struct Property {
  StringRef key;
  std::vector<uint64_t> values;
  clang::SourceLocation location;
};

/// The value of `std::integral_constant<T, V>`.
std::optional<uint64_t> integralConstant(QualType type) {
  const auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record || record->getTemplateArgs().size() != 2 ||
      record->getTemplateArgs()[1].getKind() != clang::TemplateArgument::Integral)
    return std::nullopt;
  return record->getTemplateArgs()[1].getAsIntegral().getLimitedValue();
}

void appendValues(llvm::ArrayRef<clang::TemplateArgument> arguments, std::vector<uint64_t> &values) {
  for (const clang::TemplateArgument &argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack)
      appendValues(argument.pack_elements(), values);
    else if (argument.getKind() == clang::TemplateArgument::Integral)
      values.push_back(argument.getAsIntegral().getLimitedValue());
    else if (argument.getKind() == clang::TemplateArgument::Type)
      if (auto value = integralConstant(argument.getAsType()))
        values.push_back(*value);
  }
}

/// Reads a SYCL attribute, which attributes.cpp made an annotation of, as the property that means the same.
std::optional<Property> readAttribute(const clang::AnnotateAttr &attribute) {
  StringRef key = llvm::StringSwitch<StringRef>(attribute.getAnnotation())
                      .Case("syclrtc.reqd_work_group_size", "work_group_size_key")
                      .Case("syclrtc.work_group_size_hint", "work_group_size_hint_key")
                      .Case("syclrtc.reqd_sub_group_size", "sub_group_size_key")
                      .Default({});
  if (key.empty())
    return std::nullopt;
  Property property{key, {}, attribute.getLocation()};
  for (const clang::Expr *value : attribute.args()) {
    const auto *constant = llvm::dyn_cast<clang::ConstantExpr>(value->IgnoreParens());
    if (constant && constant->hasAPValueResult() && constant->getAPValueResult().isInt())
      property.values.push_back(constant->getAPValueResult().getInt().getLimitedValue());
  }
  return property;
}

/// Reads the property out of `annotate("syclrtc.property", &property_tag<P>)`; nothing for another annotation.
std::optional<Property> readProperty(const clang::AnnotateAttr &attribute) {
  if (auto property = readAttribute(attribute))
    return property;
  if (attribute.getAnnotation() != "syclrtc.property" || attribute.args_size() != 1)
    return std::nullopt;
  const clang::Expr *argument = (*attribute.args_begin())->IgnoreParenImpCasts();
  if (const auto *address = llvm::dyn_cast<clang::UnaryOperator>(argument))
    argument = address->getSubExpr()->IgnoreParenImpCasts();
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument);
  const auto *tag =
      reference ? llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(reference->getDecl()) : nullptr;
  if (!tag || tag->getTemplateArgs().size() < 1 || tag->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type)
    return std::nullopt;
  const auto *value = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      tag->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl());
  if (!value || value->getTemplateArgs().size() < 1 ||
      value->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type)
    return std::nullopt;
  const clang::CXXRecordDecl *key = value->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!key || !key->getIdentifier())
    return std::nullopt;
  Property property{key->getName(), {}, attribute.getLocation()};
  appendValues(value->getTemplateArgs().asArray().drop_front(), property.values);
  return property;
}

std::vector<Property> propertiesOf(const FunctionDecl *function) {
  std::vector<Property> result;
  for (const auto *attribute : function->specific_attrs<clang::AnnotateAttr>())
    if (auto property = readProperty(*attribute))
      result.push_back(std::move(*property));
  return result;
}

bool makesKernel(const Property &property) {
  return property.key == "nd_range_kernel_key" || property.key == "single_task_kernel_key";
}

/// True if `function` carries one of the properties that make a kernel.
bool isKernel(const FunctionDecl *function) {
  for (const auto *attribute : function->specific_attrs<clang::AnnotateAttr>())
    if (auto property = readProperty(*attribute); property && makesKernel(*property))
      return true;
  return false;
}

/// Names of kernels. Renames the function for the time of one mangling, since the raw name is "the mangling of the
/// function as if its identifier began with __sycl_kernel_", substitutions included.
class KernelNames {
public:
  explicit KernelNames(clang::ASTContext &context) : context(context), mangler(context.createMangleContext()) {}

  std::string rawName(FunctionDecl *function) {
    const std::string prefixed = ("__sycl_kernel_" + function->getName()).str();
    if (function->isExternC())
      return prefixed;
    clang::DeclarationName name(&context.Idents.get(prefixed));
    Renamed one(function, name);
    clang::FunctionTemplateDecl *pattern = function->getPrimaryTemplate();
    Renamed two(pattern, name);
    Renamed three(pattern ? pattern->getTemplatedDecl() : nullptr, name);
    std::string result;
    llvm::raw_string_ostream stream(result);
    if (mangler->shouldMangleDeclName(function))
      mangler->mangleName(clang::GlobalDecl(function), stream);
    else
      stream << prefixed;
    return result;
  }

private:
  class Renamed {
  public:
    Renamed(clang::NamedDecl *declaration, clang::DeclarationName name) : declaration(declaration) {
      if (declaration) {
        before = declaration->getDeclName();
        declaration->setDeclName(name);
      }
    }
    ~Renamed() {
      if (declaration)
        declaration->setDeclName(before);
    }
    Renamed(const Renamed &) = delete;
    Renamed &operator=(const Renamed &) = delete;

  private:
    clang::NamedDecl *declaration;
    clang::DeclarationName before;
  };

  clang::ASTContext &context;
  std::unique_ptr<clang::MangleContext> mangler;
};

class KernelChecker {
public:
  KernelChecker(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics, StringRef unitId)
      : context(context), diagnostics(diagnostics), names(context), unitId(unitId) {}

  /// The kernel that `function` defines; nothing, with errors reported, if it breaks a rule.
  std::optional<Kernel> check(FunctionDecl *function) {
    bool ok = checkDeclaration(function);
    Kernel kernel;
    kernel.function = function;
    ok &= readProperties(function, kernel);
    for (clang::ParmVarDecl *parameter : function->parameters())
      ok &= addParameter(parameter, kernel);
    if (!ok)
      return std::nullopt;
    kernel.rawName = names.rawName(function);
    if (function->isExternC())
      kernel.plainName = function->getName().str();
    if (!function->isExternallyVisible())
      kernel.rawName += ("_" + unitId).str();
    return kernel;
  }

private:
  template <unsigned N> clang::DiagnosticBuilder error(clang::SourceLocation at, const char (&text)[N]) {
    return diagnostics.Report(at, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, text));
  }

  bool checkDeclaration(FunctionDecl *function) {
    bool ok = true;
    auto fail = [&](auto &&builder) {
      builder << function;
      ok = false;
    };
    clang::SourceLocation at = function->getLocation();
    if (!function->getDeclName().isIdentifier()) {
      error(at, "a SYCL free function kernel needs a name that is an identifier");
      return false;
    }
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function); method && !method->isStatic())
      fail(error(at, "%0 cannot be a SYCL free function kernel: it is a non-static member function"));
    if (!function->getReturnType()->isVoidType())
      fail(error(at, "SYCL free function kernel %0 should have return type 'void'"));
    if (function->isVariadic())
      fail(error(at, "SYCL free function kernel %0 cannot be variadic"));
    if (function->isConsteval())
      fail(error(at, "SYCL free function kernel %0 cannot be 'consteval'"));
    for (const FunctionDecl *declaration : function->redecls())
      for (const clang::ParmVarDecl *parameter : declaration->parameters())
        if (parameter->hasDefaultArg() && ok)
          fail(error(parameter->getLocation(), "SYCL free function kernel %0 cannot have default arguments"));
    const FunctionDecl *first = function->getFirstDecl();
    if (ok && first != function && !isKernel(first)) {
      fail(error(at, "the first declaration of SYCL free function kernel %0 lacks the property that makes it a kernel"));
      diagnostics.Report(first->getLocation(), clang::diag::note_previous_declaration);
    }
    return ok;
  }

  bool readProperties(FunctionDecl *function, Kernel &kernel) {
    bool ok = true;
    const Property *kind = nullptr;
    const std::vector<Property> properties = propertiesOf(function);
    for (const Property &property : properties) {
      if (makesKernel(property)) {
        if (kind && (kind->key != property.key || kind->values != property.values)) {
          error(property.location, "%0 has two different properties that make it a SYCL free function kernel") << function;
          return false;
        }
        kind = &property;
        kernel.dimensions = property.values.empty() ? 0 : property.values.front();
      } else if (property.key == "work_group_size_key") {
        ok &= once(property, kernel.properties.workGroupSize.empty() || kernel.properties.workGroupSize == property.values, function);
        kernel.properties.workGroupSize = property.values;
      } else if (property.key == "sub_group_size_key" && !property.values.empty()) {
        ok &= once(property, kernel.properties.subGroupSize == 0 || kernel.properties.subGroupSize == property.values.front(), function);
        kernel.properties.subGroupSize = property.values.front();
      }
    }
    if (kernel.dimensions > 3) {
      error(function->getLocation(), "nd_range_kernel takes 1, 2 or 3 dimensions, not %0") << kernel.dimensions;
      ok = false;
    }
    if (kernel.dimensions != 0 && !kernel.properties.workGroupSize.empty() && kernel.properties.workGroupSize.size() != kernel.dimensions) {
      error(function->getLocation(), "work_group_size of %0 has %1 values for a kernel of %2 dimensions")
          << function << unsigned(kernel.properties.workGroupSize.size()) << kernel.dimensions;
      ok = false;
    }
    return ok;
  }

  bool once(const Property &property, bool same, FunctionDecl *function) {
    if (!same)
      error(property.location, "%0 has the same property twice with different values") << function;
    return same;
  }

  /// True if `long double`, whose size the device's target does not share with the host, is part of the type or of what it
  /// points at.
  bool holdsLongDouble(QualType type, llvm::SmallPtrSetImpl<const clang::RecordDecl *> &seen) {
    type = context.getCanonicalType(type);
    while (true) {
      if (const clang::ArrayType *array = context.getAsArrayType(type))
        type = array->getElementType();
      else if (type->isAnyPointerType())
        type = type->getPointeeType();
      else
        break;
    }
    if (type->isSpecificBuiltinType(clang::BuiltinType::LongDouble))
      return true;
    const clang::RecordDecl *record = type->getAsRecordDecl();
    if (!record || !(record = record->getDefinition()) || !seen.insert(record).second)
      return false;
    if (const auto *derived = llvm::dyn_cast<clang::CXXRecordDecl>(record))
      for (const clang::CXXBaseSpecifier &base : derived->bases())
        if (holdsLongDouble(base.getType(), seen))
          return true;
    return llvm::any_of(record->fields(), [&](const clang::FieldDecl *field) { return holdsLongDouble(field->getType(), seen); });
  }

  /// Text that completes "parameter %0 of SYCL free function kernel %1 "; empty if the type is fine.
  StringRef typeProblem(QualType type) {
    if (type->isReferenceType())
      return "cannot be a reference";
    if (type->isFunctionPointerType() || type->isMemberPointerType() || type->isBlockPointerType())
      return "cannot be a pointer to a function or member";
    constexpr StringRef layoutDiffers = "has a type whose layout differs between host and device";
    llvm::SmallPtrSet<const clang::RecordDecl *, 8> seen;
    if (holdsLongDouble(type, seen))
      return layoutDiffers;
    if (type->isPointerType())
      return {};
    if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl()) {
      // Copied as bits; the copy assignment is not asked for, because those of std::pair and std::tuple are not trivial.
      if (record->isPolymorphic() || record->getNumVBases() != 0 || !record->hasTrivialDestructor() ||
          !(record->hasTrivialCopyConstructor() || record->hasTrivialMoveConstructor()))
        return "is not device copyable";
      return {};
    }
    if (type->isRecordType())
      return {};
    if (type->isNullPtrType() || type->isAnyComplexType())
      return "has a type that cannot be a kernel parameter";
    if (type->isRealFloatingType() && context.getTypeSize(type) <= 64)
      return {};
    if (type->isIntegralOrEnumerationType() && context.getTypeSize(type) <= 64 && !type->isBitIntType())
      return {};
    if (type->isVectorType())
      return {};
    return layoutDiffers;
  }

  bool addParameter(clang::ParmVarDecl *parameter, Kernel &kernel) {
    QualType type = context.getCanonicalType(parameter->getType());
    if (StringRef problem = typeProblem(type); !problem.empty()) {
      error(parameter->getLocation(), "parameter '%0' of SYCL free function kernel %1 %2: %3")
          << parameter->getName() << kernel.function << problem << parameter->getType();
      return false;
    }
    uint32_t kind = type->isPointerType() ? FE_POINTER : type->isRecordType() ? FE_AGGREGATE : FE_SCALAR;
    kernel.parameters.push_back({parameter->getName().str(), parameter->getType().getAsString(context.getPrintingPolicy()), kind,
                                 uint64_t(context.getTypeSizeInChars(type).getQuantity()),
                                 uint64_t(context.getTypeAlignInChars(type).getQuantity())});
    return true;
  }

  clang::ASTContext &context;
  clang::DiagnosticsEngine &diagnostics;
  KernelNames names;
  StringRef unitId;
};

class KernelFinder : public clang::RecursiveASTVisitor<KernelFinder> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldWalkTypesOfTypeLocs() const { return false; }
  bool TraverseStmt(clang::Stmt *) { return true; }

  bool VisitFunctionDecl(FunctionDecl *function) {
    // Non-static members are looked at too, since decorating one is an error.
    if (function->isThisDeclarationADefinition() && !function->isDependentContext() && isKernel(function) &&
        seen.insert(function->getCanonicalDecl()).second)
      found.push_back(function);
    return true;
  }

  std::vector<FunctionDecl *> found;

private:
  llvm::SmallPtrSet<FunctionDecl *, 16> seen;
};

} // namespace

std::vector<Kernel> collectKernels(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                   llvm::ArrayRef<clang::Decl *> declarations, StringRef unitId) {
  KernelFinder finder;
  for (clang::Decl *declaration : declarations)
    finder.TraverseDecl(declaration);
  KernelChecker checker(context, diagnostics, unitId);
  std::vector<Kernel> kernels;
  for (FunctionDecl *function : finder.found)
    if (auto kernel = checker.check(function))
      kernels.push_back(std::move(*kernel));
  return kernels;
}

FunctionDecl *namedFunction(const clang::Expr *initialiser) {
  while (initialiser) {
    initialiser = initialiser->IgnoreParenCasts();
    const auto *address = llvm::dyn_cast<clang::UnaryOperator>(initialiser);
    if (!address || address->getOpcode() != clang::UO_AddrOf)
      break;
    initialiser = address->getSubExpr();
  }
  const auto *reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(initialiser);
  return reference ? const_cast<FunctionDecl *>(llvm::dyn_cast<FunctionDecl>(reference->getDecl())) : nullptr;
}

} // namespace syclrtc
