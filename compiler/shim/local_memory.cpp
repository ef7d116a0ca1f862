// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local_memory.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/IR/Constants.h"

#include "frontend.h"

namespace syclrtc {
namespace {

using clang::QualType;

/// A launch has a limit of some thousand bytes for all arguments; this keeps huge arrays from being walked.
constexpr size_t mostObjects = 256;

class LocalFinder {
public:
  explicit LocalFinder(clang::ASTContext &context)
      : context(context), accessor(findClassTemplate(context, {"sycl", "_V1"}, "local_accessor")),
        memory(findClassTemplate(context, {"sycl", "_V1", "ext", "oneapi", "experimental"}, "work_group_memory")) {}

  bool exists() const { return accessor || memory; }

  /// Whether the type is one of the two classes.
  bool isOne(QualType type) {
    return !type->isArrayType() && (instantiationOf(accessor, context, type) || instantiationOf(memory, context, type));
  }

  void visit(QualType type, uint64_t offset, bool inUnion) {
    if (found.tooMany)
      return;
    if (const clang::ConstantArrayType *array = context.getAsConstantArrayType(type))
      return visitArray(array, offset, inUnion);
    if (const auto *instance = instantiationOf(accessor, context, type))
      return add(offset, inUnion, FE_LOCAL_ACCESSOR, bytesOf(argument(instance, 0).getAsType()),
                 FE_RANGE + uint32_t(argument(instance, 1).getAsIntegral().getExtValue()));
    if (const auto *instance = instantiationOf(memory, context, type))
      return addMemory(argument(instance, 0).getAsType(), offset, inUnion);
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (!record || !(record = record->getDefinition()) || record->isInvalidDecl())
      return;
    const clang::ASTRecordLayout &layout = context.getASTRecordLayout(record);
    for (const clang::CXXBaseSpecifier &base : record->bases())
      if (const clang::CXXRecordDecl *of = base.getType()->getAsCXXRecordDecl(); of && !base.isVirtual())
        visit(base.getType(), offset + layout.getBaseClassOffset(of).getQuantity(), inUnion);
    for (const clang::FieldDecl *field : record->fields())
      visit(field->getType(), offset + layout.getFieldOffset(field->getFieldIndex()) / 8, inUnion || record->isUnion());
  }

  LocalObjects found;

private:
  static const clang::TemplateArgument &argument(const clang::ClassTemplateSpecializationDecl *instance, unsigned index) {
    return instance->getTemplateArgs()[index];
  }

  uint64_t bytesOf(QualType type) { return context.getTypeSizeInChars(type).getQuantity(); }

  void visitArray(const clang::ConstantArrayType *array, uint64_t offset, bool inUnion) {
    const QualType element = array->getElementType();
    const uint64_t count = array->getZExtSize();
    for (uint64_t i = 0; i != count && !found.tooMany; ++i) {
      const size_t before = found.list.size();
      visit(element, offset + i * bytesOf(element), inUnion);
      // All elements are alike.
      if (found.list.size() == before)
        return;
    }
  }

  void addMemory(QualType type, uint64_t offset, bool inUnion) {
    if (const clang::IncompleteArrayType *array = context.getAsIncompleteArrayType(type))
      add(offset, inUnion, FE_LOCAL, bytesOf(array->getElementType()), FE_ANY);
    else
      add(offset, inUnion, FE_LOCAL, bytesOf(type), FE_ONE);
  }

  void add(uint64_t offset, bool inUnion, uint32_t kind, uint64_t element, uint32_t extent) {
    found.inUnion |= inUnion;
    found.tooMany = found.list.size() == mostObjects;
    found.list.push_back({offset, element, extent});
    found.kind = kind;
  }

  clang::ASTContext &context;
  const clang::ClassTemplateDecl *accessor, *memory;
};

} // namespace

LocalObjects findLocalObjects(clang::ASTContext &context, QualType type) {
  LocalFinder finder(context);
  if (!finder.exists() || !type->isRecordType())
    return {};
  finder.visit(type, 0, false);
  LocalObjects &found = finder.found;
  // Of a class that holds some, no more than where they are is of interest.
  if (!finder.isOne(type))
    found.kind = 0;
  return std::move(found);
}

void checkGroupStatics(clang::ASTContext &context, clang::DiagnosticsEngine &diagnostics, const Declarations &declarations) {
  auto error = [&](const clang::ValueDecl *declaration, const auto &text) {
    diagnostics.Report(declaration->getLocation(), diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, text))
        << declaration;
  };
  for (const clang::ValueDecl *declaration : declarations.misplacedStatics)
    error(declaration, "work_group_static %0 needs static storage duration: at namespace scope, or 'static'");
  for (const clang::VarDecl *variable : declarations.groupStatics) {
    if (variable->getType()->isArrayType()) {
      error(variable, "%0 cannot be an array of work_group_static; an array can be in one");
      continue;
    }
    if (variable->getTSCSpec() != clang::TSCS_unspecified) {
      error(variable, "work_group_static %0 cannot be thread-local");
      continue;
    }
    const auto *instance = llvm::cast<clang::ClassTemplateSpecializationDecl>(variable->getType()->getAsCXXRecordDecl());
    const QualType stored = context.getBaseElementType(instance->getTemplateArgs()[0].getAsType());
    const clang::CXXRecordDecl *record = stored->getAsCXXRecordDecl();
    // Nobody runs a constructor: local memory holds nothing when a work-group begins.
    if (record && record->hasDefinition() && (!record->hasTrivialDefaultConstructor() || !record->hasTrivialDestructor()))
      error(variable, "the type in work_group_static %0 has a constructor or destructor, which nobody runs in local memory");
  }
}

void moveToLocalMemory(llvm::Module &module, llvm::StringRef name) {
  constexpr unsigned localSpace = 3;
  llvm::GlobalVariable *variable = module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!variable || variable->getAddressSpace() == localSpace)
    return;
  auto *moved = new llvm::GlobalVariable(module, variable->getValueType(), /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(variable->getValueType()), "",
                                         variable, llvm::GlobalValue::NotThreadLocal, localSpace);
  moved->setAlignment(variable->getAlign());
  moved->takeName(variable);
  // clang refers to variables by generic pointers.
  for (llvm::User *user : llvm::make_early_inc_range(variable->users()))
    if (auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(user); cast && cast->getOpcode() == llvm::Instruction::AddrSpaceCast)
      cast->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, cast->getType()));
  variable->removeDeadConstantUsers();
  if (variable->use_empty())
    variable->eraseFromParent();
}

} // namespace syclrtc
