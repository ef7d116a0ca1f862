// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code side has to know of functions and variables: brought from the AST into the module.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Module.h"

#include "declarations.h"
#include "device_globals.h"
#include "kernels.h"

namespace syclrtc {

class Marks {
public:
  /// Asks for code for all that others may use, whether this source does or not, and fills in symbols. Before the end of the
  /// translation unit.
  void request(clang::ASTContext &context, clang::CodeGenerator &generator, const Declarations &declarations,
               std::vector<Kernel> &kernels, std::vector<DeviceGlobal> &globals, llvm::StringRef unitId);

  /// Names internal variables and sets the attributes that `frontend.rs` lists.
  void apply(llvm::Module &module) const;

private:
  struct Function {
    std::string symbol;
    bool external;
    std::optional<uint64_t> rangeMax;
    std::string aspects;
  };
  struct Renamed {
    std::string before, after;
  };

  std::vector<Function> functions;
  std::vector<Renamed> variables;
  std::vector<std::string> inLocalMemory;
};

} // namespace syclrtc
