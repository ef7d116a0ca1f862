// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SYCL attributes of functions, which upstream clang does not know. Each becomes an annotation, see properties.cpp.
#include "attributes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaDiagnostic.h"

#include "properties.h"

namespace {

/// `[[sycl::<name>(integers or enumerators)]]` on a function.
class ValuesAttribute : public clang::ParsedAttrInfo {
public:
  bool diagAppertainsToDecl(clang::Sema &sema, const clang::ParsedAttr &attribute, const clang::Decl *declaration) const override {
    if (llvm::isa<clang::FunctionDecl>(declaration))
      return true;
    sema.Diag(attribute.getLoc(), clang::diag::warn_attribute_wrong_decl_type_str)
        << attribute << attribute.isRegularKeywordAttribute() << "functions";
    return false;
  }

  AttrHandling handleDeclAttribute(clang::Sema &sema, clang::Decl *declaration,
                                   const clang::ParsedAttr &attribute) const override {
    llvm::SmallVector<clang::Expr *, 3> values;
    for (unsigned i = 0; i != attribute.getNumArgs(); ++i) {
      clang::Expr *value = attribute.getArgAsExpr(i);
      clang::Expr::EvalResult result;
      const bool isConstant = value->isValueDependent() || (value->getType()->isIntegralOrEnumerationType() &&
                                                            value->EvaluateAsInt(result, sema.Context));
      if (!isConstant) {
        sema.Diag(value->getBeginLoc(), clang::diag::err_attribute_argument_type)
            << attribute << clang::AANT_ArgumentIntegerConstant << value->getSourceRange();
        return AttributeNotApplied;
      }
      values.push_back(value);
    }
    std::string annotation = ("syclrtc." + attribute.getAttrName()->getName()).str();
    clang::Attr *made = sema.CreateAnnotationAttr(attribute, annotation, values);
    if (!made)
      return AttributeNotApplied;
    declaration->addAttr(made);
    return AttributeApplied;
  }

protected:
  ValuesAttribute(llvm::ArrayRef<Spelling> spellings, unsigned least, unsigned more) {
    NumArgs = least;
    OptArgs = more;
    Spellings = spellings;
  }

  /// As a number of optional arguments.
  static constexpr unsigned anyNumber = 15;
};

// The parser looks for a plug-in attribute by the name without its scope when it decides whether to read arguments, and by the
// whole name after that; so both spellings are needed.

class RequiredWorkGroupSize : public ValuesAttribute {
public:
  RequiredWorkGroupSize() : ValuesAttribute(spellings, 1, 2) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::reqd_work_group_size"},
                                           {clang::ParsedAttr::AS_CXX11, "reqd_work_group_size"}};
};

class WorkGroupSizeHint : public ValuesAttribute {
public:
  WorkGroupSizeHint() : ValuesAttribute(spellings, 1, 2) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::work_group_size_hint"},
                                           {clang::ParsedAttr::AS_CXX11, "work_group_size_hint"}};
};

class RequiredSubGroupSize : public ValuesAttribute {
public:
  RequiredSubGroupSize() : ValuesAttribute(spellings, 1, 0) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::reqd_sub_group_size"},
                                           {clang::ParsedAttr::AS_CXX11, "reqd_sub_group_size"}};
};

class DeviceHas : public ValuesAttribute {
public:
  DeviceHas() : ValuesAttribute(spellings, 0, anyNumber) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::device_has"},
                                           {clang::ParsedAttr::AS_CXX11, "device_has"}};
};

/// What SYCL_EXTERNAL expands to, see external.cpp.
class External : public clang::ParsedAttrInfo {
public:
  External() {
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "syclrtc::external"},
                                             {clang::ParsedAttr::AS_GNU, "syclrtc_external"}};
    Spellings = spellings;
  }

  bool diagAppertainsToDecl(clang::Sema &sema, const clang::ParsedAttr &attribute, const clang::Decl *declaration) const override {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (llvm::isa<clang::FunctionDecl>(declaration) || (variable && variable->hasGlobalStorage()))
      return true;
    sema.Diag(attribute.getLoc(), sema.Diags.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                             "SYCL_EXTERNAL is for functions and device globals only"));
    return false;
  }

  AttrHandling handleDeclAttribute(clang::Sema &sema, clang::Decl *declaration,
                                   const clang::ParsedAttr &attribute) const override {
    clang::Attr *made = sema.CreateAnnotationAttr(attribute, syclrtc::externalAnnotation, {});
    if (!made)
      return AttributeNotApplied;
    declaration->addAttr(made);
    return AttributeApplied;
  }
};

} // namespace

namespace syclrtc {

void registerAttributes() {
  // clang looks attributes up in this registry, which does not own its entries.
  using Registry = clang::ParsedAttrInfoRegistry;
  static const Registry::Add<RequiredWorkGroupSize> requiredWorkGroupSize("reqd_work_group_size", "");
  static const Registry::Add<WorkGroupSizeHint> workGroupSizeHint("work_group_size_hint", "");
  static const Registry::Add<RequiredSubGroupSize> requiredSubGroupSize("reqd_sub_group_size", "");
  static const Registry::Add<DeviceHas> deviceHas("device_has", "");
  static const Registry::Add<External> external("syclrtc_external", "");
}

} // namespace syclrtc
