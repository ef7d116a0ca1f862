// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "properties.h"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringSwitch.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

/// The value of `std::integral_constant<T, V>`.
std::optional<uint64_t> integralConstant(clang::QualType type) {
  const auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record || record->getTemplateArgs().size() != 2 ||
      record->getTemplateArgs()[1].getKind() != clang::TemplateArgument::Integral)
    return std::nullopt;
  return record->getTemplateArgs()[1].getAsIntegral().getLimitedValue();
}

void appendArguments(llvm::ArrayRef<clang::TemplateArgument> arguments, Property &property) {
  for (const clang::TemplateArgument &argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack)
      appendArguments(argument.pack_elements(), property);
    else if (argument.getKind() == clang::TemplateArgument::Integral)
      property.values.push_back(argument.getAsIntegral().getLimitedValue());
    else if (argument.getKind() == clang::TemplateArgument::Type) {
      if (auto value = integralConstant(argument.getAsType()))
        property.values.push_back(*value);
      else
        property.type = argument.getAsType();
    }
  }
}

/// Reads a SYCL attribute, which attributes.cpp made an annotation of, as the property that means the same.
std::optional<Property> readAttribute(const clang::AnnotateAttr &attribute) {
  StringRef key = llvm::StringSwitch<StringRef>(attribute.getAnnotation())
                      .Case("syclrtc.reqd_work_group_size", "work_group_size_key")
                      .Case("syclrtc.work_group_size_hint", "work_group_size_hint_key")
                      .Case("syclrtc.reqd_sub_group_size", "sub_group_size_key")
                      .Case("syclrtc.device_has", "device_has_key")
                      .Default({});
  if (key.empty())
    return std::nullopt;
  Property property{key, {}, {}, attribute.getLocation()};
  for (const clang::Expr *value : attribute.args()) {
    const auto *constant = llvm::dyn_cast<clang::ConstantExpr>(value->IgnoreParens());
    if (constant && constant->hasAPValueResult() && constant->getAPValueResult().isInt())
      property.values.push_back(constant->getAPValueResult().getInt().getLimitedValue());
  }
  return property;
}

/// Reads the property out of `annotate("syclrtc.property <text>", &property_tag<P>)`; nothing for another annotation.
std::optional<Property> readProperty(const clang::AnnotateAttr &attribute) {
  if (auto property = readAttribute(attribute))
    return property;
  if (!attribute.getAnnotation().starts_with("syclrtc.property") || attribute.args_size() != 1)
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
  Property property{key->getName(), {}, {}, attribute.getLocation()};
  appendArguments(value->getTemplateArgs().asArray().drop_front(), property);
  return property;
}

} // namespace

std::vector<Property> ownProperties(const clang::FunctionDecl *declaration) {
  // What an instantiation has is marked as inherited if the template's declaration inherited it.
  const bool first = declaration->isFirstDecl();
  std::vector<Property> result;
  for (const auto *attribute : declaration->specific_attrs<clang::AnnotateAttr>())
    if (first || !attribute->isInherited())
      if (auto property = readProperty(*attribute))
        result.push_back(std::move(*property));
  return result;
}

std::vector<Property> propertiesOf(const clang::FunctionDecl *function) {
  // A later declaration does not inherit what it has in another form itself.
  llvm::SmallVector<const clang::FunctionDecl *, 4> declarations;
  for (function = function->getMostRecentDecl(); function; function = function->getPreviousDecl())
    declarations.push_back(function);
  std::vector<Property> result;
  for (const clang::FunctionDecl *declaration : llvm::reverse(declarations))
    for (Property &property : ownProperties(declaration))
      result.push_back(std::move(property));
  return result;
}

bool isExternal(const clang::Decl *declaration) {
  return llvm::any_of(declaration->getMostRecentDecl()->specific_attrs<clang::AnnotateAttr>(),
                      [](const clang::AnnotateAttr *attribute) { return attribute->getAnnotation() == externalAnnotation; });
}

uint64_t largestValue(const clang::ASTContext &context, clang::QualType type) {
  unsigned bits = context.getIntWidth(type) - (type->isSignedIntegerOrEnumerationType() ? 1 : 0);
  return bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
}

FunctionProperties merge(const clang::ASTContext &context, llvm::ArrayRef<Property> properties,
                         llvm::function_ref<void(const Property &)> conflict) {
  FunctionProperties merged;
  bool hasAspects = false;
  for (const Property &property : properties) {
    auto take = [&](auto &member, const auto &value, bool taken) {
      if (taken && member != value)
        conflict(property);
      else
        member = value;
    };
    auto takeSizes = [&](std::vector<uint64_t> &sizes) { take(sizes, property.values, !sizes.empty()); };
    uint64_t first = property.values.empty() ? 0 : property.values.front();
    if (property.key == "work_group_size_key") {
      takeSizes(merged.workGroupSize);
    } else if (property.key == "work_group_size_hint_key") {
      takeSizes(merged.workGroupSizeHint);
    } else if (property.key == "max_work_group_size_key") {
      takeSizes(merged.maxWorkGroupSize);
    } else if (property.key == "max_linear_work_group_size_key") {
      take(merged.maxLinearWorkGroupSize, first, merged.maxLinearWorkGroupSize != 0);
    } else if (property.key == "sub_group_size_key") {
      take(merged.subGroupSize, uint32_t(first), merged.subGroupSize != 0);
    } else if (property.key == "device_has_key") {
      std::vector<uint32_t> aspects(property.values.begin(), property.values.end());
      std::sort(aspects.begin(), aspects.end());
      aspects.erase(std::unique(aspects.begin(), aspects.end()), aspects.end());
      take(merged.aspects, aspects, hasAspects);
      hasAspects = true;
    } else if (property.key == "range_type_key" && !property.type.isNull() && property.type->isIntegralType(context)) {
      take(merged.rangeMax, std::optional(largestValue(context, property.type)), merged.rangeMax.has_value());
      merged.rangeType = property.type;
    }
  }
  return merged;
}

} // namespace syclrtc
