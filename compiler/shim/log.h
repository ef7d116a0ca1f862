// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler has to say about a job: as clang prints it, and as data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include "frontend.h"

namespace syclrtc {

/// One diagnostic, or one note on the nearest diagnostic before it.
struct DiagnosticRow {
  /// fe_severity
  uint32_t severity = 0;
  /// As the text shows it, so #line counts. Empty if there is no place.
  std::string file;
  unsigned line = 0, column = 0;
  std::string text;
  /// The option that switches it, if any.
  std::string option;
};

/// Prints like clang, and keeps the same as data. What is reported at the end of the stub file is shown at the end of the
/// user's text, after which the stub goes on.
class Log : public clang::DiagnosticConsumer {
public:
  Log(clang::DiagnosticOptions &options) : stream(text), options(options) { printer.emplace(stream, options); }

  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) override;
  void EndSourceFile() override { printer->EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;

  /// From here on, what is told can be told again.
  void keep();
  /// Tells it again, since files may have other names now, and keeps no more.
  void tellAgain(const clang::DiagnosticsEngine &diagnostics, const clang::Preprocessor &preprocessor);

  /// The rows from `first` on in the form of frontend.h; they point into this object.
  std::vector<fe_diagnostic> list(size_t first) const;

  std::string text;
  std::vector<DiagnosticRow> rows;
  clang::FileID stub, userText;
  /// Attributes that clang left out with a warning, because the definition stands before them.
  std::vector<clang::SourceLocation> lateAttributes;

private:
  void tell(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info);
  void record(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info);

  llvm::raw_string_ostream stream;
  clang::DiagnosticOptions &options;
  std::optional<clang::TextDiagnosticPrinter> printer;
  clang::LangOptions language;
  bool keeps = false;
  size_t textBefore = 0, rowsBefore = 0;
  std::vector<clang::StoredDiagnostic> kept;
};

} // namespace syclrtc
