// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pass_diagnostics.h"

#include <string>

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace syclrtc {

using llvm::StringRef;

bool PassDiagnostics::isAnalysisRemarkEnabled(StringRef pass) const {
  return options().OptimizationRemarkAnalysis.patternMatches(pass);
}

bool PassDiagnostics::isMissedOptRemarkEnabled(StringRef pass) const {
  return options().OptimizationRemarkMissed.patternMatches(pass);
}

bool PassDiagnostics::isPassedOptRemarkEnabled(StringRef pass) const {
  return options().OptimizationRemark.patternMatches(pass);
}

bool PassDiagnostics::isAnyRemarkEnabled() const {
  return options().OptimizationRemarkAnalysis.hasValidPattern() || options().OptimizationRemarkMissed.hasValidPattern() ||
         options().OptimizationRemark.hasValidPattern();
}

bool PassDiagnostics::handleDiagnostics(const llvm::DiagnosticInfo &info) {
  if (info.getSeverity() == llvm::DS_Error)
    return false;
  if (const auto *failure = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationFailure>(&info)) {
    report(*failure, clang::diag::warn_fe_backend_optimization_failure);
    return true;
  }
  if (const auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info)) {
    // As in clang: without a profile, these are too many to be of use. And code without a place is none of the user's.
    if ((remark->isVerbose() && !remark->getHotness()) || !remark->isLocationAvailable())
      return true;
    if (remark->isEnabled())
      report(*remark, remark->isPassed()   ? clang::diag::remark_fe_backend_optimization_remark
                      : remark->isMissed() ? clang::diag::remark_fe_backend_optimization_remark_missed
                                           : clang::diag::remark_fe_backend_optimization_remark_analysis);
    return true;
  }
  if (info.getSeverity() == llvm::DS_Warning) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    instance.getDiagnostics().Report(clang::diag::warn_fe_backend_plugin) << text;
  }
  return true;
}

void PassDiagnostics::report(const llvm::DiagnosticInfoOptimizationBase &remark, unsigned id) {
  clang::SourceLocation at = place(remark);
  std::string text = remark.getMsg();
  if (at.isInvalid() && remark.isLocationAvailable())
    text = remark.getLocationStr() + ": " + text;
  instance.getDiagnostics().Report(at, id) << clang::AddFlagValue(remark.getPassName()) << text;
}

/// The place in the source; invalid if it cannot be shown, say because #line stands between.
clang::SourceLocation PassDiagnostics::place(const llvm::DiagnosticInfoWithLocationBase &info) {
  if (!info.isLocationAvailable())
    return {};
  StringRef name;
  unsigned line = 0, column = 0;
  info.getLocation(name, line, column);
  clang::SourceManager &sources = instance.getSourceManager();
  clang::OptionalFileEntryRef file = instance.getFileManager().getOptionalFileRef(name);
  if (!file)
    return {};
  clang::SourceLocation at = sources.translateFileLineCol(*file, line, std::max(column, 1u));
  clang::PresumedLoc shown = sources.getPresumedLoc(at);
  return shown.isValid() && shown.getLine() == line && name == shown.getFilename() ? at : clang::SourceLocation();
}

} // namespace syclrtc
