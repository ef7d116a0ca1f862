// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"

namespace syclrtc {

/// Brings remarks (-Rpass and its companions) and warnings of LLVM's passes to clang's diagnostics. Errors stay with LLVM's own
/// handling, which ends the process.
class PassDiagnostics : public llvm::DiagnosticHandler {
public:
  explicit PassDiagnostics(clang::CompilerInstance &instance) : instance(instance) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override;
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override;
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override;
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override;
  bool isAnyRemarkEnabled() const override;

private:
  const clang::CodeGenOptions &options() const { return instance.getCodeGenOpts(); }
  void report(const llvm::DiagnosticInfoOptimizationBase &remark, unsigned id);
  clang::SourceLocation place(const llvm::DiagnosticInfoWithLocationBase &info);

  clang::CompilerInstance &instance;
};

} // namespace syclrtc
