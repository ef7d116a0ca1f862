// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SYCL attributes of kernels, which upstream clang does not know. Each becomes an annotation that kernels.cpp reads.
#include "attributes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaDiagnostic.h"

namespace {

/// `[[sycl::<name>(1 to 3 integers)]]` on a function.
class SizeAttribute : public clang::ParsedAttrInfo {
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
      if (!value->isValueDependent() && !value->getIntegerConstantExpr(sema.Context)) {
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
  explicit SizeAttribute(llvm::ArrayRef<Spelling> spellings, unsigned most) {
    NumArgs = 1;
    OptArgs = most - 1;
    Spellings = spellings;
  }
};

// The parser looks for a plug-in attribute by the name without its scope when it decides whether to read arguments, and by the
// whole name after that; so both spellings are needed.

class RequiredWorkGroupSize : public SizeAttribute {
public:
  RequiredWorkGroupSize() : SizeAttribute(spellings, 3) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::reqd_work_group_size"},
                                           {clang::ParsedAttr::AS_CXX11, "reqd_work_group_size"}};
};

class WorkGroupSizeHint : public SizeAttribute {
public:
  WorkGroupSizeHint() : SizeAttribute(spellings, 3) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::work_group_size_hint"},
                                           {clang::ParsedAttr::AS_CXX11, "work_group_size_hint"}};
};

class RequiredSubGroupSize : public SizeAttribute {
public:
  RequiredSubGroupSize() : SizeAttribute(spellings, 1) {}
  static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::reqd_sub_group_size"},
                                           {clang::ParsedAttr::AS_CXX11, "reqd_sub_group_size"}};
};

} // namespace

namespace syclrtc {

void registerAttributes() {
  // clang looks attributes up in this registry, which does not own its entries.
  using Registry = clang::ParsedAttrInfoRegistry;
  static const Registry::Add<RequiredWorkGroupSize> requiredWorkGroupSize("reqd_work_group_size", "");
  static const Registry::Add<WorkGroupSizeHint> workGroupSizeHint("work_group_size_hint", "");
  static const Registry::Add<RequiredSubGroupSize> requiredSubGroupSize("reqd_sub_group_size", "");
}

} // namespace syclrtc
