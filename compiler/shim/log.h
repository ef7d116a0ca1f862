// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

namespace syclrtc {

/// Prints like clang. What is reported at the end of the stub file is shown at the end of the user's text, after which the
/// stub goes on.
class Log : public clang::DiagnosticConsumer {
public:
  Log(clang::DiagnosticOptions &options) : stream(text), printer(stream, options) {}

  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *preprocessor) override {
    printer.BeginSourceFile(options, preprocessor);
  }
  void EndSourceFile() override { printer.EndSourceFile(); }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (stub.isValid() && userText.isValid() && info.hasSourceManager() && info.getLocation().isValid()) {
      clang::SourceManager &sources = info.getSourceManager();
      if (sources.getFileID(info.getLocation()) == stub) {
        llvm::SmallString<128> message;
        info.FormatDiagnostic(message);
        clang::DiagnosticStorage storage;
        clang::Diagnostic moved(info.getDiags(), sources.getLocForEndOfFile(userText), info.getID(), storage, message);
        printer.HandleDiagnostic(level, moved);
        return;
      }
    }
    printer.HandleDiagnostic(level, info);
  }

  std::string text;
  clang::FileID stub, userText;

private:
  llvm::raw_string_ostream stream;
  clang::TextDiagnosticPrinter printer;
};

} // namespace syclrtc
