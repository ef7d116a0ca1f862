// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

#include <memory>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "frontend.h"

namespace syclrtc {
namespace {

using clang::FunctionDecl;
using clang::QualType;
using llvm::StringRef;

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
  KernelChecker(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics, const KernelRules &rules)
      : context(context), diagnostics(diagnostics), names(context), rules(rules) {}

  /// The kernel that `function` is; nothing if it is none or, with errors reported, breaks a rule.
  std::optional<Kernel> check(FunctionDecl *function) {
    const std::vector<Property> properties = propertiesOf(function);
    if (llvm::none_of(properties, [](const Property &property) { return property.makesKernel(); })) {
      checkFunction(function, properties);
      return std::nullopt;
    }
    Kernel kernel;
    kernel.function = function;
    kernel.defined = function->isThisDeclarationADefinition();
    bool ok = readProperties(properties, kernel);
    ok = ok && checkSizes(kernel);
    ok &= checkDeclaration(function);
    for (clang::ParmVarDecl *parameter : function->parameters())
      ok &= addParameter(parameter, kernel);
    if (!ok)
      return std::nullopt;
    kernel.rawName = names.rawName(function);
    if (function->isExternC())
      kernel.plainName = function->getName().str();
    if (!function->isExternallyVisible())
      kernel.rawName += ("_" + rules.unitId).str();
    if (rules.idsFitInInt && !kernel.properties.rangeMax)
      kernel.properties.rangeMax = largestValue(context, context.IntTy);
    return kernel;
  }

private:
  template <unsigned N> clang::DiagnosticBuilder error(clang::SourceLocation at, const char (&text)[N]) {
    return diagnostics.Report(at, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, text));
  }

  void conflict(const FunctionDecl *function, const Property &property) {
    error(property.location, "%0 has the same property twice with different values: '%1'")
        << function << property.key.drop_back(StringRef("_key").size());
  }

  /// Of a function that is no kernel, most properties are ignored.
  void checkFunction(FunctionDecl *function, llvm::ArrayRef<Property> properties) {
    (void)merge(context, properties, [&](const Property &property) {
      if (property.key == "range_type_key" || property.key == "device_has_key")
        conflict(function, property);
    });
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
    if (function->isDeleted())
      fail(error(at, "SYCL free function kernel %0 cannot be deleted"));
    if (!function->getReturnType()->isVoidType())
      fail(error(at, "SYCL free function kernel %0 should have return type 'void'"));
    if (function->isVariadic())
      fail(error(at, "SYCL free function kernel %0 cannot be variadic"));
    if (function->isConsteval())
      fail(error(at, "SYCL free function kernel %0 cannot be 'consteval'"));
    for (const FunctionDecl *declaration : function->redecls())
      for (const clang::ParmVarDecl *parameter : declaration->parameters())
        if (parameter->hasDefaultArg() && !parameter->hasInheritedDefaultArg() && ok)
          fail(error(parameter->getLocation(), "SYCL free function kernel %0 cannot have default arguments"));
    return checkFirstDeclaration(function) && ok;
  }

  /// A property that makes a kernel stands on the first declaration; later ones may repeat it.
  bool checkFirstDeclaration(FunctionDecl *function) {
    auto makesKernel = [](const Property &property) { return property.makesKernel(); };
    const FunctionDecl *first = function->getFirstDecl();
    if (llvm::any_of(ownProperties(first), makesKernel))
      return true;
    const FunctionDecl *later = function;
    for (const FunctionDecl *declaration : function->redecls())
      if (llvm::any_of(ownProperties(declaration), makesKernel))
        later = declaration;
    error(later->getLocation(),
          "the first declaration of SYCL free function kernel %0 lacks the property that makes it a kernel")
        << function;
    diagnostics.Report(first->getLocation(), clang::diag::note_previous_declaration);
    return false;
  }

