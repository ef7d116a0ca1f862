// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "marks.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

namespace syclrtc {
namespace {

/// The functions in the module that `function` becomes.
llvm::SmallVector<clang::GlobalDecl, 2> codeOf(const clang::FunctionDecl *function) {
  if (const auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
    return {clang::GlobalDecl(constructor, clang::Ctor_Complete), clang::GlobalDecl(constructor, clang::Ctor_Base)};
  if (const auto *destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(function))
    return {clang::GlobalDecl(destructor, clang::Dtor_Complete), clang::GlobalDecl(destructor, clang::Dtor_Base)};
  if (function->isConsteval() || function->isDeleted())
    return {};
  return {clang::GlobalDecl(function)};
}

std::string list(const std::vector<uint32_t> &numbers) {
  return llvm::join(llvm::map_range(numbers, [](uint32_t number) { return std::to_string(number); }), ",");
}

} // namespace

void Marks::request(clang::ASTContext &context, clang::CodeGenerator &generator, const Declarations &declarations,
                    std::vector<Kernel> &kernels, std::vector<DeviceGlobal> &globals, llvm::StringRef unitId) {
  llvm::DenseMap<const clang::FunctionDecl *, Kernel *> kernelOf;
  for (Kernel &kernel : kernels) {
    kernelOf[kernel.function->getCanonicalDecl()] = &kernel;
    kernel.symbol = generator.GetMangledName(clang::GlobalDecl(kernel.function)).str();
  }
  for (const clang::FunctionDecl *function : declarations.functions) {
    const Kernel *kernel = kernelOf.lookup(function->getCanonicalDecl());
    FunctionProperties properties =
        kernel ? kernel->properties
               : merge(context, propertiesOf(function), [](const Property &) {});
    const bool external = isExternal(function);
    for (clang::GlobalDecl code : codeOf(function)) {
      // Asking for the address puts a definition among those that code is generated for, whatever its linkage.
      if ((kernel || external) && function->isThisDeclarationADefinition())
        (void)generator.GetAddrOfGlobal(code, /*isForDefinition=*/false);
      functions.push_back({generator.GetMangledName(code).str(), external, properties.rangeMax, list(properties.aspects)});
    }
  }
  for (clang::VarDecl *variable : declarations.groupStatics)
    inLocalMemory.push_back(generator.GetMangledName(clang::GlobalDecl(variable)).str());
  for (DeviceGlobal &global : globals) {
    if (global.defined)
      (void)generator.GetAddrOfGlobal(clang::GlobalDecl(global.variable), /*isForDefinition=*/false);
    global.symbol = generator.GetMangledName(clang::GlobalDecl(global.variable)).str();
    if (!global.variable->isExternallyVisible()) {
      std::string unique = global.symbol + "_" + unitId.str();
      variables.push_back({global.symbol, unique});
      global.symbol = unique;
    }
  }
}

void Marks::apply(llvm::Module &module) const {
  for (const Function &mark : functions) {
    llvm::Function *function = module.getFunction(mark.symbol);
    if (!function)
      continue;
    if (mark.external)
      function->addFnAttr("syclrtc-external");
    if (mark.rangeMax)
      function->addFnAttr("syclrtc-range-max", std::to_string(*mark.rangeMax));
    if (!mark.aspects.empty())
      function->addFnAttr("syclrtc-aspects", mark.aspects);
  }
  for (const Renamed &variable : variables)
    if (llvm::GlobalVariable *global = module.getGlobalVariable(variable.before, /*AllowInternal=*/true))
      global->setName(variable.after);
  for (const std::string &name : inLocalMemory)
    moveToLocalMemory(module, name);
  // The annotations of the AST, which have served their purpose.
  if (llvm::GlobalVariable *annotations = module.getGlobalVariable("llvm.global.annotations"))
    annotations->eraseFromParent();
}

} // namespace syclrtc