  bool readProperties(llvm::ArrayRef<Property> properties, Kernel &kernel) {
    bool ok = true;
    const Property *kind = nullptr;
    for (const Property &property : properties) {
      if (!property.makesKernel())
        continue;
      if (kind && (kind->key != property.key || kind->values != property.values)) {
        error(property.location, "%0 has two different properties that make it a SYCL free function kernel")
            << kernel.function;
        return false;
      }
      kind = &property;
      kernel.dimensions = property.values.empty() ? 0 : property.values.front();
    }
    kernel.properties = merge(context, properties, [&](const Property &property) {
      conflict(kernel.function, property);
      ok = false;
    });
    if (kernel.dimensions > 3) {
      error(kernel.function->getLocation(), "nd_range_kernel takes 1, 2 or 3 dimensions, not %0") << kernel.dimensions;
      ok = false;
    }
    return ok;
  }

  /// Sizes of work-groups have as many values as the kernel has dimensions, and do not contradict each other.
  bool checkSizes(const Kernel &kernel) {
    const FunctionProperties &properties = kernel.properties;
    clang::SourceLocation at = kernel.function->getLocation();
    bool ok = true;
    auto checkCount = [&](StringRef name, const std::vector<uint64_t> &sizes) {
      if (kernel.dimensions == 0 || sizes.empty() || sizes.size() == kernel.dimensions)
        return;
      error(at, "%0 of %1 has %2 values for a kernel of %3 dimensions")
          << name << kernel.function << unsigned(sizes.size()) << kernel.dimensions;
      ok = false;
    };
    checkCount("work_group_size", properties.workGroupSize);
    checkCount("work_group_size_hint", properties.workGroupSizeHint);
    checkCount("max_work_group_size", properties.maxWorkGroupSize);
    // From the last dimension, in case that the counts differ.
    for (const auto &[size, most] : llvm::zip(llvm::reverse(properties.workGroupSize), llvm::reverse(properties.maxWorkGroupSize)))
      if (size > most) {
        error(at, "work_group_size of %0 exceeds its max_work_group_size") << kernel.function;
        return false;
      }
    unsigned __int128 product = 1;
    for (uint64_t size : properties.workGroupSize)
      product = product > UINT64_MAX ? product : product * size;
    if (!properties.workGroupSize.empty() && properties.maxLinearWorkGroupSize != 0 &&
        product > properties.maxLinearWorkGroupSize) {
      error(at, "work_group_size of %0 exceeds its max_linear_work_group_size") << kernel.function;
      ok = false;
    }
    return ok;
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

  static uint32_t typeKind(QualType type) {
    if (type->isPointerType())
      return FE_POINTER;
    return type->isRecordType() ? FE_AGGREGATE : FE_SCALAR;
  }

  bool addParameter(clang::ParmVarDecl *parameter, Kernel &kernel) {
    QualType type = context.getCanonicalType(parameter->getType());
    if (StringRef problem = typeProblem(type); !problem.empty()) {
      error(parameter->getLocation(), "parameter '%0' of SYCL free function kernel %1 %2: %3")
          << parameter->getName() << kernel.function << problem << parameter->getType();
      return false;
    }
    LocalObjects local = findLocalObjects(context, type);
    if (local.inUnion || local.tooMany) {
      error(parameter->getLocation(), "parameter '%0' of SYCL free function kernel %1 %2: %3")
          << parameter->getName() << kernel.function
          << (local.inUnion ? "holds local memory in a union" : "holds too many objects of local memory") << parameter->getType();
      return false;
    }
    const uint32_t kind = local.kind ? local.kind : typeKind(type);
    kernel.parameters.push_back({parameter->getName().str(), parameter->getType().getAsString(context.getPrintingPolicy()), kind,
                                 uint64_t(context.getTypeSizeInChars(type).getQuantity()),
                                 uint64_t(context.getTypeAlignInChars(type).getQuantity()), std::move(local.list)});
    return true;
  }

  clang::ASTContext &context;
  clang::DiagnosticsEngine &diagnostics;
  KernelNames names;
  const KernelRules &rules;
};

} // namespace

std::vector<Kernel> checkKernels(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics,
                                 llvm::ArrayRef<FunctionDecl *> functions, const KernelRules &rules) {
  KernelChecker checker(context, diagnostics, rules);
  std::vector<Kernel> kernels;
  for (FunctionDecl *function : functions)
    // One that is not defined here and cannot be elsewhere is nothing.
    if (auto kernel = checker.check(function); kernel && (kernel->defined || function->isExternallyVisible()))
      kernels.push_back(std::move(*kernel));
  return kernels;
}

} // namespace syclrtc
